"""Write report.json, the whole report as data, and make the short answer that `run --json` prints."""

from pathlib import Path

from skillopt_sleep.errors import CallPending
from skillopt_sleep.kit.codec import map_strings, to_json
from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import (
    AppliedEdit,
    Decision,
    DocumentKind,
    EditFate,
    EditOp,
    NightReport,
    Note,
    Outcome,
    Proof,
    Proposal,
    Record,
    RuleWarning,
    SessionCounts,
    StepOutcome,
)
from skillopt_sleep.reporters.attempts import head


class DataReporter:
    """Write the whole NightReport as JSON."""

    def write(self, report: NightReport, folder: Path) -> Path:
        """Write report.json and return its path."""
        path = folder / "report.json"
        write_atomic(path, to_json(map_strings(report, redact), pretty=True))
        return path


class TriedEdit(Record, frozen=True, kw_only=True):
    """An edit that was tried, what became of it, and why."""

    op: EditOp
    content: str
    target: str
    fate: EditFate
    because: str


class AnsweredDocument(Record, frozen=True, kw_only=True):
    """A document with the gate's verdict, the mean scores on `n` unseen pairs, and the outcome of its step."""

    id: str
    path: str
    kind: DocumentKind
    verdict: Decision
    outcome: Outcome
    because: str
    before: float | None
    after: float | None
    n: int
    edits: tuple[TriedEdit, ...]


class AnsweredProposal(Record, frozen=True, kw_only=True):
    """A proposal to adopt or reject; `proof`, `warnings` and `one_model` say how far to trust it.

    `also` are the paths of further files that it changes; `read_by` are the agents that read one of its files.
    """

    id: str
    version: int
    proof: Proof
    document: str
    path: str
    also: tuple[str, ...]
    read_by: tuple[str, ...]
    summary: str
    warnings: tuple[RuleWarning, ...]
    one_model: str
    folder: str


class AnsweredSpend(Record, frozen=True, kw_only=True):
    """The spending of the night; null means unknown."""

    calls: int
    tokens: int | None
    usd: float | None


class RunAnswer(Record, frozen=True, kw_only=True):
    """The output of `run --json`."""

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
    """The output of `run --json` while prompts wait for answers: there is no verdict yet; run it again later."""

    schema_version: int
    verdict: None
    waiting: int
    because: str
    remedy: str


def answer(report: NightReport) -> RunAnswer:
    """Return the short answer of a night."""
    return RunAnswer(
        schema_version=report.schema_version,
        night=report.night,
        verdict=report.verdict,
        because=report.because,
        remedy=report.remedy,
        folder=report.run.folder,
        sessions=report.found.sessions,
        tasks=report.found.tasks,
        documents=tuple(_document(outcome) for outcome in report.documents),
        proposals=tuple(_proposal(proposal, report) for proposal in report.proposals),
        spend=AnsweredSpend(calls=report.spend.calls, tokens=report.spend.tokens, usd=report.spend.usd),
        errors=report.errors,
    )


def paused(error: CallPending) -> Paused:
    """Return the answer of a night that goes on once its prompts are answered."""
    return Paused(schema_version=1, verdict=None, waiting=error.waiting, because=error.message, remedy=error.remedy)


def _proposal(proposal: Proposal, report: NightReport) -> AnsweredProposal:
    nights = Path(report.run.folder).parent
    return AnsweredProposal(
        id=proposal.id,
        version=proposal.version,
        proof=proposal.proof,
        document=proposal.document,
        path=proposal.path,
        also=proposal.paths[1:],
        read_by=proposal.read_by,
        summary=proposal.summary,
        warnings=proposal.warnings,
        one_model=proposal.tested.one_model,
        folder=str(nights / proposal.night / "proposals" / proposal.id),
    )


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
        edits=tuple(map(tried_edit, outcome.tried.edits)),
    )


def tried_edit(applied: AppliedEdit, *, most: int = 0) -> TriedEdit:
    """Return an edit with what became of it, each text cut to at most so many characters, if that isn't 0."""
    edit = applied.edit
    content, target, because = edit.content, edit.target, applied.because
    if most:
        content, target, because = head(content, most), head(target, most), head(because, most)
    return TriedEdit(op=edit.op, content=content, target=target, fate=applied.fate, because=because)
