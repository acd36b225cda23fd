"""skillopt-sleep tasks edit, add, drop, pin: what a person makes of the tasks."""

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from skillopt_sleep.cli.console import say
from skillopt_sleep.cli.stored import opened
from skillopt_sleep.cli.tasks_files import read_file, said, take_in
from skillopt_sleep.cli.tasks_shown import counted, find, short_ids
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line, visible
from skillopt_sleep.records import Split, Task
from skillopt_sleep.stores.bank import Banked, Mark
from skillopt_sleep.stores.sqlite import SqliteStore

Id = Annotated[str, typer.Argument(metavar="ID", help="A task's id, or its beginning.")]
Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="Tasks by their ids, or the beginnings of them.")]
Undo = Annotated[bool, typer.Option("--undo", help="Take it back.")]
Prompt = Annotated[str | None, typer.Option(help="The request.")]
Context = Annotated[str | None, typer.Option(help="What was said before it.")]
Side = Annotated[Split | None, typer.Option(help="The side it is on.")]
Many = Annotated[list[str] | None, typer.Option(help="A check of the answer; can be given several times.")]


def edit(
    task: Id,
    *,
    prompt: Prompt = None,
    context: Context = None,
    split: Side = None,
    file: Annotated[Path | None, typer.Option("--from", help="A tasks file with this one as it shall be.")] = None,
) -> None:
    """Change a task, in your editor unless an option says how; later nights keep your version."""
    from skillopt_sleep.cli.tasks_editor import edited

    flags = (prompt, context, split)
    if file and flags != (None, None, None):
        raise ConfigError("--from FILE says all of the task", remedy="leave out the other options")
    if prompt is not None and not prompt.strip():
        raise ConfigError("--prompt is empty", remedy="say what is asked, or drop it: skillopt-sleep tasks drop ID")
    with opened() as store:
        entries = store.bank.entries()
        entry = find(entries, task)
        if file:
            _keep_edit(store, entry, _only(file, entry.task), entries)
        elif flags != (None, None, None):
            _keep_edit(store, entry, _changed(entry.task, prompt, context, split), entries)
        else:
            with edited(entry.task) as draft:
                _keep_edit(store, entry, _only(draft, entry.task) if draft else entry.task, entries)


def _changed(task: Task, prompt: str | None, context: str | None, split: Split | None) -> Task:
    from msgspec.structs import replace

    from skillopt_sleep.kit.redact import redact

    return replace(
        task,
        prompt=task.prompt if prompt is None else redact(prompt),
        context=task.context if context is None else redact(context),
        split=split or task.split,
    )


def add(
    *,
    prompt: Prompt = None,
    context: Context = None,
    project: Annotated[str, typer.Option(help="Whose instructions it teaches: a folder; else your own skill.")] = "",
    split: Side = None,
    contains: Many = None,
    not_contains: Many = None,
    regex: Many = None,
    answer: Annotated[str | None, typer.Option(help="The exact answer.")] = None,
    rubric: Annotated[str | None, typer.Option(help="What a good answer does, in words; the model judges.")] = None,
) -> None:
    """Add a task of your own, by options or in your editor; the next night takes it up."""
    from skillopt_sleep.cli.tasks_editor import added
    from skillopt_sleep.mining.task_entries import make_task

    checks = [
        {"op": op, "arg": arg}
        for op, args in (("contains", contains), ("not_contains", not_contains), ("regex", regex))
        for arg in args or ()
    ]
    references: list[dict[str, object]] = [
        *([{"kind": "checks", "items": checks}] if checks else []),
        *([{"kind": "exact", "answer": answer}] if answer is not None else []),
        *([{"kind": "rubric", "text": rubric}] if rubric is not None else []),
    ]
    folder = os.path.abspath(Path(project).expanduser()) if project else ""  # noqa: PTH100 - links are kept, `..` isn't
    if folder and not Path(folder).is_dir():
        raise ConfigError(f"--project {project}: no such folder", remedy="name a project's folder")
    now = utc_now()
    if prompt is None and not references:
        with added(folder) as draft, opened() as store:
            if draft is None:
                say("nothing was added")
            else:
                _add(store, read_file(draft, session="", folder=Path.cwd(), written=now), now=now)
        return
    if prompt is None or len(references) != 1:
        raise ConfigError(
            "a task is a request and one way to score its answer",
            remedy="--prompt TEXT with --contains, --not-contains, --regex, or with --answer, or with --rubric",
        )
    raw = {"prompt": prompt, "context": context or "", "project": folder, "split": split, "reference": references[0]}
    try:
        task = make_task(raw, session="", folder=Path(), written=now)
    except ValueError as error:
        raise ConfigError(str(error), remedy="nothing was added; say it otherwise") from error
    with opened() as store:
        _add(store, (task,), now=now)


def _add(store: SqliteStore, tasks: Sequence[Task], *, now: datetime) -> None:
    """Bank new tasks; ConfigError where one in the same words is there and asks for something else."""
    known = {entry.task.id: entry.task for entry in store.bank.entries()}
    for task in tasks:
        there = known.get(task.id, task)
        if (there.reference, there.project) != (task.reference, task.project):
            what = "with another reference" if there.reference != task.reference else "of another project"
            raise ConfigError(
                f"{there.id} asks this already, {what}", remedy=f"change it: skillopt-sleep tasks edit {there.id}"
            )
    take_in(store, tasks, now=now)


def drop(tasks: Ids, *, undo: Undo = False) -> None:
    """Never use these tasks again; they don't come back when they are found again."""
    for name, shown in _mark(tasks, Mark.DROPPED, undo=undo):
        say(f"{'back' if undo else 'dropped'}: {shown}")
        if not undo:
            say(f"  take it back: skillopt-sleep tasks drop --undo {name}")


def pin(tasks: Ids, *, undo: Undo = False) -> None:
    """Make these tasks part of every night of their project."""
    for name, shown in _mark(tasks, Mark.PINNED, undo=undo):
        say(f"{'no longer pinned' if undo else 'pinned'}: {shown}")
        if not undo:
            say(f"  take it back: skillopt-sleep tasks pin --undo {name}")


def _only(path: Path, known: Task) -> Task:
    """The one task a file holds, which is the known one; what it doesn't say of project and time stays."""
    from msgspec.structs import replace

    tasks = read_file(path, written=known.at, folder=Path.cwd(), name=known.id)
    if len(tasks) != 1:
        raise ConfigError(f"{path} holds {counted(len(tasks), 'task')}, not one", remedy="leave the one you edit")
    (written,) = tasks
    if written.id != known.id:
        raise ConfigError(f"{path}: the id '{written.id}' isn't {known.id}", remedy="leave the id as it was")
    return replace(written, project=written.project or known.project, split=written.split or known.split)


def _keep_edit(store: SqliteStore, entry: Banked, written: Task, entries: Sequence[Banked]) -> None:
    """Bank what a person made of a task, and say what that means."""
    known = entry.task
    twin = next(
        (
            o.task.id
            for o in entries
            if o is not entry and (o.task.session, o.task.prompt) == (known.session, written.prompt)
        ),
        "",
    )
    if twin:
        raise ConfigError(f"{twin} asks this already, in the same session", remedy=f"drop one: tasks drop {twin}")
    if said(known) == said(written):
        say(f"{visible(known.id)} is as it was: nothing was changed")
        return
    moved = store.bank.write((written,), at=utc_now())
    say(f"edited {visible(known.id)}: later nights keep your version")
    if written.split is not known.split and known.split is not None:
        say(f"  it moved from {known.split} to {written.split}{_why_moved(moved)}")
        if known.split is Split.TRAIN:
            say("  what was learned from it makes it an easier test than a new one")
    if entry.dropped:
        say(f"  it is dropped, so it isn't used: skillopt-sleep tasks drop --undo {visible(known.id)}")


def _why_moved(moved: Sequence[str]) -> str:
    return f", and the rest of its session with it: {', '.join(map(visible, moved))}" if moved else ""


def _mark(names: Sequence[str], mark: Mark, *, undo: bool) -> list[tuple[str, str]]:
    """Put the mark on these tasks or take it off, all or none; the short id and a line of each."""
    with opened() as store:
        entries = store.bank.entries()
        found = [find(entries, name).task for name in names]
        store.bank.mark([task.id for task in found], mark, at=None if undo else utc_now())
    short = short_ids(entries)
    return [(visible(short[task.id]), f"{visible(task.id)}  {one_line(task.prompt, limit=50)}") for task in found]
