"""Search: the candidates a step tries, the effect of each edit, and what later nights need to know about them."""

from enum import StrEnum

import msgspec

from skillopt_sleep.records.comparisons import Earlier
from skillopt_sleep.records.edits import REJECTED, Edit
from skillopt_sleep.records.effects import Effect
from skillopt_sleep.records.pairs import Solved
from skillopt_sleep.records.record import Record
from skillopt_sleep.records.trials import Trial, Verdict


class CandidateKind(StrEnum):
    """The kinds of candidates: a rule alone, a whole patch, guidance, or the removal of a rule.

    A patch is tried where the gate's rule has no error rate to share. A removal only has to do no worse.
    """

    RULE = "rule"
    PATCH = "patch"
    GUIDANCE = "guidance"
    REMOVAL = "removal"


class Judged(Record, frozen=True, kw_only=True):
    """A candidate, as the edits that make it out of its document, with its trial and verdict."""

    kind: CandidateKind
    edits: tuple[Edit, ...]
    trial: Trial
    verdict: Verdict


class Waiting(Record, frozen=True, kw_only=True):
    """A candidate between two nights, first tried in `night`: undecided, rejected, or won but for its guard.

    Its trial continues only with the same `crew` to attempt and grade.
    """

    night: str
    path: str
    crew: str
    tested: Judged


class EditEffect(Record, frozen=True, kw_only=True):
    """The effect of an edit by its own trial: means over `n` pairs of its own lessons, calls spent on it.

    `solved` counts the pairs in whole numbers; so many other lessons were `harmed`. `because` says what the numbers
    don't: what would decide an undecided one.
    """

    edit: Edit
    effect: Effect
    because: str = ""
    n: int = 0
    before: float | None = None
    after: float | None = None
    interval: tuple[float, float] | None = None
    solved: Solved | None = None
    harmed: int = 0
    calls: int = 0


class PastEdit(Record, frozen=True, kw_only=True):
    """An edit that an earlier night tried on a document, and its effect there in `n` paired tries.

    `gain` is the mean gain that was seen; `harmed` other lessons got worse.
    """

    night: str
    edit: Edit
    effect: Effect
    n: int = 0
    gain: float | None = None
    harmed: int = 0


def past_edit(tried: EditEffect, *, night: str) -> PastEdit:
    """Return what later nights need to know of an edit's effect."""
    gain = None
    if tried.before is not None and tried.after is not None:
        gain = tried.after - tried.before
    return PastEdit(
        night=night,
        edit=tried.edit,
        effect=tried.effect,
        n=tried.n,
        gain=gain,
        harmed=tried.harmed,
    )


class Standing(StrEnum):
    """The fate of an edit that was proposed to the person."""

    WAITS = "waiting"
    LIVE = "adopted"
    REFUSED = "rejected"
    UNDONE = "undone"


class ProposedEdit(Record, frozen=True, kw_only=True):
    """An edit that was proposed to the person: in which proposal, where it stands since when, and why."""

    edit: Edit
    standing: Standing
    since: str
    reason: str = ""
    proposal: str = ""


class Fared(Record, frozen=True, kw_only=True):
    """The attempts of an earlier step in numbers: made, failed, and failed for each reason."""

    night: str
    made: int
    failed: int
    reasons: tuple[tuple[str, int], ...] = ()


class Offered(Record, frozen=True, kw_only=True):
    """A proven proposal that waits for the person: its lessons, and the SHA-256 of each file that it can change.

    `bodies` are those of the part of each file that is ours. `wording` is the person's own, if they changed the words
    of the rule, and `again` whether they want it tested again.
    """

    proposal: str
    shas: dict[str, str]
    bodies: dict[str, str] = msgspec.field(default_factory=dict)
    lessons: tuple[str, ...]
    wording: tuple[Edit, ...] = ()
    again: bool = False


class Past(Record, frozen=True, kw_only=True):
    """The knowledge of earlier nights about a document.

    The edits a person refused and those they adopted, all that were proposed to them, the undecided candidates, the
    edits that were tried and how attempts went (what was proposed, tried and how it went newest first), the
    optimizer's own notes, the earlier body that a slow update compares with, and the proposals that wait for the
    person. `nights` are the ids of the nights that are over, newest first, as far as they are known. `reworded` are
    the edits whose words a person replaced by their own, each with the proposal that has those.
    """

    refused: tuple[Edit, ...] = ()
    adopted: tuple[Edit, ...] = ()
    proposed: tuple[ProposedEdit, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    tried: tuple[PastEdit, ...] = ()
    fared: tuple[Fared, ...] = ()
    notes: str = ""
    snapshot: Earlier | None = None
    offered: tuple[Offered, ...] = ()
    nights: tuple[str, ...] = ()
    reworded: tuple[tuple[Edit, str], ...] = ()

    @property
    def turned_down(self) -> tuple[Edit, ...]:
        """Return the edits that the person rejected, and those whose words they replaced by their own."""
        return (*self.refused, *(edit for edit, _ in self.reworded))

    def why_refused(self, edit: Edit) -> str:
        """Say why the person turned this edit down, and how a rejection is taken back; "" if they didn't."""
        if edit.key in {refused.key for refused in self.refused}:
            for known in self.proposed:
                if known.standing is Standing.REFUSED and known.edit.key == edit.key:
                    undo = f"to have it tried again: skillopt-sleep reject --undo {known.proposal}"
                    return f"{REJECTED}{known.proposal} on {known.since}; {undo}"
            return f"{REJECTED}it before"
        for before, own in self.reworded:
            if before.key == edit.key:
                return f"you replaced these words by your own in {own}"
        return ""

    def ago(self, night: str) -> int:
        """Return how many nights ago this night was, or, where nights aren't known, how many tried an edit since."""
        nights = self.nights or tuple(dict.fromkeys(tried.night for tried in self.tried))
        return nights.index(night) + 1 if night in nights else len(nights) + 1
