"""Forget what is older than the person wants it kept, except what is live or waits for them."""

from datetime import datetime, timedelta
from typing import NamedTuple

from skillopt_sleep.keeping import files
from skillopt_sleep.records import Corrections, Document, Findings, Judging, NightReport, RecallRules, StepOutcome
from skillopt_sleep.reporters import REPORTERS
from skillopt_sleep.settings import Paths
from skillopt_sleep.stores.bank import ADOPTED, OPEN
from skillopt_sleep.stores.sqlite import SqliteStore

_OLD = "this night is older than bank.keep; its numbers are left"
_WITH_NUMBERS = frozenset({"report.json", "report.md", "report.html", "diagnostics.json"})


class Forgotten(NamedTuple):
    """The number of nights, sessions, tasks and lessons whose words were deleted."""

    nights: int = 0
    sessions: int = 0
    tasks: int = 0
    lessons: int = 0


def forget_old(store: SqliteStore, paths: Paths, *, keep: timedelta, now: datetime) -> Forgotten:
    """Forget what is older than `keep`, if that is any time: prompts, answers, sessions' texts, tasks, lessons.

    Of a night its numbers stay. What a live or waiting proposal rests on stays, and so do decisions, what waits for
    more evidence, and what the person wrote, edited or pinned. Tasks stay for as long as they are asked again too.
    """
    if not keep:
        return Forgotten()
    before = now - keep
    nights = store.retention.nights(before)
    for night in nights:
        _forget_night(store, night)
    needed = {entry.proposal.id: entry.proposal.night for entry in store.bank.proposals(*OPEN, ADOPTED)}
    old = {line.id for line in store.nights() if line.closed and line.closed < before}
    for folder in files.proposal_folders(paths):
        night = folder.parent.parent.name
        if night in old and needed.get(folder.name) != night:
            files.delete([folder])
    whole = (*files.logs(paths), *files.set_aside(paths), *files.calibrations(paths))
    files.delete(path for path in whole if path.stat().st_mtime < before.timestamp())
    tasks, lessons = store.retention.forget_lessons(
        before, asked=now - RecallRules().retire, named=store.history.named()
    )
    sessions = store.retention.forget_sessions(before)
    return Forgotten(len(nights), sessions, tasks, lessons)


def numbers(report: NightReport, *, because: str, documents: bool) -> NightReport:
    """Return the report without all words that people wrote; with `documents` also the numbers of each document.

    What is kept is listed: a part that is added to the report goes with the words unless it is named here.
    """
    return NightReport(
        night=report.night,
        started=report.started,
        ended=report.ended,
        verdict=report.verdict,
        because=because,
        run=report.run,
        found=Findings(
            sessions=report.found.sessions,
            tasks=report.found.tasks,
            corrections=Corrections(counts=report.found.corrections.counts),
        ),
        judging=Judging(calibrations=report.judging.calibrations),
        documents=tuple(map(_of_document, report.documents)) if documents else (),
        spend=report.spend,
        error_rate=report.error_rate,
    )


def _forget_night(store: SqliteStore, night: str) -> None:
    """Forget the words of a night: first its files, and in the store last, so that a killed night does it again."""
    folder = store.folder(night)
    report = store.report(night)
    files.delete(path for path in files.night_files(folder) if path.name not in _WITH_NUMBERS)
    left = None
    if report is not None:
        left = numbers(report, because=_OLD, documents=True)
        if folder.is_dir():
            for reporter in REPORTERS:
                reporter.write(left, folder)
    store.retention.forget_night(night, left)


def _of_document(outcome: StepOutcome) -> StepOutcome:
    document = outcome.document
    return StepOutcome(
        document=Document(
            id=document.id,
            kind=document.kind,
            path=document.path,
            project=document.project,
            body="",
            read_by=document.read_by,
        ),
        outcome=outcome.outcome,
        because="",
        verdict=outcome.verdict,
        trial=outcome.trial,
        fresh=outcome.fresh,
        tasks=outcome.tasks,
        kept_back=outcome.kept_back,
    )
