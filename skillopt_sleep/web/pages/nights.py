"""The pages of past nights: what came of each, and one night as its report shows it, with its files."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.kit.words import when
from skillopt_sleep.records import (
    CUT_SHORT,
    OUTCOMES,
    NightReport,
    Outcome,
    Record,
    StepOutcome,
    solved,
    unknown_rate,
)
from skillopt_sleep.reporters.decided import told_of_all
from skillopt_sleep.reporters.page import values
from skillopt_sleep.reporters.past_nights import PastNight, PastNights, dollars, gain, past_nights, proposed, tokens
from skillopt_sleep.reporters.tried import arms, verdict
from skillopt_sleep.reporters.underway import Moment, moments
from skillopt_sleep.stores.events import read_events
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.web.alone import alone
from skillopt_sleep.web.paging import Stretch, skipped_in, stretch
from skillopt_sleep.web.site import Page, show, store_of

AT_ONCE = 15
PAGE_FILE = "report.html"
FILES = {
    PAGE_FILE: "this report as a page by itself, to keep or to send",
    "report.json": "the report as data",
    "diagnostics.json": "how the night ran, and why it ended so",
}
_MOST_BYTES = 64 * 1024 * 1024


class DocumentRow(Record, frozen=True, kw_only=True):
    """What a night did to one document, in words."""

    name: str
    verdict: str
    arms: str
    gain: str
    error_rate: str


class NightRow(Record, frozen=True, kw_only=True):
    """A night in the list; `tone` is good, bad, careful or "", and the counts are "" if they aren't known."""

    id: str
    when: str
    outcome: str
    tone: str
    has_report: bool
    because: str = ""
    sessions: str = ""
    calls: str = ""
    tokens: str = ""
    dollars: str = ""
    documents: tuple[DocumentRow, ...] = ()


class Nights(Record, frozen=True, kw_only=True):
    """Some of the nights, newest first."""

    rows: tuple[NightRow, ...]
    stretch: Stretch


class Night(Record, frozen=True, kw_only=True):
    """One night: what its report shows, empty without one, the files it left, and what happened in it."""

    row: NightRow
    page: Mapping[str, Any]
    files: tuple[tuple[str, str], ...]
    told: tuple[Moment, ...]


def nights(store: SqliteStore, *, skipped: int, now: datetime) -> Nights:
    """Return a page of the list, which so many newer nights come before; past the end, the last page."""
    part = stretch(len(store.nights()), skipped=skipped, at_once=AT_ONCE)
    past = past_nights(store, now=now, last=AT_ONCE, skipped=part.rows.start)
    return Nights(rows=tuple(_row(night, past, now=now) for night in past.nights), stretch=part)


def one_night(store: SqliteStore, name: str, *, now: datetime) -> Night | None:
    """Return a night by its id, None if there is none."""
    line = next((line for line in store.nights() if line.id == name), None)
    if line is None:
        return None
    report = store.report(name)
    past = PastNights((), 0, {}, {}, running=line.closed is None and store.is_running())
    folder = store.folder(name)
    return Night(
        row=_row(PastNight(line, report), past, now=now),
        page=_page(store, report, folder, now=now) if report else {},
        files=tuple((file, what) for file, what in FILES.items() if (folder / file).is_file()),
        told=moments(read_events(folder)),
    )


def _page(store: SqliteStore, report: NightReport, folder: Path, *, now: datetime) -> dict[str, Any]:
    """Return what the report of a night shows, as things are now."""
    waits = [banked.proposal.id for banked in store.bank.to_decide(now)]
    own = [one for proposal in report.proposals for one in store.bank.family(proposal.id)]
    return values(report, waits, folder=folder, decided=told_of_all(own, waits))


def _row(night: PastNight, past: PastNights, *, now: datetime) -> NightRow:
    line, report = night
    outcome, tone = _outcome(night, running=past.running)
    row = NightRow(
        id=line.id, when=when(line.started, now), outcome=outcome, tone=tone, has_report=report is not None
    )
    if report is None:
        return row
    spend = report.spend
    return NightRow(
        id=row.id,
        when=row.when,
        outcome=outcome,
        tone=tone,
        has_report=True,
        because="" if report.documents else report.because,
        sessions=f"{report.sessions.used:,}",
        calls=f"{spend.calls:,}",
        tokens=tokens(spend),
        dollars=dollars(spend),
        documents=tuple(_document(step, report, past) for step in report.documents),
    )


def _outcome(night: PastNight, *, running: bool) -> tuple[str, str]:
    """Return what came of a night in words, and their tone."""
    outcome = night.line.outcome
    if outcome is None:
        return ("running now", "") if running else ("not over; the next run goes on with it", "careful")
    return OUTCOMES[outcome], _tone(outcome)


def _tone(outcome: Outcome) -> str:
    if outcome in CUT_SHORT:
        return "bad"
    return "good" if outcome is Outcome.IMPROVED else ""


def _document(step: StepOutcome, report: NightReport, past: PastNights) -> DocumentRow:
    shown_arms = ""
    if step.trial.n:
        shown_arms = f"{'solved' if solved(step.trial.own) else 'grade'} {arms(step.trial)}"
    label, _, _ = unknown_rate(step.verdict.error_rate).partition(":")
    return DocumentRow(
        name=step.document.id,
        verdict=f"{verdict(step)}{proposed(report, step, past.told)}",
        arms=shown_arms,
        gain=gain(step),
        error_rate=label,
    )


def _list(request: Request) -> Response:
    with store_of(request) as store:
        view = nights(store, skipped=skipped_in(request), now=utc_now())
    return show(request, "nights.html.j2", view, title="Nights")


def _one(request: Request) -> Response:
    with store_of(request) as store:
        view = one_night(store, request.path_params["night"], now=utc_now())
    if view is None:
        raise HTTPException(404)
    return show(request, "night.html.j2", view, title=f"Night of {view.row.id}")


def _file(request: Request) -> Response:
    """Serve a file of a night; which night and which file are looked up, never put together from the address."""
    wanted, file = request.path_params["night"], request.path_params["file"]
    with store_of(request) as store:
        known = next((line.id for line in store.nights() if line.id == wanted), None)
        if known is None or file not in FILES:
            raise HTTPException(404)
        path = store.folder(known) / file
    try:
        data = read_plain(path, most=_MOST_BYTES)
    except OSError as error:
        raise HTTPException(404) from error
    return alone(data) if file == PAGE_FILE else Response(data, media_type="application/json")


PAGE = Page(
    "/nights",
    "Nights",
    (Route("/nights", _list), Route("/nights/{night}", _one), Route("/nights/{night}/{file}", _file)),
)
