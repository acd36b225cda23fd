"""The pages of past nights: what came of each, and one night as its report shows it, with its files."""

from datetime import datetime

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.kit.words import when
from skillopt_sleep.pages.blocks import Block, Sentence
from skillopt_sleep.records import NightReport
from skillopt_sleep.reporters.night import Night, blocks
from skillopt_sleep.reporters.past_nights import in_short, outcome as came_of, past_nights
from skillopt_sleep.reporters.status import NO_REPORT, told_of_all
from skillopt_sleep.reporters.underway import moments
from skillopt_sleep.stores.events import read_events
from skillopt_sleep.stores.sqlite import NightLine, SqliteStore
from skillopt_sleep.web.site import Page, paged, show, skipped_in, store_of, whole_page

AT_ONCE = 15
MOMENTS = 60
PAGE_FILE = "report.html"
FILES = {
    PAGE_FILE: "this report as a page by itself, to keep or to send",
    "report.json": "the report as data",
    "diagnostics.json": "how it ran, and why it ended so",
}
_MOST_BYTES = 64 * 1024 * 1024


def _list(request: Request) -> Response:
    now = utc_now()
    with store_of(request) as store:
        part = paged(store.nights(), skipped=skipped_in(request), at_once=AT_ONCE)
        past = past_nights(store, now=now, last=AT_ONCE, skipped=max(part.first - 1, 0))
    shown = {
        line.id: (when(line.started, now), *came_of(line, running=past.running), tuple(in_short(report, past.told)))
        for line, report in past.nights
    }
    return show(request, "nights.html.j2", title="Nights", rows=part, shown=shown)


def _one(request: Request) -> Response:
    """Show what the report of a night says, as things are now."""
    now = utc_now()
    with store_of(request) as store:
        line = _line(store, request.path_params["night"])
        outcome, tone = came_of(line, running=line.closed is None and store.is_running())
        report, folder = store.report(line.id), store.folder(line.id)
        page = _page(store, report, now=now) if report else (Sentence(NO_REPORT, "empty"),)
    return show(
        request,
        "night.html.j2",
        title=f"Night of {line.id}",
        night=line.id,
        when=when(line.started, now),
        outcome=outcome,
        tone=tone,
        page=page,
        files={file: what for file, what in FILES.items() if (folder / file).is_file()},
        told=moments(read_events(folder)),
    )


def _page(store: SqliteStore, report: NightReport, *, now: datetime) -> tuple[Block, ...]:
    waits = [banked.proposal.id for banked in store.bank.to_decide(now)]
    own = [one for proposal in report.proposals for one in store.bank.family(proposal.id)]
    return blocks(Night(report, waits, store.folder(report.night), told_of_all(own, waits, now=now)))


def _line(store: SqliteStore, name: str) -> NightLine:
    """Return the night of this id; which night is looked up, never put together from an address."""
    for line in store.nights():
        if line.id == name:
            return line
    raise HTTPException(404)


def _course(request: Request) -> Response:
    """Show what happened in a night."""
    with store_of(request) as store:
        line = _line(store, request.path_params["night"])
        told = moments(read_events(store.folder(line.id)))
    return show(
        request,
        "course.html.j2",
        title=f"Night of {line.id}: what happened",
        night=line.id,
        when=when(line.started, utc_now()),
        told=paged(told, skipped=skipped_in(request), at_once=MOMENTS),
    )


def _file(request: Request) -> Response:
    """Serve a file of a night."""
    file = request.path_params["file"]
    with store_of(request) as store:
        line = _line(store, request.path_params["night"])
        if file not in FILES:
            raise HTTPException(404)
        path = store.folder(line.id) / file
    try:
        data = read_plain(path, most=_MOST_BYTES)
    except OSError as error:
        raise HTTPException(404) from error
    return whole_page(data) if file == PAGE_FILE else Response(data, media_type="application/json")


PAGE = Page(
    "/nights",
    "Nights",
    (
        Route("/nights", _list),
        Route("/nights/{night}", _one),
        Route("/nights/{night}/course", _course),
        Route("/nights/{night}/{file}", _file),
    ),
)
