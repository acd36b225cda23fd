"""Search: the candidates a step tries, the effect of each edit, and what later nights need to know about them."""

from enum import StrEnum

import msgspec

from skillopt_sleep.records.comparisons import Earlier
from skillopt_sleep.records.edits import REJECTED, Edit
from skillopt_sleep.records.effects import Effect
from skillopt_sleep.records.record import Record
from skillopt_sleep.records.solved import Solved
from skillopt_sleep.records.trials import Trial, Verdict


class CandidateKind(StrEnum):
    """Which edits a candidate consists of: all, one half, one on top of the others, those left of them, or guidance.

    A removal deletes an existing rule and only has to do no worse. Earlier versions tried all edits but one.
    """

    BUNDLE = "bundle"
    HALF = "half"
    WITHOUT = "without"
    PART = "part"
    PRUNED = "pruned"
    GUIDANCE = "guidance"
    REMOVAL = "removal"


class Judged(Record, frozen=True, kw_only=True):
    """A candidate, as the edits that make it out of its document, with its trial and verdict."""

    kind: CandidateKind
    edits: tuple[Edit, ...]
    trial: Trial
    verdict: Verdict


class Waiting(Record, frozen=True, kw_only=True):
    """An undecided candidate between two nights, first tried in `night`.

    Its trial continues only while the document's body, the part that is ours, has the SHA-256 `body`, and only with
    the same `crew` to attempt and grade. `base` is the SHA-256 of the whole text it was last tried against. If an
    older version kept it, it has no `body`, and continues only against `base`.
    """

    night: str
    path: str
    base: str
    body: str = ""
    crew: str
    tested: Judged


class EditEffect(Record, frozen=True, kw_only=True):
    """The effect of an edit, from comparing candidates with and without it: means over `n` pairs, calls spent on it.

    The pairs are of its own lessons, and `solved` counts them in whole numbers; of `bystanders`, tasks of other
    lessons, so many are `unharmed`. `because` says what the numbers don't: how the effect is known, and what would
    decide an undecided one. If it was turned down, `rejected_on` are the unseen tasks of its lessons that it was
    tried on.
    """

    edit: Edit
    effect: Effect
    because: str = ""
    n: int = 0
    before: float | None = None
    after: float | None = None
    interval: tuple[float, float] | None = None
    solved: Solved | None = None
    bystanders: int = 0
    unharmed: int = 0
    calls: int = 0
    rejected_on: tuple[str, ...] = ()


class PastEdit(Record, frozen=True, kw_only=True):
    """An edit that an earlier night tried on a document, and its effect there in `n` paired tries.

    `gain` is the mean gain that was seen; `harmed` other lessons got worse. If it was turned down,
    `rejected_on` are the unseen tasks of its lessons that it was tried on.
    """

    night: str
    edit: Edit
    effect: Effect
    n: int = 0
    gain: float | None = None
    harmed: int = 0
    rejected_on: tuple[str, ...] = ()


def past_edit(tried: EditEffect, *, night: str) -> PastEdit:
    """Return what later nights need to know of an edit's effect."""
    gain = None
    if tried.before is not None and tried.after is not None:
        gain = tried.after - tried.before
    harmed = tried.bystanders - tried.unharmed
    return PastEdit(
        night=night,
        edit=tried.edit,
        effect=tried.effect,
        n=tried.n,
        gain=gain,
        harmed=harmed,
        rejected_on=tried.rejected_on,
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
