"""The report: what a night did and ended as."""

from datetime import datetime

import msgspec

from skillopt_sleep.records.documents import DocumentKind
from skillopt_sleep.records.edits import Edit
from skillopt_sleep.records.outcomes import Note, Outcome, StepOutcome
from skillopt_sleep.records.record import Record
from skillopt_sleep.records.refusals import RuleWarning
from skillopt_sleep.records.tasks import Evidence


class Proposal(Record, frozen=True, kw_only=True):
    """A staged change waiting for a yes or no; `base` is the live file's SHA-256, empty when there was none.

    `one_model` is the model that wrote, tried and graded it, where all three were one; `warnings` are what its rules
    touch that a person should read twice.
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
        """What stands beside the proof where nobody but one model stands behind it; empty where others do."""
        if not self.one_model:
            return ""
        return f"optimizer, target and judge are one model ({self.one_model}), which graded its own work"

    @property
    def touches(self) -> str:
        """The kinds of what its rules touch, on one line; empty where a person need not read them twice."""
        return ", ".join(dict.fromkeys(warning.kind.value for warning in self.warnings))


class Spend(Record, frozen=True, kw_only=True):
    """What was spent: an unknown number of tokens or dollars is None, never 0; `purposes` counts calls.

    Of `unnamed` calls the model named no tokens: `tokens` is then what is known at least. `cached_tokens` are those
    that the provider had in its cache; `repairs` the calls that asked again for a reply that couldn't be used;
    `odd_events` what the programs said that we don't know.
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
    """How many sessions were seen, used, and left out by reason."""

    seen: int = 0
    used: int = 0
    skipped: dict[str, int] = msgspec.field(default_factory=dict)


class NightReport(Record, frozen=True, kw_only=True):
    """One night as data."""

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
        """Those of the errors that went wrong indeed."""
        return tuple(note for note in self.errors if not note.expected)
