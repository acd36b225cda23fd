"""Tasks that a person wrote or reviewed by hand: [[task]] tables of a TOML file, or the lines of a JSONL file."""

import hashlib
import re
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import msgspec
import regex

from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import (
    SHAPE_OPS,
    Check,
    Checks,
    Op,
    Reading,
    Record,
    Reference,
    Rubric,
    Split,
    Stamp,
    Task,
)
from skillopt_sleep.sources.files import NO_STAMP

NAME = "tasks_file"

_COUNTS = frozenset({Op.MAX_CHARS, Op.MIN_CHARS})
_NEED_NO_ARG = frozenset({Op.JSON_VALID, Op.NO_REFUSAL})


class Entry(Record, frozen=True, kw_only=True):
    """One task as it is written.

    `project` is the folder whose instructions it teaches, else it goes to the user's own skill; `split` keeps it on
    a side; `at` orders it among other occurrences of the same request, and is when the file was written if not given.
    """

    prompt: str
    reference: Reference
    project: str = ""
    context: str = ""
    id: str = ""
    at: datetime | None = None
    split: Split | None = None


class TasksFile:
    """The files a person named in harvest.tasks_files."""

    name = NAME

    def __init__(self, paths: tuple[Path, ...]) -> None:
        self._paths = paths

    def stamps(self) -> Iterator[tuple[str, Stamp]]:
        """Every named file; one that isn't there has an empty stamp, and is told of when it is read."""
        return ((str(path), _stamp_of(path)) for path in self._paths)

    def read(self, paths: Sequence[str]) -> Iterator[tuple[str, Stamp, Reading]]:
        """The tasks of each file; a file with one entry that can't be used is unreadable, and says which."""
        for path in paths:
            stamp = _stamp_of(Path(path))
            try:
                reading = Reading(tasks=_tasks(Path(path), datetime.fromtimestamp(stamp.mtime_ns / 1e9, UTC)))
            except OSError as error:
                reading = Reading(unreadable=f"{path}: {error.strerror or error}")
            except ValueError as error:
                reading = Reading(unreadable=f"{path}: {' '.join(str(error).split())}")
            yield path, stamp, reading


def _stamp_of(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return NO_STAMP
    return Stamp(found.st_ino, found.st_size, found.st_mtime_ns)


def _tasks(path: Path, written: datetime) -> tuple[Task, ...]:
    """The file's tasks; ValueError naming the entry and the key where one can't be used."""
    if not path.is_file():
        raise FileNotFoundError(2, "there is no such file; mend harvest.tasks_files")
    tasks: dict[str, Task] = {}
    for number, raw in enumerate(_entries(path), start=1):
        try:
            task = _task(path, msgspec.convert(raw, Entry), written)
        except ValueError as error:
            raise ValueError(f"task {number}: {_plain(error)}") from error
        if task.id in tasks:
            raise ValueError(f"task {number}: the id '{task.id}' is taken by an earlier one")
        tasks[task.id] = task
    return tuple(tasks.values())


def _entries(path: Path) -> list[Any]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".toml":
        found = tomllib.loads(text)
        for key in found.keys() - {"task"}:
            raise ValueError(f"unknown key '{key}': tasks are [[task]] tables")
        tables = found.get("task", [])
        if not isinstance(tables, list):
            raise ValueError("'task' is a list: write [[task]]")
        return cast("list[Any]", tables)
    entries: list[Any] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                entries.append(msgspec.json.decode(line))
            except msgspec.DecodeError as error:
                raise ValueError(f"line {number}: {error}") from error
    return entries


def _task(path: Path, entry: Entry, written: datetime) -> Task:
    if not entry.prompt.strip():
        raise ValueError("'prompt' is empty")
    reference = entry.reference
    if isinstance(reference, Checks):
        _refuse_weak(reference)
    elif isinstance(reference, Rubric):
        reference = Rubric(text=redact(reference.text))
    at = entry.at or written
    key = hashlib.blake2b("\0".join((str(path), entry.prompt, entry.context)).encode(), digest_size=6).hexdigest()
    name = entry.id or f"tasks-{key}"
    return Task(
        id=name,
        prompt=redact(entry.prompt),
        context=redact(entry.context),
        reference=reference,
        session=f"{NAME}:{path}#{name}",
        project=str((path.parent / Path(entry.project).expanduser()).absolute()) if entry.project else "",
        source=NAME,
        at=at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC),
        split=entry.split,
    )


def _refuse_weak(checks: Checks) -> None:
    """ValueError where the checks can't tell a good answer from a bad one, or can't be decided."""
    if all(check.op in SHAPE_OPS for check in checks.items):
        said = ", ".join(check.op for check in checks.items) or "none"
        raise ValueError(f"its checks ({said}) ask for nothing but a shape: add one that says what is wanted")
    for check in checks.items:
        if problem := _problem(check):
            raise ValueError(f"the check '{check.op}' {problem}")


def _problem(check: Check) -> str:
    if not check.arg and check.op not in _NEED_NO_ARG:
        return "needs an 'arg'"
    if check.op in _COUNTS and not check.arg.isdecimal():
        return f"needs a number, not '{check.arg}'"
    if check.op is Op.SECTION_CONTAINS and not check.section:
        return "needs a 'section'"
    if check.op is Op.REGEX:
        try:
            regex.compile(check.arg)
        except regex.error as error:
            return f"isn't a regular expression: {error}"
    return ""


def _plain(error: ValueError) -> str:
    """The words of the decoder, with the way to the key as a person would write it."""
    return re.sub(r" - at `\$\.?([^`]*)`", lambda way: f" (in '{way[1]}')" if way[1] else "", str(error))
