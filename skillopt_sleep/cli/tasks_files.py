"""The commands `tasks import` and `tasks export`: read and write tasks files."""

import os
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from skillopt_sleep.cli.console import say, warn
from skillopt_sleep.deciding.stored import opened
from skillopt_sleep.deciding.tasks import editable
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.files import worded, write_atomic
from skillopt_sleep.kit.markdown import one_line, visible
from skillopt_sleep.kit.words import counted
from skillopt_sleep.mining.tasks_file import problem_of, read_tasks, to_text
from skillopt_sleep.records import Task
from skillopt_sleep.stores.sqlite import SqliteStore


def import_tasks(file: Annotated[Path, typer.Argument(metavar="FILE", help="A tasks file, TOML or JSONL.")]) -> None:
    """Import a tasks file. Tasks with a known id are changed."""
    now = utc_now()
    tasks = read_file(file, written=now)
    with opened() as store:
        take_in(store, tasks, now=now)


def export(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="The file to write; by default the terminal.")
    ] = None,
) -> None:
    """Export the tasks in use as a tasks file."""
    if file and file.suffix != ".toml":
        raise ConfigError(f"{file}: an export is TOML", remedy="name a file that ends in .toml")
    if file and os.path.lexists(file):
        raise ConfigError(f"{file} already exists", remedy="name another file, or move it away")
    with opened() as store:
        tasks = store.bank.all_tasks()
    valid: list[Task] = []
    for task in tasks:
        problem = problem_of(task.reference)
        if problem:
            name = visible(task.id)
            warn(f"left out {name}: {visible(problem)}\n  → skillopt-sleep tasks edit {name}")
        else:
            valid.append(task)
    valid.sort(key=lambda task: (task.project, task.at, task.id))
    text = to_text(valid)
    if file is None:
        sys.stdout.write(text)
        return
    _write(file, text)
    say(f"Wrote {counted(len(valid), 'task')} to {file}")


def _write(file: Path, text: str) -> None:
    try:
        write_atomic(file, text.encode())
    except OSError as error:
        message, remedy = worded(error, remedy="name a file in an existing folder", place=file)
        raise ConfigError(message, remedy=remedy) from error


def read_file(
    path: Path, *, written: datetime, session: str | None = None, folder: Path | None = None, name: str = ""
) -> tuple[Task, ...]:
    """Return the tasks of a file that a person wrote; ConfigError says on one line what is wrong with it."""
    try:
        return read_tasks(path.absolute(), written=written, session=session, folder=folder, name=name)
    except OSError as error:
        raise ConfigError(
            f"{path} can't be read: {error.strerror or error}", remedy="name a file that exists"
        ) from error
    except ValueError as error:
        message = " ".join(str(error).split())
        raise ConfigError(f"{path}: {message}", remedy="fix it and try again; nothing was changed") from error


def take_in(store: SqliteStore, tasks: Sequence[Task], *, now: datetime) -> None:
    """Store a person's tasks: new ones are added, and known ones changed if they differ.

    A task whose time is `now` is one that didn't come with a time.
    """
    known = {entry.task.id: entry for entry in store.bank.entries()}
    added: list[Task] = []
    changed: list[Task] = []
    dropped: list[str] = []
    for task in tasks:
        entry = known.get(task.id)
        if entry is None:
            added.append(task)
            continue
        completed = _completed(task, entry.task, now=now)
        if editable(completed) != editable(entry.task):
            changed.append(completed)
        if entry.dropped:
            dropped.append(visible(task.id))
    store.bank.write((*added, *changed), at=utc_now())
    same = len(tasks) - len(added) - len(changed)
    say(f"{len(added)} added, {len(changed)} changed, {same} unchanged; the next night uses what is new")
    for task in (*added, *changed):
        say(f"  {visible(task.id)}  {one_line(task.prompt, limit=78 - len(task.id) - 2)}")
    if dropped:
        say(f"  still dropped: {', '.join(dropped)}; to restore one: skillopt-sleep tasks drop --undo ID")


def _completed(task: Task, known: Task, *, now: datetime) -> Task:
    """Return the task with the time and the split of the known one if it came without."""
    at = known.at if task.at == now else task.at
    return replace(task, at=at, split=task.split or known.split)
