"""Keep the numbers of a night's report and drop all words that people wrote.

What is kept is listed: a part that is added to the report goes with the words unless it is named here.
"""

from skillopt_sleep.records import Corrections, Document, NightReport, StepOutcome


def numbers(report: NightReport, *, because: str, documents: bool) -> NightReport:
    """Return the report with outcome, counts and cost; with `documents` also the numbers of each document."""
    return NightReport(
        night=report.night,
        started=report.started,
        ended=report.ended,
        verdict=report.verdict,
        because=because,
        folder=report.folder,
        model=report.model,
        sessions=report.sessions,
        tasks=report.tasks,
        documents=tuple(map(_of_document, report.documents)) if documents else (),
        spend=report.spend,
        limits=report.limits,
        error_rate=report.error_rate,
        resumed=report.resumed,
        login_needed=report.login_needed,
        corrections=Corrections(counts=report.corrections.counts),
        calibrations=report.calibrations,
    )


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
        test=outcome.test,
    )
