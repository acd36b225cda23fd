"""Report: what a night did, and its outcome."""

from datetime import datetime
from enum import StrEnum

import msgspec

from skillopt_sleep.records.calibrations import Calibrations, JudgeReading
from skillopt_sleep.records.calls import Purpose, model_names
from skillopt_sleep.records.candidates import EditEffect
from skillopt_sleep.records.corrections import Corrections, Recurrence, Trend
from skillopt_sleep.records.deciders import Decider, Trust
from skillopt_sleep.records.documents import DocumentKind
from skillopt_sleep.records.edits import Edit
from skillopt_sleep.records.lessons import Deed, Evidence, signs
from skillopt_sleep.records.outcomes import Note, Outcome, StepOutcome
from skillopt_sleep.records.pairs import Solved
from skillopt_sleep.records.record import Record
from skillopt_sleep.records.refusals import RuleWarning
from skillopt_sleep.records.trials import UNVERIFIED, FreshRound, others_in_words, unknown_rate
from skillopt_sleep.records.workspaces import SealedReplay

PAGE = "report.html"
"""The name of the file that has a night's report as a page, in the night's folder."""


class Proof(StrEnum):
    """The evidence for a proposal: a trial on two sessions, on one so far, or the person's own words.

    A trial `elsewhere` was made with an agent that never reads the file, so it proves nothing for those that do. What
    is `untested` was part of a trial, but nothing shows that it helps by itself; the person wrote what is `edited`.
    """

    TRIAL = "trial"
    EARLY = "early"
    WORDS = "words"
    ELSEWHERE = "elsewhere"
    UNTESTED = "untested"
    EDITED = "edited"


class ProposedFile(Record, frozen=True, kw_only=True):
    """One of the files that a proposal changes.

    `base` is the SHA-256 of the live file, "" if there was none, `result` that of the file with the change; `body` is
    that of our part of the text it starts from.
    """

    document: str
    path: str
    base: str
    result: str
    body: str = ""


class TrialResult(Record, frozen=True, kw_only=True):
    """The numbers of a proposal's trial, in its own lessons, and what they are worth.

    `judges` judged the attempts; `gain` is shrunk. `fresh` was measured after the acceptance; `effects` are those of
    each rule by itself. So many other lessons were `guarded`, and none got worse. `one_model` names the model that
    wrote, tried and graded the change, if that was a single one.
    """

    before: float | None = None
    after: float | None = None
    n: int = 0
    solved: Solved | None = None
    judges: tuple[Decider, ...] = ()
    interval: tuple[float, float] | None = None
    gain: float | None = None
    fresh: FreshRound = FreshRound()
    effects: tuple[EditEffect, ...] = ()
    guarded: int = 0
    error_rate: str = ""
    one_model: str = ""


class Proposal(Record, frozen=True, kw_only=True):
    """A staged change to adopt or reject, which changes all of its `files` or none, its document first.

    A better wording for the same `lessons` is a new `version`. `warnings` list what its rules touch that a person
    should read twice; `read_by` names the agents that read one of its files. `said_in` has the name of the project of
    each session that stood in another one than the rule goes to.
    """

    id: str
    version: int = 1
    proof: Proof = Proof.TRIAL
    night: str
    kind: DocumentKind
    root: str
    files: tuple[ProposedFile, ...]
    summary: str
    edits: tuple[Edit, ...] = ()
    lessons: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    deeds: tuple[Deed, ...] = ()
    said_in: tuple[tuple[str, str], ...] = ()
    tested: TrialResult = TrialResult()
    warnings: tuple[RuleWarning, ...] = ()
    read_by: tuple[str, ...] = ()

    @property
    def document(self) -> str:
        """The id of its document."""
        return self.files[0].document

    @property
    def path(self) -> str:
        """The path of its document."""
        return self.files[0].path

    @property
    def projects(self) -> tuple[str, ...]:
        """The names of the projects of these sessions."""
        return tuple(dict.fromkeys(name for _, name in self.said_in))

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of all files that it changes."""
        return tuple(file.path for file in self.files)

    @property
    def pair(self) -> str:
        """Say what a person should know of a proposal that changes several files; "" if it changes one."""
        if len(self.files) == 1:
            return ""
        said = "Changes all of these files or none."
        if self.proof in {Proof.WORDS, Proof.ELSEWHERE, Proof.UNTESTED, Proof.EDITED}:
            return said
        skills = [file.document for file in self.files if file.path.endswith("SKILL.md")]
        if skills:
            return (
                f"{said} In the trial the rule stood in every prompt, so it was not tried as a skill"
                f" ({' and '.join(skills)}), which an agent reads only if it thinks that it fits."
            )
        return f"{said} The change is the same in each, so a trial with an agent that reads one is proof for all."

    @property
    def sessions(self) -> int:
        """The number of sessions in which the person asked for it, by words or by deeds."""
        return len({piece.session for piece in (*self.evidence, *self.deeds)})

    @property
    def signs(self) -> tuple[Evidence, ...]:
        """What the person said and did, oldest first."""
        return signs(self.evidence, self.deeds)

    @property
    def others(self) -> str:
        """Say how other lessons fared; "" without any."""
        return others_in_words(self.tested.guarded)

    @property
    def label(self) -> str:
        """Say what a person should know before they trust its proof; "" if it is proven at a known error rate."""
        labels = {
            Proof.EARLY: "early: proven on one of the two sessions it takes",
            Proof.WORDS: "by your own words: no trial was run",
            Proof.UNTESTED: "untested: no trial shows that it helps by itself",
            Proof.EDITED: "untested: you changed its words after the trial",
            Proof.ELSEWHERE: "tried with an agent that doesn't read this file, so not proven for those that do",
        }
        if self.tested.error_rate == UNVERIFIED and self.proof is Proof.UNTESTED:
            return unknown_rate(self.tested.error_rate)
        said = (labels.get(self.proof, ""), unknown_rate(self.tested.error_rate))
        return "; ".join(words for words in said if words)

    @property
    def is_proven(self) -> bool:
        """Say whether a trial of two sessions was won, at whatever error rate."""
        return self.proof is Proof.TRIAL and self.tested.error_rate != UNVERIFIED

    @property
    def doubt(self) -> str:
        """A caveat to the proof if a single model wrote, tried and graded the change; else ""."""
        has_graded = not self.tested.judges or any(
            one.by in {Trust.CHANGES, Trust.RUBRIC} for one in self.tested.judges
        )
        if not self.tested.one_model or not has_graded:
            return ""
        model = model_names(self.tested.one_model)
        return f"one model ({model}) wrote the rules, answered the requests and graded what no check can"

    @property
    def touches(self) -> str:
        """The kinds of warnings on one line; "" without any."""
        return ", ".join(dict.fromkeys(warning.kind.value for warning in self.warnings))


class Spend(Record, frozen=True, kw_only=True):
    """The spending: an unknown number of tokens or dollars is None, never 0; `purposes` counts calls.

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
    """The numbers of sessions seen, used, and left out for each reason."""

    seen: int = 0
    used: int = 0
    skipped: dict[str, int] = msgspec.field(default_factory=dict)


class SpentErrorRate(Record, frozen=True, kw_only=True):
    """The error rate that recent nights spent, added up, and how many of their proposals are still adopted."""

    rates: float = 0.0
    adopted: int = 0


class ErrorRate(Record, frozen=True, kw_only=True):
    """The highest chance of a night to accept a rule that does nothing, and what it `spent` of that.

    The rate is about this judge's grades of the requests that were asked. A night that tried nothing new spent none.
    """

    rate: float
    spent: float = 0.0


class NightRun(Record, frozen=True, kw_only=True):
    """How a night ran: the folder of its files, its models and limits, and whether it was resumed."""

    folder: str = ""
    model: str = ""
    limits: dict[str, float] = msgspec.field(default_factory=dict)
    resumed: bool = False
    login_needed: bool = False


class Findings(Record, frozen=True, kw_only=True):
    """What a night found: sessions, and tasks by side.

    `corrections` says what became of everything the person said or did, and `trend` counts that over the last weeks.
    `recurrences` says of each adopted rule's lesson how often it was corrected before and since.
    """

    sessions: SessionCounts = SessionCounts()
    tasks: dict[str, int] = msgspec.field(default_factory=dict)
    corrections: Corrections = Corrections()
    trend: Trend = Trend()
    recurrences: tuple[Recurrence, ...] = ()


class Judging(Record, frozen=True, kw_only=True):
    """What graded a night's answers; `judge` is None if no answer was graded by a model.

    `calibrations` says what can be judged in its repository, and `sealed` who does it there; None if nothing needed
    that, or it is switched off.
    """

    judge: JudgeReading | None = None
    calibrations: Calibrations = Calibrations()
    sealed: SealedReplay | None = None


class NightReport(Record, frozen=True, kw_only=True):
    """One night as data.

    `others` are the proposals of earlier nights that waited when it ended, None if that isn't known.
    """

    schema_version: int = 1
    night: str
    started: datetime
    ended: datetime
    verdict: Outcome
    because: str
    remedy: str = ""
    run: NightRun = NightRun()
    found: Findings = Findings()
    judging: Judging = Judging()
    documents: tuple[StepOutcome, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    others: tuple[str, ...] | None = None
    spend: Spend = Spend()
    error_rate: ErrorRate | None = None
    errors: tuple[Note, ...] = ()

    @property
    def began(self) -> bool:
        """True if more than the preflight call was made, or if unknown."""
        if not self.spend.purposes:
            return self.verdict is not Outcome.BACKEND_FAILED
        return bool(self.documents) or set(self.spend.purposes) != {Purpose.PREFLIGHT}

    @property
    def trouble(self) -> tuple[Note, ...]:
        """The errors without the notes that only say what a rule left out."""
        return tuple(note for note in self.errors if not note.expected)
