"""Read and write tasks by hand: [[task]] tables of a TOML file, or the lines of a JSONL file.

An entry's id tells which banked task it is. If both the file and `tasks edit` change a task, the later change counts.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, assert_never, cast

import msgspec

from skillopt_sleep.agents.transcripts.files import ignore, stamp_of
from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.redact import redact, secrets
from skillopt_sleep.kit.toml import to_tables
from skillopt_sleep.protocols.work import Unlisted
from skillopt_sleep.records import (
    BY_HAND,
    SHAPE_OPS,
    Check,
    Checks,
    Command,
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

LONGEST = 16 * 1024 * 1024

_COUNTS = frozenset({Op.MAX_CHARS, Op.MIN_CHARS})
_NEED_NO_ARG = frozenset({Op.JSON_VALID, Op.NO_REFUSAL})


class TasksFile:
    """The files that a person named in harvest.tasks_files."""

    name = BY_HAND

    def __init__(self, paths: tuple[Path, ...]) -> None:
        self._paths = paths

    def stamps(self, _unlisted: Unlisted = ignore, /) -> Iterator[tuple[str, Stamp]]:
        """Yield every named file; a missing one has an empty stamp and is reported when it is read."""
        for path in self._paths:
            yield str(path), stamp_of(os.path.realpath(path))

    def read(self, paths: Sequence[str], /) -> Iterator[tuple[str, Stamp, Reading]]:
        """Yield the tasks of each file; a file with an entry that can't be used is unreadable and says which."""
        for path in paths:
            stamp = stamp_of(os.path.realpath(path))
            try:
                written = datetime.fromtimestamp(stamp.mtime_ns / 1e9, UTC)
                reading = Reading(tasks=read_tasks(Path(path), written=written))
            except FileNotFoundError:
                reading = Reading(unreadable=f"{path}: there is no such file; correct harvest.tasks_files")
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
    return to_tables("task", [fields_of(task) for task in tasks])


class _Tables(Record, frozen=True, kw_only=True):
    """A TOML file of tasks."""

    task: tuple[Any, ...] = ()


class TaskEntry(Record, frozen=True, kw_only=True):
    """One task as it is written.

    `project` is the folder whose instructions it teaches; without one it teaches the user's own skill. `split` keeps
    the task on a side. `at` orders it among other occurrences of the same request, by default when it was written.
    """

    prompt: str
    reference: Reference
    project: str = ""
    context: str = ""
    id: str = ""
    at: datetime | None = None
    split: Split | None = None


def make_task(raw: object, *, session: str, folder: Path, written: datetime, name: str = "") -> Task:
    """Return the task of one entry, redacted; raise ValueError with the name of a key that can't be used.

    `session` says where the entry is from. `name` and `written` are its id and its time unless it has its own; a
    relative project is below `folder`.
    """
    entry = msgspec.convert(raw, TaskEntry)
    if not entry.prompt.strip():
        raise ValueError("'prompt' is empty")
    key = hashlib.blake2b(f"{session}\0{entry.prompt}\0{entry.context}".encode(), digest_size=6).hexdigest()
    name = entry.id or name or f"tasks-{key}"
    if name != one_line(name) or secrets(name):
        raise ValueError("'id' must be a short name on one line")
    project = ""
    if entry.project:
        project = str((folder / Path(entry.project).expanduser()).absolute())
    if problem := problem_of(entry.reference):
        raise ValueError(problem)
    reference = entry.reference
    if isinstance(reference, Rubric):
        reference = msgspec.structs.replace(reference, text=redact(reference.text))
    at = entry.at or written
    return Task(
        id=name,
        prompt=redact(entry.prompt),
        context=redact(entry.context),
        reference=reference,
        session=f"{BY_HAND}:{session}#{name}",
        project=project,
        source=BY_HAND,
        at=at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC),
        split=entry.split,
    )


def fields_of(task: Task) -> dict[str, Any]:
    """Return a task as a person writes it, redacted, without what is empty."""
    fields = {"id": task.id, "project": task.project, "at": task.at, "split": task.split}
    words = {"context": task.context, "prompt": task.prompt, "reference": msgspec.to_builtins(task.reference)}
    return {key: value for key, value in (fields | _redacted(words)).items() if value}


def _redacted(value: Any) -> Any:
    """Return a value with its texts redacted, and without what is empty in its tables."""
    match value:
        case dict():
            fields = {key: _redacted(field) for key, field in cast("dict[str, Any]", value).items()}
            return {key: field for key, field in fields.items() if field}
        case list() | tuple():
            return [_redacted(item) for item in cast("Sequence[Any]", value)]
        case str():
            return redact(value)
        case _:
            return value


def problem_of(reference: Reference) -> str:
    """Return why a tasks file with this reference is refused, or "" if it isn't.

    One that can score no answer is, and one with a secret: redacted, the secret would never be found in an answer.
    """
    match reference:
        case Rubric():
            return "" if reference.text.strip() else "the rubric's 'text' is empty"
        case Exact():
            problem, held = "" if reference.answer.strip() else "the exact 'answer' is empty", reference.answer
        case Checks():
            problem = _problem_of_checks(reference)
            held = "\n".join(f"{check.section}\n{check.arg}" for check in reference.items)
        case Command():
            problem, held = "" if reference.argv else "the command's 'argv' is empty", "\n".join(reference.argv)
        case _:
            assert_never(reference)
    kinds = secrets(held)
    if kinds and not problem:
        return f"the reference holds a secret ({', '.join(kinds)}): ask for something else"
    return problem


def _problem_of_checks(checks: Checks) -> str:
    """Return why the checks can't be decided, or can't tell a good answer from a bad one."""
    if all(check.op in SHAPE_OPS for check in checks.items):
        ops = ", ".join(check.op for check in checks.items) or "none"
        return f"its checks ({ops}) ask for nothing but a shape: add one that says what is wanted"
    problems = ((check, _problem_of_check(check)) for check in checks.items)
    return next((f"the check '{check.op}' {problem}" for check, problem in problems if problem), "")


def _problem_of_check(check: Check) -> str:
    if not check.arg and check.op not in _NEED_NO_ARG:
        return "needs an 'arg'"
    if check.op in _COUNTS and not check.arg.isdecimal():
        return f"needs a number, not '{check.arg}'"
    if check.op is Op.SECTION_CONTAINS and not check.section:
        return "needs a 'section'"
    if check.op is Op.REGEX:
        import regex  # slow to load, and few tasks have one

        try:
            regex.compile(check.arg)
        except regex.error as error:
            return f"isn't a regular expression: {error}"
    return ""


def _entries(path: Path) -> Sequence[Any]:
    text = read_plain(path, most=LONGEST)
    if path.suffix == ".toml":
        return msgspec.toml.decode(text, type=_Tables).task
    return msgspec.json.Decoder().decode_lines(text)


def _in_plain_words(error: ValueError) -> str:
    """Return the decoder's message, with the path to the key as a person would write it."""
    named = re.sub(r" - at `\$\.?([^`]+)`", r" (in '\1')", str(error))
    return named.removesuffix(" - at `$`")
