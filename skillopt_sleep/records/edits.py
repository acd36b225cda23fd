"""Reflect, aggregate, select, update: changes of a document."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

from skillopt_sleep.records.record import Record

ReflectMode = Literal["minibatch", "shallow", "deep"]
UpdateMode = Literal["patch", "rewrite", "full_rewrite"]


class EditOp(StrEnum):
    """The kinds of change an edit can make to the body."""

    APPEND = "append"
    INSERT_AFTER = "insert_after"
    REPLACE = "replace"
    DELETE = "delete"


class EditSource(StrEnum):
    """The kinds of evidence an edit was learned from."""

    FAILURE = "failure"
    SUCCESS = "success"
    SLOW = "slow"


REJECTED = "you rejected "


class Edit(Record, frozen=True, kw_only=True):
    """One change of a document; `support` counts the rollouts that led to it, `tasks` names their tasks.

    `lessons` are those of its tasks, and what it has to be proven on; none while they aren't known.
    """

    op: EditOp
    content: str = ""
    target: str = ""
    reason: str = ""
    source: EditSource = EditSource.FAILURE
    support: int = 1
    tasks: tuple[str, ...] = ()
    lessons: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """Return the text by which a person tells two edits apart: the one added, or else the one removed."""
        if self.op is EditOp.DELETE:
            return "delete", " ".join(self.target.lower().split())
        return "", " ".join(self.content.lower().split())


def tasks_of(edits: Iterable[Edit]) -> tuple[str, ...]:
    """Return the ids of the tasks that the edits were learned from, each once."""
    names: dict[str, None] = {}
    for edit in edits:
        names |= dict.fromkeys(edit.tasks)
    return tuple(names)


def lessons_of(edits: Iterable[Edit]) -> tuple[str, ...]:
    """Return the ids of the lessons that the edits are for, each once."""
    lessons: dict[str, None] = {}
    for edit in edits:
        lessons |= dict.fromkeys(edit.lessons)
    return tuple(lessons)


class Patch(Record, frozen=True, kw_only=True):
    """A set of edits proposed together."""

    edits: tuple[Edit, ...] = ()
    source: EditSource = EditSource.FAILURE


class EditFate(StrEnum):
    """The fate of an edit when it was applied."""

    APPLIED = "applied"
    UNMATCHED = "unmatched"
    DUPLICATE = "duplicate"
    REFUSED = "refused"
    LEFT_OUT = "left_out"


class AppliedEdit(Record, frozen=True, kw_only=True):
    """An edit and its fate, with the reason if it wasn't applied."""

    edit: Edit
    fate: EditFate
    because: str = ""

    @property
    def turned_down(self) -> str:
        """The proposal with which the person rejected this edit; "" if that isn't why it was refused."""
        if self.fate is not EditFate.REFUSED or not self.because.startswith(REJECTED):
            return ""
        name = self.because.removeprefix(REJECTED).split()[0]
        return "" if name == "it" else name
