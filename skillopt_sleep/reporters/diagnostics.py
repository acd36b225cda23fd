"""Write diagnostics.json: how a night ran and why it ended as it did, above all a night without proposals."""

import platform
from collections import Counter
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec.structs import replace

from skillopt_sleep import __version__
from skillopt_sleep.kit.codec import map_strings, to_json
from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import (
    ErrorRate,
    Findings,
    FreshRound,
    GuardResult,
    Judged,
    Judging,
    NightReport,
    Note,
    Outcome,
    Purpose,
    Record,
    Spend,
    StepOutcome,
    StepTasks,
    Verdict,
)
from skillopt_sleep.reporters.attempts import AttemptedTasks, attempted_tasks, head, rows
from skillopt_sleep.reporters.data import TriedEdit, tried_edit
from skillopt_sleep.reporters.night_words import NoiseFloor, noise_floor

MOST_EDITS = 20
EDIT_CHARS = 300
RULES_CHARS = 2_000
REPLY_CHARS = 2_000
FAILURE_CHARS = 400


class LastReply(Record, frozen=True, kw_only=True):
    """The head of the last reply to this kind of question about a document, as it came; `failure` says why it failed.

    The whole reply has so many `characters`; `calls` such questions were asked about the document, again and again
    with the same words counted once.
    """

    purpose: Purpose
    reply: str
    characters: int
    failure: str = ""
    calls: int = 1


class LastFailure(Record, frozen=True, kw_only=True):
    """The last failure of one kind of call, and how many of its `calls` failed."""

    purpose: Purpose
    failure: str
    about: str = ""
    failed: int = 1
    calls: int = 1


class DiagnosedRun(Record, frozen=True, kw_only=True):
    """How long a night took, with which models, limits and versions, and whether it was resumed."""

    started: datetime
    ended: datetime
    seconds: float
    resumed: bool
    model: str
    limits: dict[str, float]
    skillopt_sleep: str
    python: str
    system: str


class DiagnosedDocument(Record, frozen=True, kw_only=True):
    """One document: its tasks by side, its edits by fate, every trial pair by pair, and the outcome.

    `rules` is the head of what is in our part of it already, which the edits would change. `replies` are the
    optimizer's last ones about it, `edits` the first of those it proposed, and `attempts` the last ones at its tasks,
    with and without the change. `guard` asked about other lessons, `fresh` is the round after an acceptance, which
    measures the gain, and `test` that on what was kept back; `noise` is how far grades of a request that was asked
    repeatedly, without a change, lie apart.
    """

    id: str
    path: str
    outcome: Outcome
    because: str
    verdict: Verdict
    tasks: StepTasks
    rules: str
    replies: tuple[LastReply, ...]
    fates: dict[str, int]
    edits: tuple[TriedEdit, ...]
    attempts: AttemptedTasks
    trials: tuple[Judged, ...]
    guard: GuardResult
    fresh: FreshRound
    test: FreshRound
    noise: NoiseFloor | None


class Diagnostics(Record, frozen=True, kw_only=True):
    """A night in detail; `noise` is the noise floor over all its documents.

    `found` says what became of what the person said or did, `judging` what could be judged and by what, `failures`
    how each kind of call failed last.
    """

    schema_version: int
    night: str
    verdict: Outcome
    because: str
    remedy: str
    run: DiagnosedRun
    found: Findings
    judging: Judging
    noise: NoiseFloor | None
    documents: tuple[DiagnosedDocument, ...]
    proposals: tuple[str, ...]
    spend: Spend
    error_rate: ErrorRate | None
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
    replies, failures = last_calls(folder)
    documents: list[DiagnosedDocument] = []
    for outcome in report.documents:
        name = redact(outcome.document.id)
        documents.append(_document(outcome, attempts[name], replies.get(name, ())))
    return Diagnostics(
        schema_version=report.schema_version,
        night=report.night,
        verdict=report.verdict,
        because=report.because,
        remedy=report.remedy,
        run=DiagnosedRun(
            started=report.started,
            ended=report.ended,
            seconds=(report.ended - report.started).total_seconds(),
            resumed=report.run.resumed,
            model=report.run.model,
            limits=report.run.limits,
            skillopt_sleep=__version__,
            python=platform.python_version(),
            system=platform.platform(terse=True),
        ),
        found=report.found,
        judging=report.judging,
        noise=noise_floor(report.documents),
        documents=tuple(documents),
        proposals=tuple(proposal.id for proposal in report.proposals),
        spend=report.spend,
        error_rate=report.error_rate,
        failures=failures,
        errors=report.errors,
    )


def _document(outcome: StepOutcome, attempts: AttemptedTasks, replies: tuple[LastReply, ...]) -> DiagnosedDocument:
    return DiagnosedDocument(
        id=outcome.document.id,
        path=outcome.document.path,
        outcome=outcome.outcome,
        because=outcome.because,
        verdict=outcome.verdict,
        tasks=outcome.tasks,
        rules=head(outcome.document.body.strip(), RULES_CHARS),
        replies=replies,
        fates=dict(Counter(edit.fate.value for edit in outcome.tried.edits)),
        edits=tuple(tried_edit(applied, most=EDIT_CHARS) for applied in outcome.tried.edits[:MOST_EDITS]),
        attempts=attempts,
        trials=outcome.tried.tested,
        guard=outcome.guard,
        fresh=outcome.fresh,
        test=outcome.kept_back,
        noise=noise_floor((outcome,)),
    )


class _Call(msgspec.Struct):
    purpose: Purpose
    reply: str = ""
    failure: str = ""
    about: str = ""


def last_calls(folder: Path) -> tuple[dict[str, tuple[LastReply, ...]], tuple[LastFailure, ...]]:
    """Return the last replies about each document, by its redacted id, and the last failures of a night's calls."""
    calls: Counter[Purpose] = Counter()
    failures: dict[Purpose, LastFailure] = {}
    replies: dict[str, dict[Purpose, LastReply]] = {}
    for call in rows(folder / "calls.jsonl", _Call):
        calls[call.purpose] += 1
        if call.failure:
            known = failures.get(call.purpose)
            failures[call.purpose] = LastFailure(
                purpose=call.purpose,
                failure=head(call.failure, FAILURE_CHARS),
                about=call.about,
                failed=1 + (known.failed if known else 0),
            )
        if call.about:
            of_document = replies.setdefault(call.about, {})
            of_document[call.purpose] = _later(of_document.get(call.purpose), call)
    last = tuple(replace(failures[one], calls=calls[one]) for one in Purpose if one in failures)
    return {name: tuple(of_document.values()) for name, of_document in replies.items()}, last


def _later(known: LastReply | None, call: _Call) -> LastReply:
    return LastReply(
        purpose=call.purpose,
        reply=head(call.reply, REPLY_CHARS),
        characters=len(call.reply),
        failure=head(call.failure, FAILURE_CHARS),
        calls=1 + (known.calls if known else 0),
    )
