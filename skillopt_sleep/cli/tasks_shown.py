"""How a task is named, found and told on 80 columns."""

import textwrap
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import assert_never

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.markdown import spelled, visible
from skillopt_sleep.records import Check, Checks, Exact, Op, Reference, Rubric
from skillopt_sleep.stores.bank import Banked

WIDTH = 80
_SHORTEST = 8
_UNITS = (
    ("minute", timedelta(minutes=1), timedelta(hours=1)),
    ("hour", timedelta(hours=1), timedelta(days=1)),
    ("day", timedelta(days=1), timedelta(days=21)),
    ("week", timedelta(days=7), timedelta(days=63)),
    ("month", timedelta(days=30), timedelta(days=730)),
    ("year", timedelta(days=365), timedelta.max),
)


def find(entries: Sequence[Banked], name: str) -> Banked:
    """The task of this id, or the only one whose id begins so; ConfigError where there is none or several."""
    exact = [entry for entry in entries if entry.task.id == name]
    found = exact or [entry for entry in entries if name and entry.task.id.startswith(name)]
    if not found:
        raise ConfigError(f"there is no task {name!r}", remedy="see: skillopt-sleep tasks list")
    if len(found) > 1:
        some = ", ".join(entry.task.id for entry in found[:4])
        raise ConfigError(f"{len(found)} tasks begin with {name!r}", remedy=f"write more of the id: {some}")
    return found[0]


def short_ids(entries: Iterable[Banked]) -> dict[str, str]:
    """The beginning of each id that is enough to name it."""
    ids = sorted({entry.task.id for entry in entries})
    least = dict.fromkeys(ids, _SHORTEST)
    for one, following in pairwise(ids):
        same = next((at for at, (a, b) in enumerate(zip(one, following, strict=False)) if a != b), len(one))
        least[one], least[following] = max(least[one], same + 1), max(least[following], same + 1)
    return {name: name[: least[name]] for name in ids}


def ago(when: datetime, now: datetime) -> str:
    """How long ago in words."""
    past = now - when
    for name, length, most in _UNITS:
        if past < most:
            count = past // length
            return f"{counted(count, name)} ago" if count > 0 else "just now"
    raise AssertionError(past)


def counted(count: int, name: str) -> str:
    """A number with its noun."""
    return f"{count} {name}{'' if count == 1 else 's'}"


def home_path(path: str) -> str:
    """A folder as a person writes it, its beginning left out where it is too long for a line."""
    home = str(Path.home())
    shown = spelled(f"~{path[len(home) :]}" if path == home or path.startswith(f"{home}/") else path)
    return shown if len(shown) <= WIDTH - 2 else f"…{shown[-(WIDTH - 3) :]}"


def block(text: str, *, indent: str = "    ") -> str:
    """The text below a heading, its own lines kept and long ones wrapped."""
    lines = [
        part
        for line in visible(text).expandtabs(4).splitlines()
        for part in textwrap.wrap(line, WIDTH - len(indent), replace_whitespace=False, drop_whitespace=False) or [""]
    ]
    return "\n".join(f"{indent}{line}".rstrip() for line in lines)


def scored_by(reference: Reference) -> tuple[str, ...]:
    """What an answer must do, a line for each demand."""
    match reference:
        case Exact():
            return (f"it is exactly «{reference.answer}», up to case and outer white space",)
        case Checks():
            return tuple(_demand(check) for check in reference.items)
        case Rubric():
            return (f"the judge's model finds that it meets: {reference.text}",)
        case _:
            assert_never(reference)


def _demand(check: Check) -> str:
    match check.op:
        case Op.CONTAINS:
            return f"it has «{check.arg}»"
        case Op.NOT_CONTAINS:
            return f"it doesn't have the word «{check.arg}»"
        case Op.REGEX:
            return f"it matches the pattern «{check.arg}»"
        case Op.SECTION_CONTAINS:
            return f"its section «{check.section}» has «{check.arg}»"
        case Op.MAX_CHARS:
            return f"it has at most {check.arg} characters"
        case Op.MIN_CHARS:
            return f"it has at least {check.arg} characters"
        case Op.JSON_VALID:
            return "it is valid JSON"
        case Op.TOOL_CALLED:
            return f"it calls the tool «{check.arg}»"
        case Op.NO_REFUSAL:
            return "it doesn't refuse"
        case _:
            assert_never(check.op)
