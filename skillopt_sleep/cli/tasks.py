"""skillopt-sleep tasks list, show, why: the requests that nights learn from and test with."""

import os
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from skillopt_sleep.cli import tasks_edit, tasks_files
from skillopt_sleep.cli.console import say, say_json
from skillopt_sleep.cli.stored import opened
from skillopt_sleep.cli.tasks_shown import WIDTH, ago, block, counted, find, home_path, scored_by, short_ids
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line, visible
from skillopt_sleep.mining.recurrence import recurrence
from skillopt_sleep.records import Checks, Exact, Split
from skillopt_sleep.stores.bank import Banked

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="The requests that nights learn from and test with."
)

Id = Annotated[str, typer.Argument(metavar="ID", help="A task's id, or its beginning.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]


@app.command("list")
def list_tasks(
    *,
    project: Annotated[str, typer.Option(help="Only this project: its folder, or the folder's name.")] = "",
    split: Annotated[Split | None, typer.Option(help="Only this side.")] = None,
    dropped: Annotated[bool, typer.Option("--dropped", help="Only what you dropped.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the tasks by project and by recurring request: how often it came up, when, and on which side."""
    with opened() as store:
        entries = store.bank.entries()
    shown = [
        entry
        for entry in entries
        if bool(entry.dropped) == dropped
        and (not project or _is_of(entry, project))
        and (split is None or entry.task.split is split)
    ]
    if as_json:
        say_json([as_data(entry) for entry in shown])
        return
    if not entries:
        say("no tasks yet: they come with the first night, or with: skillopt-sleep tasks add")
        return
    short = short_ids(entries)
    projects: dict[str, list[Banked]] = {}
    for entry in shown:
        projects.setdefault(entry.task.project, []).append(entry)
    for folder, own in sorted(projects.items()):
        say(home_path(folder) if folder else "every project (your own skill)")
        for group in _clusters(own):
            say(_group(group, short, now=utc_now()))
        say("")
    hidden = 0 if dropped else sum(entry.dropped is not None for entry in entries)
    more = f"; {hidden} dropped: skillopt-sleep tasks list --dropped" if hidden else ""
    say(f"{counted(len(shown), 'task')}{more}")


@app.command("show")
def show(task: Id, *, as_json: AsJson = False) -> None:
    """Show one task as it will be asked, and how an answer is scored."""
    with opened() as store:
        entries = store.bank.entries()
        entry = find(entries, task)
        score = store.history.scores([entry.task.id]).get(entry.task.id)
    if as_json:
        say_json(as_data(entry) | {"score": score})
        return
    found = entry.task
    say(f"{visible(found.id)}  {found.split or 'no side yet'}{marks(entry)}")
    say(f"for {home_path(found.project) if found.project else 'every project (your own skill)'}\n")
    if found.context:
        say(f"What was said before:\n{block(found.context)}")
    say(f"The request:\n{block(found.prompt)}")
    say("An answer is right where:")
    for demand in scored_by(found.reference):
        say(block(demand))
    if score is not None:
        say(f"Without a change the last night's attempts at it scored {score:.2f}.")
    name = visible(short_ids(entries)[found.id])
    say(f"\nwhere it comes from: skillopt-sleep tasks why {name}")
    say(f"change it:           skillopt-sleep tasks edit {name}")


@app.command("why")
def why(task: Id) -> None:
    """Say where a task comes from: whose words found it, its side and why, and which nights used it."""
    from skillopt_sleep.cli.tasks_why import explain

    with opened() as store:
        entries = store.bank.entries()
        entry = find(entries, task)
        reports = [report for night in store.nights() if (report := store.report(night.id))]
    say(explain(entry, entries, reports, now=utc_now()))


def as_data(entry: Banked) -> dict[str, object]:
    """A task with what a person did to it, as data."""
    from msgspec import structs

    return {
        **structs.asdict(entry.task),
        "night": entry.night,
        "edited": entry.edited,
        "dropped": entry.dropped,
        "pinned": entry.pinned,
    }


def marks(entry: Banked) -> str:
    """What a person did to it, in brackets."""
    said = ("dropped", entry.dropped), ("pinned", entry.pinned), ("by hand", entry.edited), ("waits", entry.waits)
    names = [name for name, is_so in said if is_so]
    return f"  [{', '.join(names)}]" if names else ""


def _is_of(entry: Banked, project: str) -> bool:
    folder = entry.task.project
    return folder != "" and (Path(folder).name == project or folder == os.path.abspath(Path(project).expanduser()))  # noqa: PTH100 - links are kept


def _clusters(entries: Sequence[Banked]) -> list[list[Banked]]:
    """The tasks by recurring request, the most frequent first; one that no night has seen stands alone."""
    groups: dict[str, list[Banked]] = {}
    for entry in entries:
        groups.setdefault(entry.task.cluster or f"\0{entry.task.id}", []).append(entry)
    return sorted(groups.values(), key=_rank)


def _rank(group: Sequence[Banked]) -> tuple[int, datetime]:
    came = recurrence(entry.task for entry in group)
    return -came.sessions, came.first


def _group(group: Sequence[Banked], short: dict[str, str], *, now: datetime) -> str:
    """A recurring request: what was said, how often and when, and its tasks."""
    tasks = [entry.task for entry in group]
    quotes = [said.quote for task in tasks for said in task.evidence]
    came = recurrence(tasks)
    first, last = ago(came.first, now), ago(came.last, now)
    often = f"{counted(came.sessions, 'session')} on {counted(came.days, 'day')}"
    seen = f"{often}: first {first}, last {last}" if came.sessions > 1 else f"once, {last}"
    counts = Counter(task.split for task in tasks if task.split)
    sides = ", ".join(f"{counts[side]} {side}" for side in Split if counts[side]) or "no side yet"
    said = f"  «{one_line(quotes[0], limit=WIDTH - 4)}»\n" if quotes else ""
    return said + "\n".join((f"  {seen}; {sides}", *(_line(entry, visible(short[entry.task.id])) for entry in group)))


def _line(entry: Banked, name: str) -> str:
    task = entry.task
    kind = (
        "checks" if isinstance(task.reference, Checks) else "exact" if isinstance(task.reference, Exact) else "rubric"
    )
    start, end = f"    {name:8}  {task.split or '-':5}  {kind:6}  ", marks(entry)
    return f"{start}{one_line(task.prompt, limit=max(WIDTH - len(start) - len(end), 12))}{end}"


app.command("edit")(tasks_edit.edit)
app.command("drop")(tasks_edit.drop)
app.command("pin")(tasks_edit.pin)
app.command("add")(tasks_edit.add)
app.command("export")(tasks_files.export)
app.command("import")(tasks_files.import_tasks)
