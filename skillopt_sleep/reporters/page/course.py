"""Lay out the course of a night by the log of its events: which stage ran when, and on how many items."""

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.kit.words import counted, length
from skillopt_sleep.pages.axis import Scale
from skillopt_sleep.reporters.words import stage_words
from skillopt_sleep.stores.events import Event, EventKind, read_events

MOST = 24  # stages


class Span(NamedTuple):
    """A stage: where it stands between the beginning and the end of the night in percent, and that in words."""

    name: str
    x: float
    width: float
    told: str


class Course(NamedTuple):
    """The stages of a night in the order they began; so many more are left out."""

    spans: list[Span]
    more: int
    began: str
    ended: str


class _Run:
    """A stage from its first event to its last new item, and how many of its items were done, each time it ran."""

    def __init__(self, event: Event) -> None:
        self.began = event.at
        self.ended = event.at
        self.items = 0
        self._done = 0
        self._current = 0

    def add(self, event: Event) -> None:
        """Take up an event of the stage."""
        self._done += max(event.done - self._current, 0)
        self._current = 0 if event.done == event.total else event.done
        if self._done > self.items:
            self.items = self._done
            self.ended = event.at

    def go_on(self) -> None:
        """Start counting anew: a night that goes on tells what was done before once more."""
        self._done = self._current = 0


def course(folder: Path | None) -> Course | None:
    """Return the course of the night in this folder; None if no stage of it is known."""
    events = list(read_events(folder)) if folder else []
    runs: dict[str, _Run] = {}
    for event in events:
        if event.kind is EventKind.BEGINS:
            for run in runs.values():
                run.go_on()
        if event.kind is EventKind.STAGE:
            runs.setdefault(event.stage, _Run(event)).add(event)
    if not runs:
        return None
    first, last = events[0].at, max(event.at for event in events)
    spans = [_span(label, run, first, last) for label, run in runs.items()]
    return Course(spans[:MOST], len(spans[MOST:]), _time(first), _time(last))


def _span(label: str, run: _Run, first: datetime, last: datetime) -> Span:
    across = Scale(low=0, high=max((last - first).total_seconds(), 0.001))
    x = across.share((run.began - first).total_seconds())
    end = across.share((run.ended - first).total_seconds())
    told = f"{counted(run.items, 'item')} in {length(run.ended - run.began)}"
    return Span(stage_words(label), x, max(round(end - x, 2), 0.5), told)


def _time(at: datetime) -> str:
    return f"{at.astimezone():%H:%M}"
