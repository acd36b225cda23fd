"""Decider: what the attempts of a trial were judged by, for a reader who wants to know how far to trust a verdict."""

from collections.abc import Iterable
from enum import StrEnum

from msgspec.structs import replace

from skillopt_sleep.records.record import Record
from skillopt_sleep.records.tasks import ACTING_OPS, Checks, Command, Exact, Op, Reference, Rubric

MOST_NAMED = 3


class Trust(StrEnum):
    """The kinds of judges, from the one that can be trusted most.

    They are a command of the project's own, what the agent did, checks of its answer in code, the one right answer,
    and a demand in words that a model graded: on what was changed in the files, or on the answer.
    """

    COMMAND = "command"
    ACTS = "acts"
    CHECKS = "checks"
    EXACT = "exact"
    CHANGES = "changes"
    RUBRIC = "rubric"


class Decider(Record, frozen=True, kw_only=True):
    """One judge of a trial, and of how many of its tasks.

    `what` is the command, or the command or file that `op` looks for in what the agent did; "" for the other kinds.
    """

    by: Trust
    what: str = ""
    op: Op | None = None
    tasks: int = 1

    @property
    def in_words(self) -> str:
        """Say what it is."""
        if self.by is Trust.COMMAND:
            return f"the project's own command `{self.what}`"
        if self.op is not None:
            return f"what the agent did ({_DID[self.op].format(what=f'`{self.what}`')})"
        return _WORDS[self.by]


_WORDS = {
    Trust.ACTS: "what the agent did",
    Trust.CHECKS: "checks in code",
    Trust.EXACT: "the one right answer",
    Trust.CHANGES: "the judge, who saw the changes as a diff",
    Trust.RUBRIC: "the judge",
}
_DID = {
    Op.TOOL_CALLED: "whether it used {what}",
    Op.COMMAND_RUN: "whether it ran {what}",
    Op.COMMAND_NOT_RUN: "whether it left {what} undone",
    Op.FILE_CHANGED: "whether it changed {what}",
    Op.FILE_UNTOUCHED: "whether it left {what} alone",
}


def deciders(references: Iterable[Reference]) -> tuple[Decider, ...]:
    """Return what tasks with these references are judged by, most trusted first, each once with its count."""
    return added_up(one for reference in references for one in _of(reference))


def added_up(judges: Iterable[Decider]) -> tuple[Decider, ...]:
    """Return these judges, most trusted first, each once with all of its tasks."""
    found: dict[tuple[Trust, str, Op | None], Decider] = {}
    for one in judges:
        key = (one.by, one.what, one.op)
        known = found.get(key)
        found[key] = replace(known, tasks=known.tasks + one.tasks) if known else one
    order = list(Trust)
    return tuple(sorted(found.values(), key=lambda one: (order.index(one.by), -one.tasks)))


def decided_by(found: Iterable[Decider]) -> str:
    """Say what decided, the first few by name; "" if that isn't known."""
    said = [one.in_words for one in found]
    if len(said) > MOST_NAMED:
        said = [*said[:MOST_NAMED], f"{len(said) - MOST_NAMED} more"]
    return " and ".join(said)


def _of(reference: Reference) -> tuple[Decider, ...]:
    match reference:
        case Command():
            where = f" (in {reference.folder})" if reference.folder else ""
            return (Decider(by=Trust.COMMAND, what=f"{' '.join(reference.argv)}{where}"),)
        case Checks():
            acts = [check for check in reference.items if check.op in ACTING_OPS]
            found = [Decider(by=Trust.ACTS, what=check.arg, op=check.op) for check in acts]
            if len(acts) < len(reference.items):
                found.append(Decider(by=Trust.CHECKS))
            return tuple(found)
        case Exact():
            return (Decider(by=Trust.EXACT),)
        case Rubric():
            return (Decider(by=Trust.CHANGES if reference.of_changes else Trust.RUBRIC),)
