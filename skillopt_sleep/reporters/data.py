"""report.json, the report as data, and the short answer that `run --json` prints."""

from pathlib import Path

from skillopt_sleep.errors import CallPending
from skillopt_sleep.kit.codec import map_strings, to_json
from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import (
    Decision,
    DocumentKind,
    EditOp,
    Fate,
    NightReport,
    Note,
    Outcome,
    Record,
    RuleWarning,
    SessionCounts,
    StepOutcome,
    report_data,
)


class DataReporter:
    """The whole NightReport as JSON."""

    def write(self, report: NightReport, folder: Path) -> Path:
        """Write report.json and return its path."""
        path = folder / "report.json"
        write_atomic(path, to_json(map_strings(report_data(report), redact), pretty=True))
        return path


class AnsweredEdit(Record, frozen=True, kw_only=True):
    """An edit that was tried, and its fate."""

    op: EditOp
    content: str
    target: str
    fate: Fate


class AnsweredDocument(Record, frozen=True, kw_only=True):
    """A document: the gate's verdict with the means on unseen tasks, and what the step ended as."""

    id: str
    path: str
    kind: DocumentKind
    verdict: Decision
    outcome: Outcome
    because: str
    before: float | None
    after: float | None
    n: int
    edits: tuple[AnsweredEdit, ...]


class AnsweredProposal(Record, frozen=True, kw_only=True):
    """A proposal waiting for a yes or no; `warnings` and `one_model` are what stands beside its proof."""

    id: str
    document: str
    path: str
    summary: str
    warnings: tuple[RuleWarning, ...]
    one_model: str
    folder: str


class AnsweredSpend(Record, frozen=True, kw_only=True):
    """What the night spent; unknown is null."""

    calls: int
    tokens: int | None
    usd: float | None


class Answer(Record, frozen=True, kw_only=True):
    """What `run --json` prints."""

    schema_version: int
    night: str
    verdict: Outcome
    because: str
    remedy: str
    folder: str
    sessions: SessionCounts
    tasks: dict[str, int]
    documents: tuple[AnsweredDocument, ...]
    proposals: tuple[AnsweredProposal, ...]
    spend: AnsweredSpend
    errors: tuple[Note, ...]


class Paused(Record, frozen=True, kw_only=True):
    """What `run --json` prints while prompts wait for an answer: the night has no verdict yet, and is run again."""

    schema_version: int
    verdict: None
    waiting: int
    because: str
    remedy: str


def answer(report: NightReport) -> Answer:
    """The short answer of a night."""
    return Answer(
        schema_version=report.schema_version,
        night=report.night,
        verdict=report.verdict,
        because=report.because,
        remedy=report.remedy,
        folder=report.folder,
        sessions=report.sessions,
        tasks=report.tasks,
        documents=tuple(_document(outcome) for outcome in report.documents),
        proposals=tuple(
            AnsweredProposal(
                id=proposal.id,
                document=proposal.document,
                path=proposal.path,
                summary=proposal.summary,
                warnings=proposal.warnings,
                one_model=proposal.one_model,
                folder=str(Path(report.folder).parent / proposal.night / "proposals" / proposal.id),
            )
            for proposal in report.proposals
        ),
        spend=AnsweredSpend(calls=report.spend.calls, tokens=report.spend.tokens, usd=report.spend.usd),
        errors=report.errors,
    )


def paused(error: CallPending) -> Paused:
    """The answer of a night that goes on when what it asks is answered."""
    return Paused(schema_version=1, verdict=None, waiting=error.waiting, because=error.message, remedy=error.remedy)


def _document(outcome: StepOutcome) -> AnsweredDocument:
    return AnsweredDocument(
        id=outcome.document.id,
        path=outcome.document.path,
        kind=outcome.document.kind,
        verdict=outcome.verdict.decision,
        outcome=outcome.outcome,
        because=outcome.because,
        before=outcome.trial.before,
        after=outcome.trial.after,
        n=outcome.trial.n,
        edits=tuple(
            AnsweredEdit(op=e.edit.op, content=e.edit.content, target=e.edit.target, fate=e.fate)
            for e in outcome.tried.edits
        ),
    )
