"""Outcomes: what one step did to one document."""

from enum import StrEnum

import msgspec

from skillopt_sleep.records.candidates import EditEffect, Judged, WaitingCandidate
from skillopt_sleep.records.documents import Document
from skillopt_sleep.records.edits import AppliedEdit
from skillopt_sleep.records.lessons import Deed, Evidence
from skillopt_sleep.records.record import Record
from skillopt_sleep.records.trials import FreshRound, GuardResult, Trial, Verdict


class Outcome(StrEnum):
    """The outcome of a whole night; the first three cut it short, the others go from best to worst."""

    BACKEND_FAILED = "backend_failed"
    OVER_BUDGET = "over_budget"
    INTERRUPTED = "interrupted"
    IMPROVED = "improved"
    UNDECIDED = "undecided"
    UNVERIFIED = "unverified"
    NO_CHANGE = "no_change"
    NO_HEADROOM = "no_headroom"
    NOTHING_NEW = "nothing_new"


CUT_SHORT = frozenset({Outcome.BACKEND_FAILED, Outcome.OVER_BUDGET, Outcome.INTERRUPTED})


class Note(Record, frozen=True, kw_only=True):
    """A problem that didn't end the night: where it happened, what it was, and what to do.

    An `expected` note isn't a problem: it says what a rule left out, so that nothing goes missing silently.
    """

    stage: str
    summary: str
    remedy: str = ""
    expected: bool = False


class StepTasks(Record, frozen=True, kw_only=True):
    """The number of tasks a step had on each side, and of lessons without an unseen task so far.

    `text_only` says that attempts were made without tools; then `needs_repository` counts the tasks that were not
    tried, because no answer in words can show what is wanted. They are on no side.
    """

    train: int = 0
    val: int = 0
    test: int = 0
    text_only: bool = False
    untestable: int = 0
    needs_repository: int = 0


class StepSessions(Record, frozen=True, kw_only=True):
    """The sessions that a step's tasks come from.

    All of them stay unread if the step is `unfinished`: calls failed that it could not do without. Of a finished
    step, those in `left` stay unread.
    """

    ids: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    unfinished: bool = False


class Early(Record, frozen=True, kw_only=True):
    """A candidate that is proven on one session of its lessons, with what the person said and did."""

    candidate: Document
    tested: Judged
    evidence: tuple[Evidence, ...] = ()
    deeds: tuple[Deed, ...] = ()


class Retested(Record, frozen=True, kw_only=True):
    """A proposal in the person's own words that they wanted tested again, and what was found, in words."""

    proposal: str
    said: str


class TriedEdits(Record, frozen=True, kw_only=True):
    """The proposed edits with their fates, the candidates made of them, and what each edit did by itself.

    `evidence` is what the person said that the edits were learned from, `deeds` what they did. Later nights resume
    the trials of the `undecided` candidates; those that are `early` are proposed apart. Lessons of the `offered`
    proposals weren't learned again: these wait for the person. Those `retested` have the person's own words.
    """

    edits: tuple[AppliedEdit, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    deeds: tuple[Deed, ...] = ()
    tested: tuple[Judged, ...] = ()
    effects: tuple[EditEffect, ...] = ()
    undecided: tuple[WaitingCandidate, ...] = ()
    early: tuple[Early, ...] = ()
    offered: tuple[str, ...] = ()
    retested: tuple[Retested, ...] = ()


class ForLater(Record, frozen=True, kw_only=True):
    """The part of a step's result that later nights need.

    `scores` are the document's own on each task. `notebook` holds the optimizer's new notes, or None to keep the old
    ones. `compared` counts tasks by how they changed since the last look back; it is empty if there was none.
    """

    scores: dict[str, float] = msgspec.field(default_factory=dict)
    notebook: str | None = None
    compared: dict[str, int] = msgspec.field(default_factory=dict)


class StepOutcome(Record, frozen=True, kw_only=True):
    """The result of one step on one document; `candidate`, `trial`, `guard` and `fresh` are those of the verdict.

    Of several proven rules the trial has all pairs; `kept_back` has those on test tasks.
    """

    document: Document
    outcome: Outcome
    because: str
    verdict: Verdict
    candidate: Document | None = None
    trial: Trial = Trial()
    guard: GuardResult = GuardResult()
    fresh: FreshRound = FreshRound()
    tasks: StepTasks = StepTasks()
    sessions: StepSessions = StepSessions()
    tried: TriedEdits = TriedEdits()
    kept_back: FreshRound = FreshRound()
    later: ForLater = ForLater()
    notes: tuple[Note, ...] = ()

    def noted(self, *notes: Note) -> "StepOutcome":
        """Return the outcome with these notes after its own."""
        return msgspec.structs.replace(self, notes=self.notes + notes)
