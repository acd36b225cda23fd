"""The page of tonight: a running night as it goes on, else when the next one is and how the last one went."""

from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.daemon.shown import daemon_rows
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.words import length, when
from skillopt_sleep.records import OUTCOMES, Record
from skillopt_sleep.reporters.underway import Moment, moments, spending, time_left
from skillopt_sleep.reporters.words import stage_words
from skillopt_sleep.settings import Paths
from skillopt_sleep.stores.events import read_events
from skillopt_sleep.stores.progress import Progress, read_progress
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.web.site import Page, show, site_of, store_of

_MOST_STAGES = 8


class Stage(Record, frozen=True, kw_only=True):
    """A stage that is going on; `share` is how much of it is done, in percent."""

    name: str
    done: int
    all: int
    share: float


class Running(Record, frozen=True, kw_only=True):
    """A night that runs: how long already, what it has spent, and what it is doing; `more` stages aren't listed."""

    night: str
    since: str
    left: str
    spent: str
    share: float
    stages: tuple[Stage, ...]
    more: int


class Tonight(Record, frozen=True, kw_only=True):
    """The running night, None if none runs; `told` is what happened in it, else in the `last` night.

    `held` says that a night runs, though how far it is isn't known; `unfinished` names one that was cut off.
    """

    running: Running | None
    held: bool
    unfinished: str
    next: tuple[tuple[str, str], ...]
    last: str
    last_words: str
    told: tuple[Moment, ...]


def tonight(store: SqliteStore, paths: Paths, *, now: datetime) -> Tonight:
    """Return what goes on now."""
    nights = store.nights()
    progress = read_progress(paths.data)
    held = progress is not None or store.is_running()
    closed = next((night for night in nights if night.closed), None)
    unfinished = next((night.id for night in nights if not night.closed), "")
    of = progress.night if progress else ""
    if not of and closed:
        of = closed.id
    last_words = ""
    if closed and closed.outcome:
        last_words = f"{when(closed.started, now)}: {OUTCOMES[closed.outcome]}"
    return Tonight(
        running=_running(progress, now) if progress else None,
        held=held,
        unfinished="" if held else unfinished,
        next=tuple(daemon_rows(paths, now=now)),
        last=closed.id if closed else "",
        last_words=last_words,
        told=moments(read_events(store.folder(of))) if of else (),
    )


def _running(progress: Progress, now: datetime) -> Running:
    stages: list[Stage] = []
    for stage in progress.stages[-_MOST_STAGES:]:
        share = round(100 * stage.done / max(stage.total, 1), 1)
        stages.append(Stage(name=stage_words(stage.label), done=stage.done, all=stage.total, share=share))
    return Running(
        night=progress.night,
        since=length(now - progress.started),
        left=time_left(progress, now=now),
        spent=spending(progress),
        share=round(100 * min(progress.calls / max(progress.most_calls, 1), 1), 1),
        stages=tuple(stages),
        more=len(progress.stages) - len(stages),
    )


def _show(request: Request) -> Response:
    with store_of(request) as store:
        view = tonight(store, site_of(request).paths, now=utc_now())
    return show(request, "tonight.html.j2", view, title="Tonight")


PAGE = Page("/tonight", "Tonight", (Route("/tonight", _show),))
