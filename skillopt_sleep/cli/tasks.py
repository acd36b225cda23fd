"""skillopt-sleep tasks: what was remembered across nights."""

import sys
from typing import Annotated

import typer

from skillopt_sleep.cli.console import say
from skillopt_sleep.cli.stored import opened
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.markdown import one_line, visible

app = typer.Typer(no_args_is_help=True, help="The requests that nights learn from and test with.")

AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]


@app.command("list")
def list_tasks(*, as_json: AsJson = False) -> None:
    """List every task with its side and cluster."""
    from skillopt_sleep.kit.codec import to_json

    with opened() as store:
        tasks = store.bank.all_tasks()
    if as_json:
        sys.stdout.write(to_json(tasks, pretty=True).decode())
        return
    if not tasks:
        say("no tasks yet: they come with the first night")
    for task in tasks:
        say(f"{task.id}  {task.split or '':5}  {task.cluster}  {one_line(task.prompt, limit=70)}")


@app.command("show")
def show_task(task: Annotated[str, typer.Argument(help="A task's id.")], *, as_json: AsJson = False) -> None:
    """Show one task: the request, how an answer is scored, and whose words say so."""
    from skillopt_sleep.kit.codec import to_json

    with opened() as store:
        found = next((one for one in store.bank.all_tasks() if one.id == task), None)
    if found is None:
        raise ConfigError(f"there is no task {task!r}", remedy="see: skillopt-sleep tasks list")
    if as_json:
        sys.stdout.write(to_json(found, pretty=True).decode())
        return
    say(f"{found.id}  {found.split or ''}  cluster {found.cluster}  document {found.document or '-'}")
    say(f"project  {found.project}")
    say(f"request  {visible(found.prompt)}")
    if found.context:
        say(f"context  {visible(found.context)}")
    say(f"scored   {to_json(found.reference).decode()}")
    for evidence in found.evidence:
        say(f"because  {evidence.session}, turn {evidence.turn}: «{visible(evidence.quote)}»")
