"""Search: the candidates a step tries, the effect of each edit, and what later nights need to know about them."""

from enum import StrEnum

from skillopt_sleep.records.edits import REJECTED, Edit
from skillopt_sleep.records.pairs import Effect, Solved
from skillopt_sleep.records.record import Record
from skillopt_sleep.records.rollouts import Rollout
from skillopt_sleep.records.trials import Trial, Verdict


class ResultChange(StrEnum):
    """The change of a task's result from the earlier version to the current one."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    PERSISTENT_FAIL = "persistent_fail"
    STABLE_SUCCESS = "stable_success"


class Compared(Record, frozen=True, kw_only=True):
    """A task under both versions, each with its most telling attempt."""

    task: str
    change: ResultChange
    before: Rollout
    after: Rollout


class Earlier(Record, frozen=True, kw_only=True):
    """The body a document had in an earlier `night`, and the number of nights since, including that one."""

    night: str
    body: str
    nights: int


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


class WaitingCandidate(Record, frozen=True, kw_only=True):
    """A candidate between two nights, first tried in `night`: undecided, rejected, or won but for its guard.

    Its trial continues only with the same `crew` to attempt and grade.
    """

    night: str
    path: str
    crew: str
    tested: Judged


class EditEffect(Record, frozen=True, kw_only=True):
    """The effect of an edit by its own trial in this `night`: means over `n` pairs of its own lessons, and the calls.

    `solved` counts the pairs in whole numbers; so many other lessons were `harmed`. `because` says what the numbers
    don't: what would decide an undecided one.
    """

    night: str = ""
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

    @property
    def gain(self) -> float | None:
        """The mean gain that was seen; None if nothing was."""
        if self.before is None or self.after is None:
            return None
        return self.after - self.before


class EditStatus(StrEnum):
    """What became of an edit that was proposed to the person; all but the last are states of its proposal."""

    WAITS = "waiting"
    LIVE = "adopted"
    REFUSED = "rejected"
    UNDONE = "undone"
    REWORDED = "reworded"


class ProposedEdit(Record, frozen=True, kw_only=True):
    """An edit that was proposed to the person: in which proposal, its status since when, and why.

    Of one whose words the person replaced by their own, `proposal` has those.
    """

    edit: Edit
    status: EditStatus
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
    """A proven proposal that waits for the person: its lessons, and the SHA-256 of our part of each of its files.

    `wording` is the person's own, if they changed the words of the rule; `again`: they want it tested again.
    """

    proposal: str
    bodies: dict[str, str]
    lessons: tuple[str, ...]
    wording: tuple[Edit, ...] = ()
    again: bool = False


class Past(Record, frozen=True, kw_only=True):
    """The knowledge of earlier nights about a document.

    All edits that were proposed to the person, the undecided candidates, the edits that were tried and how attempts
    went (what was proposed, tried and how it went newest first), the optimizer's own notes, the earlier body that a
    slow update compares with, and the proposals that wait for the person. `nights` are the ids of the nights that are
    over, newest first, as far as they are known.
    """

    proposed: tuple[ProposedEdit, ...] = ()
    waiting: tuple[WaitingCandidate, ...] = ()
    tried: tuple[EditEffect, ...] = ()
    fared: tuple[Fared, ...] = ()
    notes: str = ""
    snapshot: Earlier | None = None
    offered: tuple[Offered, ...] = ()
    nights: tuple[str, ...] = ()

    @property
    def adopted(self) -> tuple[Edit, ...]:
        """Return the edits that the person adopted and didn't undo, oldest first."""
        return tuple(one.edit for one in reversed(self.proposed) if one.status is EditStatus.LIVE)

    @property
    def refused(self) -> tuple[Edit, ...]:
        """Return the edits that the person rejected, oldest first."""
        return tuple(one.edit for one in reversed(self.proposed) if one.status is EditStatus.REFUSED)

    @property
    def turned_down(self) -> tuple[Edit, ...]:
        """Return the edits that the person rejected, and those whose words they replaced by their own."""
        down = {EditStatus.REFUSED, EditStatus.REWORDED}
        return tuple(one.edit for one in self.proposed if one.status in down)

    def why_refused(self, edit: Edit) -> str:
        """Say why the person turned this edit down, and how a rejection is taken back; "" if they didn't."""
        alike = [one for one in self.proposed if one.edit.key == edit.key]
        for known in alike:
            if known.status is EditStatus.REFUSED:
                undo = f"to have it tried again: skillopt-sleep reject --undo {known.proposal}"
                return f"{REJECTED}{known.proposal} on {known.since}; {undo}"
        for known in alike:
            if known.status is EditStatus.REWORDED:
                return f"you replaced these words by your own in {known.proposal}"
        return ""

    def ago(self, night: str) -> int:
        """Return how many nights ago this night was, or, where nights aren't known, how many tried an edit since."""
        nights = self.nights or tuple(dict.fromkeys(tried.night for tried in self.tried))
        return nights.index(night) + 1 if night in nights else len(nights) + 1
