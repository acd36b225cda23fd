"""Write diagnostics.json: how a night ran and why it ended as it did, above all a night without proposals."""

import platform
from collections import Counter
from datetime import datetime
from pathlib import Path

from skillopt_sleep import __version__
from skillopt_sleep.kit.codec import map_strings, to_json
from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import (
    AppliedEdit,
    Calibrations,
    Corrections,
    EditOp,
    ErrorRate,
    Fate,
    FreshRound,
    Harm,
    JudgeReading,
    NightReport,
    Note,
    Outcome,
    Pair,
    Record,
    SealedReplay,
    SessionCounts,
    Spend,
    StepOutcome,
    Verdict,
)
from skillopt_sleep.reporters.attempts import AttemptedTasks, attempted_tasks
from skillopt_sleep.reporters.noise import NoiseFloor, noise_floor
from skillopt_sleep.reporters.replies import LastFailure, LastReply, last_calls
from skillopt_sleep.reporters.stages import head

MOST_EDITS = 20
EDIT_CHARS = 300
RULES_CHARS = 2_000


class Versions(Record, frozen=True, kw_only=True):
    """The versions of what ran, and the model."""

    skillopt_sleep: str
    python: str
    system: str
    model: str


class DiagnosedEdit(Record, frozen=True, kw_only=True):
    """The head of an edit that the optimizer proposed, and what became of it when it was applied."""

    op: EditOp
    content: str
    target: str
    fate: Fate
    because: str


class DiagnosedDocument(Record, frozen=True, kw_only=True):
    """One document: its tasks by side, its edits by fate, the trial pair by pair, and the outcome.

    `rules` is the head of what is in our part of it already, which the edits would change.
    `replies` are the optimizer's last ones about it, `edits` the first of those it proposed, and `attempts` the last
    ones at its tasks, with and without the change.

    `fresh` is the round after an acceptance, which measures the gain; `noise` is how far grades of a request that was
    asked repeatedly, without a change, lie apart.
    `repeated` pairs were answered as before and count nowhere; `harmed` are the other lessons that a won bet would
    have made worse.
    """

    id: str
    path: str
    outcome: Outcome
    because: str
    verdict: Verdict
    tasks: dict[str, int]
    rules: str
    replies: tuple[LastReply, ...]
    fates: dict[str, int]
    edits: tuple[DiagnosedEdit, ...]
    attempts: AttemptedTasks
    pairs: tuple[Pair, ...]
    unpaired: int
    lost_before: int
    lost_after: int
    repeated: int
    harmed: tuple[Harm, ...]
    rounds: int
    calls: int
    before: float | None
    after: float | None
    gain: float | None
    statistic: float | None
    wealth: tuple[float, ...]
    alpha: float | None
    more: int | None
    interval: tuple[float, float] | None
    fresh: FreshRound
    noise: NoiseFloor | None
    test_before: float | None
    test_after: float | None
    test_n: int
    test_interval: tuple[float, float] | None
    text_only: bool


class Diagnostics(Record, frozen=True, kw_only=True):
    """A night in detail; `noise` is the noise floor over all its documents.

    `corrections` says what became of what the person said or did, `calibrations` what of it can be judged in its
    repository, `sealed` who does it there or why nobody can, `failures` how each kind of call failed last.
    """

    schema_version: int
    night: str
    started: datetime
    ended: datetime
    seconds: float
    resumed: bool
    verdict: Outcome
    because: str
    remedy: str
    versions: Versions
    sessions: SessionCounts
    corrections: Corrections
    calibrations: Calibrations
    sealed: SealedReplay | None
    tasks: dict[str, int]
    noise: NoiseFloor | None
    documents: tuple[DiagnosedDocument, ...]
    proposals: tuple[str, ...]
    spend: Spend
    limits: dict[str, float]
    error_rate: ErrorRate | None
    judge: JudgeReading | None
    failures: tuple[LastFailure, ...]
    errors: tuple[Note, ...]


class DiagnosticsReporter:
    """Write the details of a night as JSON."""

    def write(self, report: NightReport, folder: Path) -> Path:
        """Write diagnostics.json and return its path."""
        path = folder / "diagnostics.json"
        write_atomic(path, to_json(map_strings(diagnose(report, folder), redact), pretty=True))
        return path


def diagnose(report: NightReport, folder: Path) -> Diagnostics:
    """Return the diagnostics of a night, with what its stages left in its folder."""
    attempts = attempted_tasks(report.documents, folder)
    calls = last_calls(folder)
    documents: list[DiagnosedDocument] = []
    for outcome in report.documents:
        name = redact(outcome.document.id)
        documents.append(_document(outcome, attempts[name], calls.replies.get(name, ())))
    return Diagnostics(
        schema_version=report.schema_version,
        night=report.night,
        started=report.started,
        ended=report.ended,
        seconds=(report.ended - report.started).total_seconds(),
        resumed=report.resumed,
        verdict=report.verdict,
        because=report.because,
        remedy=report.remedy,
        versions=Versions(
            skillopt_sleep=__version__,
            python=platform.python_version(),
            system=platform.platform(terse=True),
            model=report.model,
        ),
        sessions=report.sessions,
        corrections=report.corrections,
        calibrations=report.calibrations,
        sealed=report.sealed,
        tasks=report.tasks,
        noise=noise_floor(report.documents),
        documents=tuple(documents),
        proposals=tuple(proposal.id for proposal in report.proposals),
        spend=report.spend,
        limits=report.limits,
        error_rate=report.error_rate,
        judge=report.judge,
        failures=calls.failures,
        errors=report.errors,
    )


def _document(outcome: StepOutcome, attempts: AttemptedTasks, replies: tuple[LastReply, ...]) -> DiagnosedDocument:
    trial = outcome.trial
    return DiagnosedDocument(
        id=outcome.document.id,
        path=outcome.document.path,
        outcome=outcome.outcome,
        because=outcome.because,
        verdict=outcome.verdict,
        tasks={"train": outcome.tasks.train, "val": outcome.tasks.val, "test": outcome.tasks.test},
        rules=head(outcome.document.body.strip(), RULES_CHARS),
        replies=replies,
        fates=dict(Counter(edit.fate.value for edit in outcome.tried.edits)),
        edits=tuple(_edit(applied) for applied in outcome.tried.edits[:MOST_EDITS]),
        attempts=attempts,
        pairs=trial.pairs,
        unpaired=trial.unpaired,
        lost_before=trial.lost_before,
        lost_after=trial.lost_after,
        repeated=trial.repeated,
        harmed=trial.guard.harmed,
        rounds=trial.rounds,
        calls=trial.calls,
        before=trial.before,
        after=trial.after,
        gain=trial.gain,
        statistic=trial.statistic,
        wealth=trial.wealth,
        alpha=trial.alpha,
        more=trial.more,
        interval=trial.interval,
        fresh=outcome.fresh,
        noise=noise_floor((outcome,)),
        test_before=outcome.test.before,
        test_after=outcome.test.after,
        test_n=outcome.test.n,
        test_interval=outcome.test.interval,
        text_only=outcome.tasks.text_only,
    )


def _edit(applied: AppliedEdit) -> DiagnosedEdit:
    edit = applied.edit
    return DiagnosedEdit(
        op=edit.op,
        content=head(edit.content, EDIT_CHARS),
        target=head(edit.target, EDIT_CHARS),
        fate=applied.fate,
        because=head(applied.because, EDIT_CHARS),
    )
