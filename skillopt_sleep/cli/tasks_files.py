"""skillopt-sleep tasks import, export: tasks as files, and how a file's tasks get into the bank."""

import os
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from skillopt_sleep.cli.console import say, warn
from skillopt_sleep.cli.stored import opened
from skillopt_sleep.cli.tasks_shown import counted
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.disk import worded
from skillopt_sleep.kit.markdown import one_line, visible
from skillopt_sleep.records import Task
from skillopt_sleep.stores.sqlite import SqliteStore


def import_tasks(file: Annotated[Path, typer.Argument(metavar="FILE", help="A tasks file: TOML, or JSONL.")]) -> None:
    """Take in a tasks file: what is new is added, what is known by its id is changed."""
    now = utc_now()
    tasks = read_file(file, written=now)
    with opened() as store:
        take_in(store, tasks, now=now)


def export(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Where to; printed where none is named.")
    ] = None,
) -> None:
    """Write the tasks that are in use as a tasks file, for a look, an import elsewhere or harvest.tasks_files."""
    from skillopt_sleep.kit.files import write_atomic
    from skillopt_sleep.mining.task_entries import problem_of
    from skillopt_sleep.mining.tasks_file import to_text

    if file and file.suffix != ".toml":
        raise ConfigError(f"{file}: an export is TOML", remedy="name a file that ends in .toml")
    if file and os.path.lexists(file):
        raise ConfigError(f"{file} is there already", remedy="name another file, or move it away")
    with opened() as store:
        tasks = store.bank.all_tasks()
    good = sorted((t for t in tasks if not problem_of(t.reference)), key=lambda t: (t.project, t.at, t.id))
    for task in tasks:
        if problem := problem_of(task.reference):
            warn(f"left out {visible(task.id)}: {visible(problem)}\n  → skillopt-sleep tasks edit {visible(task.id)}")
    text = to_text(good)
    if file is None:
        sys.stdout.write(text)
        return
    try:
        write_atomic(file, text.encode())
    except OSError as error:
        message, remedy = worded(error, remedy="name a file in a folder that is there", place=file)
        raise ConfigError(message, remedy=remedy) from error
    say(f"{counted(len(good), 'task')} written to {file}")


def read_file(
    path: Path, *, written: datetime, session: str | None = None, folder: Path | None = None, name: str = ""
) -> tuple[Task, ...]:
    """The tasks of a file a person wrote; ConfigError says on one line what is wrong with it."""
    from skillopt_sleep.mining.tasks_file import read_tasks

    try:
        return read_tasks(path.absolute(), written=written, session=session, folder=folder, name=name)
    except OSError as error:
        raise ConfigError(
            f"{path} can't be read: {error.strerror or error}", remedy="name a file that is there"
        ) from error
    except ValueError as error:
        raise ConfigError(f"{path}: {' '.join(str(error).split())}", remedy="mend it; nothing was changed") from error


def take_in(store: SqliteStore, tasks: Sequence[Task], *, now: datetime) -> None:
    """Bank a person's tasks: new ones are added, known ones changed where they differ.

    A task as of `now` is one whose time nobody said.
    """
    from msgspec.structs import replace

    known = {entry.task.id: entry for entry in store.bank.entries()}
    dated = (replace(t, at=known[t.id].task.at) if t.id in known and t.at == now else t for t in tasks)
    tasks = [replace(t, split=t.split or known[t.id].task.split) if t.id in known else t for t in dated]
    fresh = [task for task in tasks if task.id not in known]
    other = [task for task in tasks if task.id in known and said(known[task.id].task) != said(task)]
    store.bank.write((*fresh, *other), at=utc_now())
    same = len(tasks) - len(fresh) - len(other)
    say(f"{len(fresh)} added, {len(other)} changed, {same} as they were; the next night takes up what is new")
    for task in (*fresh, *other):
        say(f"  {visible(task.id)}  {one_line(task.prompt, limit=78 - len(task.id) - 2)}")
    dropped = [visible(task.id) for task in tasks if task.id in known and known[task.id].dropped]
    if dropped:
        say(f"  dropped, and stays so: {', '.join(dropped)}; take back: skillopt-sleep tasks drop --undo ID")


def said(task: Task) -> tuple[object, ...]:
    """What a person can change in a task."""
    return task.prompt, task.context, task.reference, task.project, task.split, task.at
