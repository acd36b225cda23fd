"""Tasks that a person wrote or reviewed by hand: [[task]] tables of a TOML file, or the lines of a JSONL file.

An entry's id tells which banked task it is; of a change of the file and one by `tasks edit` the later holds.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, assert_never, cast

import msgspec
import regex

from skillopt_sleep.agents.transcripts.files import NO_STAMP, ignore
from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.redact import redact, secrets
from skillopt_sleep.kit.toml import to_tables
from skillopt_sleep.protocols import Unlisted
from skillopt_sleep.records import (
    BY_HAND,
    SHAPE_OPS,
    Check,
    Checks,
    Exact,
    Op,
    Reading,
    Record,
    Reference,
    Rubric,
    Split,
    Stamp,
    Task,
)

NAME = BY_HAND
LONGEST = 16 * 1024 * 1024

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

    def stamps(self, _unlisted: Unlisted = ignore, /) -> Iterator[tuple[str, Stamp]]:
        """Every named file; one that isn't there has an empty stamp, and is told of when it is read."""
        return ((str(path), _stamp_of(path)) for path in self._paths)

    def read(self, paths: Sequence[str]) -> Iterator[tuple[str, Stamp, Reading]]:
        """The tasks of each file; a file with one entry that can't be used is unreadable, and says which."""
        for path in paths:
            stamp = _stamp_of(Path(path))
            try:
                written = datetime.fromtimestamp(stamp.mtime_ns / 1e9, UTC)
                reading = Reading(tasks=read_tasks(_named(path), written=written))
            except OSError as error:
                reading = Reading(unreadable=f"{path}: {error.strerror or error}")
            except ValueError as error:
                reading = Reading(unreadable=f"{path}: {' '.join(str(error).split())}")
            yield path, stamp, reading


def _named(name: str) -> Path:
    path = Path(name)
    if not path.is_file():
        raise FileNotFoundError(2, "there is no such file; mend harvest.tasks_files")
    return path


def _stamp_of(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return NO_STAMP
    return Stamp(found.st_ino, found.st_size, found.st_mtime_ns)


def read_tasks(
    path: Path, *, written: datetime, session: str | None = None, folder: Path | None = None, name: str = ""
) -> tuple[Task, ...]:
    """The tasks of a file; ValueError names the entry and the key that can't be used.

    What an entry doesn't say: `name` is its id, `written` is when it is from; a relative project is one below
    `folder`, else below the file's. `session` stands for the file's path in the tasks' sessions.
    """
    origin = str(path) if session is None else session
    tasks: dict[str, Task] = {}
    for number, raw in enumerate(_entries(path), start=1):
        try:
            task = make_task(raw, session=origin, folder=folder or path.parent, written=written, name=name)
        except ValueError as error:
            raise ValueError(f"task {number}: {_plain(error)}") from error
        if task.id in tasks:
            raise ValueError(f"task {number}: the id '{task.id}' is taken by an earlier one")
        tasks[task.id] = task
    return tuple(tasks.values())


def make_task(raw: object, *, session: str, folder: Path, written: datetime, name: str = "") -> Task:
    """The task of one entry, redacted; ValueError names the key that can't be used."""
    entry = msgspec.convert(raw, Entry)
    if not entry.prompt.strip():
        raise ValueError("'prompt' is empty")
    at = entry.at or written
    key = hashlib.blake2b(f"{session}\0{entry.prompt}\0{entry.context}".encode(), digest_size=6).hexdigest()
    name = entry.id or name or f"tasks-{key}"
    if name != one_line(name) or secrets(name):
        raise ValueError("'id' is a short name on one line")
    return Task(
        id=name,
        prompt=redact(entry.prompt),
        context=redact(entry.context),
        reference=_usable(entry.reference),
        session=f"{NAME}:{session}#{name}",
        project=str((folder / Path(entry.project).expanduser()).absolute()) if entry.project else "",
        source=NAME,
        at=at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC),
        split=entry.split,
    )


def to_text(tasks: Sequence[Task]) -> str:
    """The text of a TOML file that holds these tasks, redacted; what is read of it is written the same again."""
    return to_tables("task", [_fields(task) for task in tasks])


def problem_of(reference: Reference) -> str:
    """Why an answer can't be scored by this, as a tasks file would be refused for it; empty where it can."""
    try:
        _usable(reference)
    except ValueError as error:
        return str(error)
    return ""


def _fields(task: Task) -> Mapping[str, object]:
    fields = {
        "id": task.id,
        "project": task.project,
        "at": task.at,
        "split": task.split,
        "context": redact(task.context),
        "prompt": redact(task.prompt),
        "reference": _said(task.reference),
    }
    return {key: value for key, value in fields.items() if value}


def _said(reference: Reference) -> Mapping[str, object]:
    match reference:
        case Exact():
            return {"kind": "exact", "answer": redact(reference.answer)}
        case Rubric():
            return {"kind": "rubric", "text": redact(reference.text)}
        case Checks():
            items = [
                {"op": check.op, "section": check.section, "arg": redact(check.arg)} for check in reference.items
            ]
            return {"kind": "checks", "items": [{key: said for key, said in item.items() if said} for item in items]}
        case _:
            assert_never(reference)


def _entries(path: Path) -> list[Any]:
    text = read_plain(path, most=LONGEST).decode()
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


def _usable(reference: Reference) -> Reference:
    """The reference, redacted; ValueError where no answer could be told right by it, or it holds a secret."""
    match reference:
        case Rubric():
            if not reference.text.strip():
                raise ValueError("the rubric's 'text' is empty")
            return Rubric(text=redact(reference.text))
        case Exact():
            if not reference.answer.strip():
                raise ValueError("the exact 'answer' is empty")
            _refuse_secret(reference.answer)
        case Checks():
            _refuse_weak(reference)
            for check in reference.items:
                _refuse_secret(f"{check.section}\n{check.arg}")
        case _:
            assert_never(reference)
    return reference


def _refuse_secret(text: str) -> None:
    """What an answer is compared with can't be redacted: it would never be found."""
    if kinds := secrets(text):
        raise ValueError(f"the reference holds a secret ({', '.join(kinds)}): ask for something else")


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
