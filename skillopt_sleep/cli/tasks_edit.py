"""The commands `tasks edit`, `add`, `drop` and `pin`: a person changes the tasks."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from skillopt_sleep.cli.console import say
from skillopt_sleep.cli.editor import in_editor
from skillopt_sleep.cli.tasks_files import read_file, take_in
from skillopt_sleep.deciding.stored import opened
from skillopt_sleep.deciding.tasks import find, mark, reworded, short_ids, write
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line, visible
from skillopt_sleep.kit.projects import named_project
from skillopt_sleep.kit.words import counted
from skillopt_sleep.mining.tasks_file import make_task, to_text
from skillopt_sleep.records import Split, Task
from skillopt_sleep.reporters.words import SPLITS, USES
from skillopt_sleep.stores.bank import Banked, TaskMark
from skillopt_sleep.stores.sqlite import SqliteStore


def side(text: str) -> Split:
    """Return the split of this name, ours or the field's; BadParameter if there is none."""
    for split, word in SPLITS.items():
        if text.lower() in {word, split.value}:
            return split
    raise typer.BadParameter(f"{text!r} is none of {', '.join(SPLITS.values())}")


Id = Annotated[str, typer.Argument(metavar="ID", help="A task's id, or its beginning.")]
Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="Task ids, or their beginnings.")]
Undo = Annotated[bool, typer.Option("--undo", help="Undo it.")]
Side = Annotated[
    Split | None,
    typer.Option(parser=side, metavar="SIDE", help="Use: learn (train), decide (val), kept back (test)."),
]
_EDIT = """\
# Save and close to keep your changes; close without saving to change nothing.
#
# reference says how an answer is scored, as one of
#   { kind = "checks", items = [{ op = "contains", arg = "…" }, { op = "not_contains", arg = "…" }] }
#       op: contains, not_contains, regex, section_contains (with section), tool_called;
#       and, next to one of these, max_chars, min_chars, json_valid, no_refusal
#   { kind = "exact", answer = "…" }
#   { kind = "rubric", text = "what a good answer does" }
# split is train, val or test. A task without a project is for your own skill.

"""


def edit(task: Id, *, split: Side = None) -> None:
    """Change a task in your editor, or only its use. Later nights keep your version."""
    with opened() as store:
        entries = store.bank.entries()
        entry = find(entries, task)
        if split:
            _write(store, entry, reworded(entry.task, prompt=None, context=None, split=split), entries)
            return
        name = re.sub(r"[^\w.-]", "_", entry.task.id)
        with in_editor(f"{name}.toml", _EDIT + to_text((entry.task,))) as draft:
            written = _only_task(draft, entry.task) if draft else entry.task
            _write(store, entry, written, entries)


def add(
    *,
    prompt: Annotated[str, typer.Option(help="The request.")],
    rubric: Annotated[str, typer.Option(help="What a good answer does; the judge model decides.")],
    project: Annotated[str, typer.Option(help="The folder of its project; by default it is for every project.")] = "",
) -> None:
    """Add a task of your own. The next night uses it."""
    now = utc_now()
    reference = {"kind": "rubric", "text": rubric}
    fields: dict[str, object] = {
        "prompt": prompt,
        "project": named_project(project) if project else "",
        "reference": reference,
    }
    try:
        task = make_task(fields, session="", folder=Path(), written=now)
    except ValueError as error:
        raise ConfigError(str(error), remedy="change it and try again; nothing was added") from error
    with opened() as store:
        for entry in store.bank.entries():
            if entry.task.id == task.id:
                _refuse_another(entry.task, task)
        take_in(store, (task,), now=now)


def _refuse_another(known: Task, task: Task) -> None:
    """Raise ConfigError if the known task has the same request with another reference or project."""
    difference = ""
    if known.reference != task.reference:
        difference = "with another reference"
    elif known.project != task.project:
        difference = "for another project"
    if difference:
        raise ConfigError(
            f"{known.id} has the same request {difference}",
            remedy=f"change it: skillopt-sleep tasks edit {known.id}",
        )


def drop(tasks: Ids, *, undo: Undo = False) -> None:
    """Stop using tasks, even if nights find them again."""
    for name, shown, before in _mark(tasks, TaskMark.DROPPED, undo=undo):
        if undo:
            say(f"Restored {shown}")
        else:
            say(f"Dropped {shown}{', which was pinned' if before.pinned else ''}")
            say(f"  undo: skillopt-sleep tasks drop --undo {name}")


def pin(tasks: Ids, *, undo: Undo = False) -> None:
    """Use tasks in every night of their project."""
    for name, shown, before in _mark(tasks, TaskMark.PINNED, undo=undo):
        if undo:
            say(f"Unpinned {shown}")
        else:
            say(f"Pinned {shown}{', which was dropped' if before.dropped else ''}")
            say(f"  undo: skillopt-sleep tasks pin --undo {name}")


def _only_task(path: Path, known: Task) -> Task:
    """Return the one task in a file, a new version of the known one; project and time default to the known ones.

    Raises ConfigError if the file holds another number of tasks, or another id.
    """
    tasks = read_file(path, written=known.at, folder=Path.cwd(), name=known.id)
    if len(tasks) != 1:
        raise ConfigError(
            f"{path} has {counted(len(tasks), 'task')}, not 1", remedy="leave only the one you are editing"
        )
    written = tasks[0]
    if written.id != known.id:
        raise ConfigError(f"{path}: the id '{written.id}' is not {known.id}", remedy="leave the id as it was")
    return replace(written, project=written.project or known.project, split=written.split or known.split)


def _write(store: SqliteStore, entry: Banked, written: Task, entries: Sequence[Banked]) -> None:
    """Store a person's version of a task, and print what that means."""
    edited, name = write(store, entry, written, among=entries), visible(entry.task.id)
    if not edited.is_changed:
        say(f"{name} was not changed")
        return
    say(f"Edited {name}; later nights keep your version")
    if edited.changed_side and edited.known.split is not None:
        moved = ", ".join(map(visible, edited.moved))
        others = f", and the rest of its session with it: {moved}" if moved else ""
        say(f"  it was {USES[edited.known.split]} and is now {_use(written)}{others}")
        if edited.known.split is Split.TRAIN:
            say("  nights have learned from it, so it is an easier test than a new task")
    if entry.dropped:
        say(f"  it is dropped, so it isn't used; restore it: skillopt-sleep tasks drop --undo {name}")


def _use(task: Task) -> str:
    return USES[task.split] if task.split else "without a split"


def _mark(names: Sequence[str], wanted: TaskMark, *, undo: bool) -> Iterator[tuple[str, str, Banked]]:
    """Set or remove a mark on all of these tasks or none; yield each with its short id, a line and how it was."""
    with opened() as store:
        marked = mark(store, names, wanted, undo=undo)
        short = short_ids(store.bank.entries())
    for before in marked:
        task = before.task
        yield visible(short[task.id]), f"{visible(task.id)}  {one_line(task.prompt, limit=50)}", before
