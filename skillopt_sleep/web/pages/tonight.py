"""The page of tonight: a running night as it goes on, else when the next one is and how the last one went."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.daemon.status import daemon_rows
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.words import length, when
from skillopt_sleep.pages.blocks import Item, Items, Link
from skillopt_sleep.records import OUTCOMES
from skillopt_sleep.reporters.underway import in_a_table, moments, spending, time_left
from skillopt_sleep.reporters.words import stage_words
from skillopt_sleep.stores.events import read_events
from skillopt_sleep.stores.running import read_progress
from skillopt_sleep.web.site import Page, show, site_of, store_of

MOMENTS = 30  # that are shown; the page of the night has all
MOST_STAGES = 8


def _show(request: Request) -> Response:
    paths, now = site_of(request).paths, utc_now()
    progress = read_progress(paths.data)
    with store_of(request) as store:
        nights = store.nights()
        held = progress is not None or store.is_running()
        told = moments(read_events(store.folder(progress.night))) if progress else ()
    closed = next((night for night in nights if night.closed), None)
    unfinished = next((night.id for night in nights if not night.closed), "")
    coming = [Item(f"{label}: {value}") for label, value in daemon_rows(paths, now=now)]
    if closed and closed.outcome:
        went = f"{when(closed.started, now)}: {OUTCOMES[closed.outcome]}"
        coming.append(Item("Last night:", link=Link(went, f"/nights/{closed.id}")))
    return show(
        request,
        "tonight.html.j2",
        title="Tonight",
        running=progress,
        since=length(now - progress.started) if progress else "",
        left=time_left(progress, now=now) if progress else "",
        spent=spending(progress) if progress else "",
        most_stages=MOST_STAGES,
        stage_words=stage_words,
        held=held,
        unfinished="" if held else unfinished,
        coming=[Items(tuple(coming))],
        slept=closed is not None,
        told=in_a_table(told[-MOMENTS:]),
    )


PAGE = Page("/tonight", "Tonight", (Route("/tonight", _show),))
