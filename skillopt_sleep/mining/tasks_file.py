"""Read and write tasks by hand: [[task]] tables of a TOML file, or the lines of a JSONL file.

An entry's id tells which banked task it is. If both the file and `tasks edit` change a task, the later change counts.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import msgspec

from skillopt_sleep.agents.transcripts.files import NO_STAMP, ignore
from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.kit.toml import to_tables
from skillopt_sleep.protocols import Unlisted
from skillopt_sleep.records import BY_HAND, Hear, Reading, Stamp, Task

LONGEST = 16 * 1024 * 1024


class TasksFile:
    """The files that a person named in harvest.tasks_files."""

    name = BY_HAND

    def __init__(self, paths: tuple[Path, ...]) -> None:
        self._paths = paths

    def stamps(self, _unlisted: Unlisted = ignore, /) -> Iterator[tuple[str, Stamp]]:
        """Yield every named file; a missing one has an empty stamp and is reported when it is read."""
        for path in self._paths:
            yield str(path), _stamp_of(path)

    def read(self, paths: Sequence[str], _hear: Hear | None = None, /) -> Iterator[tuple[str, Stamp, Reading]]:
        """Yield the tasks of each file; a file with an entry that can't be used is unreadable and says which."""
        for path in paths:
            stamp = _stamp_of(Path(path))
            try:
                written = datetime.fromtimestamp(stamp.mtime_ns / 1e9, UTC)
                reading = Reading(tasks=read_tasks(_existing(path), written=written))
            except OSError as error:
                reading = Reading(unreadable=f"{path}: {error.strerror or error}")
            except ValueError as error:
                reading = Reading(unreadable=f"{path}: {' '.join(str(error).split())}")
            yield path, stamp, reading


def read_tasks(
    path: Path, *, written: datetime, session: str | None = None, folder: Path | None = None, name: str = ""
) -> tuple[Task, ...]:
    """Return the tasks of a file; raise ValueError with the entry and the key that can't be used.

    Entries without an id get `name`, those without a time `written`. A relative project is below `folder`, by default
    the file's. `session` replaces the file's path in the tasks' sessions.
    """
    from skillopt_sleep.mining.task_entries import make_task  # few have such files, and loading this takes long

    origin = str(path) if session is None else session
    tasks: dict[str, Task] = {}
    for number, raw in enumerate(_entries(path), start=1):
        try:
            task = make_task(raw, session=origin, folder=folder or path.parent, written=written, name=name)
        except ValueError as error:
            raise ValueError(f"task {number}: {_in_plain_words(error)}") from error
        if task.id in tasks:
            raise ValueError(f"task {number}: the id '{task.id}' is already used by an earlier task")
        tasks[task.id] = task
    return tuple(tasks.values())


def to_text(tasks: Sequence[Task]) -> str:
    """Return a TOML file of these tasks, redacted; a file that is read and written again stays the same."""
    from skillopt_sleep.mining.task_entries import fields_of

    return to_tables("task", [fields_of(task) for task in tasks])


def _existing(name: str) -> Path:
    path = Path(name)
    if not path.is_file():
        raise FileNotFoundError(2, "there is no such file; correct harvest.tasks_files")
    return path


def _stamp_of(path: Path) -> Stamp:
    try:
        status = path.stat()
    except OSError:
        return NO_STAMP
    return Stamp(status.st_ino, status.st_size, status.st_mtime_ns)


def _entries(path: Path) -> list[Any]:
    text = read_plain(path, most=LONGEST).decode()
    if path.suffix == ".toml":
        return _toml_entries(text)
    entries: list[Any] = []
    for number, line in enumerate(text.split("\n"), start=1):  # splitlines also breaks a text at U+2028
        if not line.strip():
            continue
        try:
            entries.append(msgspec.json.decode(line.strip()))
        except msgspec.DecodeError as error:
            raise ValueError(f"line {number}: {error}") from error
    return entries


def _toml_entries(text: str) -> list[Any]:
    content = tomllib.loads(text)
    for key in content.keys() - {"task"}:
        raise ValueError(f"unknown key '{key}': tasks are [[task]] tables")
    tables = content.get("task", [])
    if not isinstance(tables, list):
        raise ValueError("'task' must be a list: write [[task]]")  # noqa: TRY004 - the file's content is wrong
    return cast("list[Any]", tables)


def _in_plain_words(error: ValueError) -> str:
    """Return the decoder's message, with the path to the key as a person would write it."""
    return re.sub(r" - at `\$\.?([^`]*)`", _place, str(error))


def _place(path: re.Match[str]) -> str:
    return f" (in '{path[1]}')" if path[1] else ""
