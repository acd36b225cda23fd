"""The pages of past nights: what came of each, and one night as its report shows it, with its files."""

from datetime import datetime

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.kit.words import when
from skillopt_sleep.pages.blocks import Block, Fold, Heading, Item, Items, Link, Sentence
from skillopt_sleep.records import NightReport
from skillopt_sleep.reporters.night import Night, blocks
from skillopt_sleep.reporters.past_nights import in_short, outcome as came_of, past_nights
from skillopt_sleep.reporters.status import NO_NIGHT, NO_REPORT, told_of_all
from skillopt_sleep.reporters.underway import in_a_table, moments
from skillopt_sleep.stores.events import read_events
from skillopt_sleep.stores.sqlite import NightLine, SqliteStore
from skillopt_sleep.web.site import Page, paged, show_blocks, store_of, whole_page

AT_ONCE = 15
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
        part = paged(request, store.nights(), at_once=AT_ONCE)
        past = past_nights(store, now=now, last=AT_ONCE, skipped=max(part.first - 1, 0))
    shown: list[Block] = []
    for line, report in past.nights:
        outcome, tone = came_of(line, running=past.running)
        shown.append(Heading(_title(line, now), address=f"/nights/{line.id}"))
        shown.append(Sentence(outcome, tone))
        shown += in_short(report, past.told)
    if not past.nights:
        shown.append(Sentence(NO_NIGHT, "empty", Link("How to begin", "/")))
    return show_blocks(request, shown, title="Nights", kind="nights", part=part)


def _one(request: Request) -> Response:
    """Show what the report of a night says, as things are now, what happened in it, and its files."""
    now = utc_now()
    with store_of(request) as store:
        line = _line(store, request.path_params["night"])
        outcome, tone = came_of(line, running=line.closed is None and store.is_running())
        report, folder = store.report(line.id), store.folder(line.id)
        page = _page(store, report, now=now) if report else (Sentence(NO_REPORT, "empty"),)
    shown = [Sentence(outcome, tone), *page]
    told = moments(read_events(folder))
    if told:
        shown.append(Fold("What happened", (in_a_table(told),)))
    files = [
        Item(f"{what}:", link=Link(file, f"/nights/{line.id}/{file}"))
        for file, what in FILES.items()
        if (folder / file).is_file()
    ]
    if files:
        shown += [Heading("Its files"), Items(tuple(files))]
    heading, trail = _title(line, now), Link("Nights", "/nights")
    return show_blocks(request, shown, title=f"Night of {line.id}", heading=heading, trail=trail)


def _title(line: NightLine, now: datetime) -> str:
    at = when(line.started, now)
    return f"{at[:1].upper()}{at[1:]}"


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
        Route("/nights/{night}/{file}", _file),
    ),
)
