"""Find tasks by name, and describe how their answers are scored."""

import shlex
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import assert_never

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Check, Checks, Command, Exact, Op, Reference, Rubric
from skillopt_sleep.stores.bank import Banked

_SHORTEST = 8
_WORDS = {
    Op.CONTAINS: "contains «{check.arg}»",
    Op.NOT_CONTAINS: "doesn't contain the word «{check.arg}»",
    Op.REGEX: "matches the pattern «{check.arg}»",
    Op.SECTION_CONTAINS: "contains «{check.arg}» in its section «{check.section}»",
    Op.MAX_CHARS: "has at most {check.arg} characters",
    Op.MIN_CHARS: "has at least {check.arg} characters",
    Op.JSON_VALID: "is valid JSON",
    Op.TOOL_CALLED: "calls the tool «{check.arg}»",
    Op.COMMAND_RUN: "runs `{check.arg}`",
    Op.COMMAND_NOT_RUN: "doesn't run `{check.arg}`",
    Op.FILE_CHANGED: "changes {check.arg}",
    Op.FILE_UNTOUCHED: "leaves {check.arg} as it is",
    Op.NO_REFUSAL: "doesn't refuse",
}


def find(entries: Sequence[Banked], name: str) -> Banked:
    """Return the task with this id, or the only one whose id starts so; ConfigError if there are none or several."""
    matches: list[Banked] = []
    for entry in entries:
        if entry.task.id == name:
            return entry
        if name and entry.task.id.startswith(name):
            matches.append(entry)
    if not matches:
        raise ConfigError(f"there is no task {name!r}", remedy="see: skillopt-sleep tasks list")
    if len(matches) > 1:
        ids = ", ".join(entry.task.id for entry in matches[:4])
        raise ConfigError(f"{len(matches)} task ids start with {name!r}", remedy=f"type more of the id: {ids}")
    return matches[0]


def short_ids(entries: Iterable[Banked]) -> dict[str, str]:
    """Return the shortest beginning of each id that is unique."""
    ids = sorted({entry.task.id for entry in entries})
    lengths = dict.fromkeys(ids, _SHORTEST)
    for previous, following in pairwise(ids):
        needed = _common(previous, following) + 1
        lengths[previous] = max(lengths[previous], needed)
        lengths[following] = max(lengths[following], needed)
    return {name: name[: lengths[name]] for name in ids}


def _common(first: str, second: str) -> int:
    """Return how many characters two ids have in common at their beginning."""
    for length, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return length
    return min(len(first), len(second))


def scored_by(reference: Reference) -> tuple[str, ...]:
    """Return what an answer must do, one line per demand; each completes "A right answer …"."""
    match reference:
        case Exact():
            return (f"is exactly «{reference.answer}», ignoring case and surrounding white space",)
        case Checks():
            return tuple(map(_check_words, reference.items))
        case Rubric(of_changes=True):
            return (f"leaves changes in the files of which the judge agrees: {reference.text}",)
        case Rubric():
            return (f"is one of which the judge agrees: {reference.text}",)
        case Command():
            return (f"leaves the repository so that `{shlex.join(reference.argv)}` succeeds",)
        case _:
            assert_never(reference)


def _check_words(check: Check) -> str:
    return _WORDS[check.op].format(check=check)
