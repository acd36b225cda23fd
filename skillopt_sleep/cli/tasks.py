"""The commands `tasks list` and `show`: the requests that nights learn from and test with."""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from msgspec import structs

from skillopt_sleep.cli import tasks_edit, tasks_files
from skillopt_sleep.cli.console import block, say, say_hanging, say_json
from skillopt_sleep.cli.lazy import PlainGroup
from skillopt_sleep.deciding.stored import opened_to_read
from skillopt_sleep.deciding.tasks import find, short_ids
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line, visible
from skillopt_sleep.kit.projects import project_root
from skillopt_sleep.kit.words import WIDTH, ago, counted, home_path
from skillopt_sleep.records import PlaceKind, Split, Task
from skillopt_sleep.reporters.status import goes_on
from skillopt_sleep.reporters.words import SPLITS, USES, scored_by
from skillopt_sleep.stores.bank import Banked

app = typer.Typer(
    cls=PlainGroup,
    add_completion=False,
    help="List and edit the tasks: the requests that nights learn from and test with.",
)

Id = Annotated[str, typer.Argument(metavar="ID", help="A task's id, or its beginning.")]
AsJson = Annotated[bool, typer.Option("--json", help="As JSON.")]
_EVERY_PROJECT = "every project (your own)"


@app.command("list", epilog="Example: skillopt-sleep tasks list --project shop-api")
def list_tasks(
    *,
    project: Annotated[str, typer.Option(help="Only this project: its folder, or the folder's name.")] = "",
    dropped: Annotated[bool, typer.Option("--dropped", help="Only the tasks you dropped.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the tasks by project and recurring request."""
    with opened_to_read() as store:
        entries = store.bank.entries()
        unfinished = next((night.id for night in store.nights() if not night.closed), "")
    shown = [entry for entry in entries if _matches(entry, project=project, dropped=dropped)]
    if as_json:
        say_json([as_data(entry) for entry in shown])
        return
    if not entries:
        if unfinished:
            say(f"{goes_on(unfinished)} Its tasks are listed once it is over: skillopt-sleep status")
        say("No tasks yet. To add one: skillopt-sleep tasks add --help")
        return
    for line in _list_lines(shown, short_ids(entries), now=utc_now()):
        say_hanging(line)
    total = counted(len(shown), "task")
    hidden = sum(entry.dropped is not None for entry in entries)
    if hidden and not dropped:
        total = f"{total}; {hidden} dropped: skillopt-sleep tasks list --dropped"
    say(total)
    say("learn: edits are written from it; decide: edits are tested with it; kept back: only reported.")


@app.command("show", epilog="Example: skillopt-sleep tasks show e633aacd")
def show(task: Id, *, as_json: AsJson = False) -> None:
    """Show one task as it will be asked, and how an answer is scored."""
    with opened_to_read() as store:
        entries = store.bank.entries()
        entry = find(entries, task)
        score = store.history.scores([entry.task.id]).get(entry.task.id)
    if as_json:
        say_json(as_data(entry) | {"score": score})
        return
    for line in _task_lines(entry):
        say(line)
    if score is not None:
        say(f"Its last attempts, with the instructions as they were then, scored {score:.2f}.")
    name = visible(short_ids(entries)[entry.task.id])
    say(f"\nwhere it comes from: skillopt-sleep why {name}")
    say(f"change it:           skillopt-sleep tasks edit {name}")


def _task_lines(entry: Banked) -> Iterator[str]:
    task = entry.task
    yield f"{visible(task.id)}  {USES[task.split] if task.split else 'no split yet'}{marks(entry)}"
    yield f"for {_project_name(task.project)}\n"
    if task.context:
        yield f"Said before it:\n{block(task.context)}"
    yield f"The request:\n{block(task.prompt)}"
    yield "A right answer:"
    for demand in scored_by(task.reference):
        yield block(demand)
    if task.setting.needs_repository:
        yield "No answer in words can show it: it needs the repository, and waits for a replay that has it."


def as_data(entry: Banked) -> dict[str, object]:
    """Return a task, and what a person did to it, as data."""
    return {
        **structs.asdict(entry.task),
        "night": entry.night,
        "edited": entry.edited,
        "dropped": entry.dropped,
        "pinned": entry.pinned,
    }


def marks(entry: Banked) -> str:
    """Return what a person did to a task, in brackets, "" for nothing."""
    flags = {
        "dropped": entry.dropped,
        "pinned": entry.pinned,
        "by hand": entry.edited,
        "not used yet": entry.waits,
    }
    names = [name for name, is_set in flags.items() if is_set]
    return f"  [{', '.join(names)}]" if names else ""


def _list_lines(entries: Sequence[Banked], short: Mapping[str, str], *, now: datetime) -> Iterator[str]:
    """Yield the tasks by project and recurring request."""
    by_project: defaultdict[str, list[Banked]] = defaultdict(list)
    for entry in entries:
        is_own = entry.task.wanted.holds.kind is PlaceKind.PERSON
        by_project["" if is_own else entry.task.project].append(entry)
    for folder, of_project in sorted(by_project.items()):
        yield _project_name(folder)
        for group in _recurring(of_project):
            yield from _group_lines(group, short, now=now)
        yield ""


def _project_name(folder: str) -> str:
    return home_path(folder) if folder else _EVERY_PROJECT


def _matches(entry: Banked, *, project: str, dropped: bool) -> bool:
    if bool(entry.dropped) != dropped:
        return False
    return not project or _is_in(entry.task, project)


def _is_in(task: Task, project: str) -> bool:
    """Return whether a task is of this project, given by folder or the folder's name."""
    if not task.project:
        return False
    folder = project_root(os.path.abspath(Path(project).expanduser()))  # noqa: PTH100 - links are kept
    return task.project == folder or Path(task.project).name == project


def _recurring(entries: Sequence[Banked]) -> list[list[Banked]]:
    """Group the tasks by recurring request, the most frequent first; a task without a lesson stays alone."""
    groups: defaultdict[str, list[Banked]] = defaultdict(list)
    for entry in entries:
        groups[entry.task.lesson or f"\0{entry.task.id}"].append(entry)
    return sorted(groups.values(), key=_rank)


def _rank(group: Sequence[Banked]) -> tuple[int, datetime]:
    sessions = {entry.task.session for entry in group}
    return -len(sessions), min(entry.task.at for entry in group)


def _group_lines(group: Sequence[Banked], short: Mapping[str, str], *, now: datetime) -> Iterator[str]:
    """Yield a recurring request: the first quote, how often and when it came up, and its tasks."""
    tasks = [entry.task for entry in group]
    quotes = [task.feedback.evidence[0].quote for task in tasks if task.feedback.evidence]
    if quotes:
        yield f"  «{one_line(quotes[0], limit=WIDTH - 4)}»"
    yield f"  {_frequency(tasks, now=now)}; {_splits(tasks)}"
    for entry in group:
        yield _line(entry, visible(short[entry.task.id]))


def _frequency(tasks: Sequence[Task], *, now: datetime) -> str:
    sessions = {task.session for task in tasks}
    times = sorted(task.at for task in tasks)
    last = ago(times[-1], now)
    if len(sessions) <= 1:
        return f"once, {last}"
    return f"{counted(len(sessions), 'session')}: first {ago(times[0], now)}, last {last}"


def _splits(tasks: Sequence[Task]) -> str:
    counts = Counter(task.split for task in tasks if task.split)
    return ", ".join(f"{SPLITS[split]} {counts[split]}" for split in Split if counts[split]) or "no split yet"


def _line(entry: Banked, name: str) -> str:
    task = entry.task
    kind = type(task.reference).__name__.lower()
    use = SPLITS[task.split] if task.split else "-"
    start, end = f"    {name:8}  {use:9}  {kind:6}  ", marks(entry)
    width = max(WIDTH - len(start) - len(end), 12)
    return f"{start}{one_line(task.prompt, limit=width)}{end}"


app.command("edit", epilog="Example: skillopt-sleep tasks edit e633aacd")(tasks_edit.edit)
app.command("drop", epilog="Example: skillopt-sleep tasks drop e633aacd")(tasks_edit.drop)
app.command("pin", epilog="Example: skillopt-sleep tasks pin e633aacd")(tasks_edit.pin)
app.command(
    "add",
    epilog='Example: skillopt-sleep tasks add --prompt "Write a commit message" --rubric "Names the ticket"',
)(tasks_edit.add)
app.command("export", epilog="Example: skillopt-sleep tasks export tasks.toml")(tasks_files.export)
app.command("import", epilog="Example: skillopt-sleep tasks import tasks.toml")(tasks_files.import_tasks)
