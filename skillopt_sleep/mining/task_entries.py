"""One task as a person writes it, and back."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import assert_never

import msgspec
import regex

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.redact import redact, secrets
from skillopt_sleep.records import (
    BY_HAND,
    SHAPE_OPS,
    Check,
    Checks,
    Command,
    Exact,
    Op,
    Record,
    Reference,
    Rubric,
    Split,
    Task,
)

_COUNTS = frozenset({Op.MAX_CHARS, Op.MIN_CHARS})
_NEED_NO_ARG = frozenset({Op.JSON_VALID, Op.NO_REFUSAL})


class Entry(Record, frozen=True, kw_only=True):
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
    entry = msgspec.convert(raw, Entry)
    if not entry.prompt.strip():
        raise ValueError("'prompt' is empty")
    key = hashlib.blake2b(f"{session}\0{entry.prompt}\0{entry.context}".encode(), digest_size=6).hexdigest()
    name = entry.id or name or f"tasks-{key}"
    if name != one_line(name) or secrets(name):
        raise ValueError("'id' must be a short name on one line")
    project = ""
    if entry.project:
        project = str((folder / Path(entry.project).expanduser()).absolute())
    return Task(
        id=name,
        prompt=redact(entry.prompt),
        context=redact(entry.context),
        reference=_usable(entry.reference),
        session=f"{BY_HAND}:{session}#{name}",
        project=project,
        source=BY_HAND,
        at=_in_utc(entry.at or written),
        split=entry.split,
    )


def fields_of(task: Task) -> Mapping[str, object]:
    """Return a task as a person writes it, redacted, without what is empty."""
    return _without_empty(
        {
            "id": task.id,
            "project": task.project,
            "at": task.at,
            "split": task.split,
            "context": redact(task.context),
            "prompt": redact(task.prompt),
            "reference": _reference_fields(task.reference),
        }
    )


def problem_of(reference: Reference) -> str:
    """Return why a tasks file with this reference would be refused, or "" if it wouldn't."""
    try:
        _usable(reference)
    except ValueError as error:
        return str(error)
    return ""


def _in_utc(at: datetime) -> datetime:
    if at.tzinfo is None:
        return at.replace(tzinfo=UTC)
    return at.astimezone(UTC)


def _reference_fields(reference: Reference) -> Mapping[str, object]:
    match reference:
        case Exact():
            return {"kind": "exact", "answer": redact(reference.answer)}
        case Rubric():
            return _without_empty(
                {"kind": "rubric", "text": redact(reference.text), "of_changes": reference.of_changes}
            )
        case Checks():
            return {"kind": "checks", "items": [_check_fields(check) for check in reference.items]}
        case Command():
            return _without_empty(
                {
                    "kind": "command",
                    "argv": list(reference.argv),
                    "folder": reference.folder,
                    "tests": list(reference.tests),
                }
            )
        case _:
            assert_never(reference)


def _check_fields(check: Check) -> Mapping[str, object]:
    return _without_empty({"op": check.op, "section": check.section, "arg": redact(check.arg)})


def _without_empty(fields: Mapping[str, object]) -> Mapping[str, object]:
    return {key: value for key, value in fields.items() if value}


def _usable(reference: Reference) -> Reference:
    """Return the reference, redacted; raise ValueError if it can score no answer or holds a secret."""
    match reference:
        case Rubric():
            if not reference.text.strip():
                raise ValueError("the rubric's 'text' is empty")
            return msgspec.structs.replace(reference, text=redact(reference.text))
        case Exact():
            if not reference.answer.strip():
                raise ValueError("the exact 'answer' is empty")
            _refuse_secret(reference.answer)
        case Checks():
            _refuse_weak(reference)
            for check in reference.items:
                _refuse_secret(f"{check.section}\n{check.arg}")
        case Command():
            if not reference.argv:
                raise ValueError("the command's 'argv' is empty")
            _refuse_secret("\n".join(reference.argv))
        case _:
            assert_never(reference)
    return reference


def _refuse_secret(text: str) -> None:
    """Raise ValueError if an answer would be compared with a secret: redacted, it would never be found."""
    kinds = secrets(text)
    if kinds:
        raise ValueError(f"the reference holds a secret ({', '.join(kinds)}): ask for something else")


def _refuse_weak(checks: Checks) -> None:
    """Raise ValueError if the checks can't be decided, or can't tell a good answer from a bad one."""
    if all(check.op in SHAPE_OPS for check in checks.items):
        ops = ", ".join(check.op for check in checks.items) or "none"
        raise ValueError(f"its checks ({ops}) ask for nothing but a shape: add one that says what is wanted")
    for check in checks.items:
        problem = _problem_of_check(check)
        if problem:
            raise ValueError(f"the check '{check.op}' {problem}")


def _problem_of_check(check: Check) -> str:
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
