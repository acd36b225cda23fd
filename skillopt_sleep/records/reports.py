"""Report: what a night did, and its outcome."""

from datetime import datetime
from enum import StrEnum

import msgspec

from skillopt_sleep.records.candidates import EditEffect, Judged, Waiting
from skillopt_sleep.records.documents import Document, DocumentKind
from skillopt_sleep.records.edits import AppliedEdit, Edit
from skillopt_sleep.records.record import Record
from skillopt_sleep.records.refusals import RuleWarning
from skillopt_sleep.records.tasks import Evidence
from skillopt_sleep.records.trials import Trial, Verdict


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
    SKIPPED = "skipped"


CUT_SHORT = frozenset({Outcome.BACKEND_FAILED, Outcome.OVER_BUDGET, Outcome.INTERRUPTED})


class Note(Record, frozen=True, kw_only=True):
    """A problem that didn't end the night: where it happened, what it was, and what to do.

    An `expected` note isn't a problem: it says what a rule left out, so that nothing goes missing silently.
    """

    stage: str
    summary: str
    remedy: str = ""
    expected: bool = False


class StepOutcome(Record, frozen=True, kw_only=True):
    """What one step did to one document; `waiting` lessons have no unseen task yet.

    `tested` are all candidates, `candidate` and `trial` those of the verdict; `effects` what each tried edit did by
    itself; `scores` what the document scored on each task without them; `waits` are the candidates that later nights
    go on with. `notebook` is the optimizer's own for later nights, None where it stays as it was; `compared` counts
    tasks by how they changed since the last look back, and is empty where there was none. `unfinished`: calls failed
    that it could not do without, so its sessions stay unread; of a step that is finished those that are `left` do.
    """

    document: Document
    outcome: Outcome
    because: str
    verdict: Verdict
    candidate: Document | None = None
    trial: Trial = Trial()
    edits: tuple[AppliedEdit, ...] = ()
    tested: tuple[Judged, ...] = ()
    effects: tuple[EditEffect, ...] = ()
    waits: tuple[Waiting, ...] = ()
    notebook: str | None = None
    scores: dict[str, float] = msgspec.field(default_factory=dict)
    compared: dict[str, int] = msgspec.field(default_factory=dict)
    train: int = 0
    val: int = 0
    test: int = 0
    test_before: float | None = None
    test_after: float | None = None
    test_n: int = 0
    evidence: tuple[Evidence, ...] = ()
    text_only: bool = False
    waiting: int = 0
    unfinished: bool = False
    left: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


class Proposal(Record, frozen=True, kw_only=True):
    """A staged change to adopt or reject; `base` is the SHA-256 of the live file, "" if there was none.

    `one_model` names the model that wrote, tried and graded it, if that was a single one; `warnings` list what its
    rules touch that a person should read twice.
    """

    id: str
    night: str
    document: str
    path: str
    kind: DocumentKind
    root: str
    base: str
    result: str
    summary: str
    before: float | None = None
    after: float | None = None
    n: int = 0
    interval: tuple[float, float] | None = None
    error_rate: str = ""
    one_model: str = ""
    warnings: tuple[RuleWarning, ...] = ()
    edits: tuple[Edit, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    @property
    def doubt(self) -> str:
        """A caveat to the proof if a single model wrote, tried and graded the change; else ""."""
        if not self.one_model:
            return ""
        return f"optimizer, target and judge are one model ({self.one_model}), which graded its own work"

    @property
    def touches(self) -> str:
        """The kinds of warnings on one line; "" without any."""
        return ", ".join(dict.fromkeys(warning.kind.value for warning in self.warnings))


class Spend(Record, frozen=True, kw_only=True):
    """What was spent: an unknown number of tokens or dollars is None, never 0; `purposes` counts calls.

    For `unnamed` calls the model reported no tokens, so `tokens` is a lower bound. `cached_tokens` came from the
    provider's cache; `repairs` counts calls repeated because the reply couldn't be used; `odd_events` counts events
    of an agent program whose type we don't know.
    """

    calls: int = 0
    tokens: int | None = 0
    cached_tokens: int = 0
    repairs: int = 0
    odd_events: int = 0
    usd: float | None = None
    unnamed: int = 0
    purposes: dict[str, int] = msgspec.field(default_factory=dict)


class SessionCounts(Record, frozen=True, kw_only=True):
    """How many sessions were seen, used, and left out for each reason."""

    seen: int = 0
    used: int = 0
    skipped: dict[str, int] = msgspec.field(default_factory=dict)


class NightReport(Record, frozen=True, kw_only=True):
    """One night as data; report.json is this record."""

    schema_version: int = 1
    night: str
    started: datetime
    ended: datetime
    verdict: Outcome
    because: str
    remedy: str = ""
    folder: str = ""
    model: str = ""
    sessions: SessionCounts = SessionCounts()
    tasks: dict[str, int] = msgspec.field(default_factory=dict)
    documents: tuple[StepOutcome, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    spend: Spend = Spend()
    limits: dict[str, float] = msgspec.field(default_factory=dict)
    resumed: bool = False
    login_needed: bool = False
    errors: tuple[Note, ...] = ()

    @property
    def trouble(self) -> tuple[Note, ...]:
        """The errors without the notes that only say what a rule left out."""
        return tuple(note for note in self.errors if not note.expected)
