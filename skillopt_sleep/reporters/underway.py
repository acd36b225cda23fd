"""Say how far a running night is: what it has spent, how long it can still take, and how it went so far."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from skillopt_sleep.kit.words import counted, length
from skillopt_sleep.pages.blocks import Table
from skillopt_sleep.records import Record
from skillopt_sleep.reporters.costs import amount
from skillopt_sleep.reporters.words import stage_words
from skillopt_sleep.stores.events import EventKind, NightEvent
from skillopt_sleep.stores.running import Progress


class Moment(Record, frozen=True, kw_only=True):
    """Something that happened in a night, in words."""

    at: datetime
    what: str
    says: str = ""


def spending(progress: Progress) -> str:
    """Return what a night has spent: calls of how many at most, dollars if they are known, else tokens."""
    calls = f"{progress.calls} of at most {progress.most_calls} calls"
    return ", ".join([calls, *cost(progress.usd, progress.tokens)])


def cost(usd: float | None, tokens: int | None) -> list[str]:
    """Return the dollars in words if they are known and some, else the tokens, else nothing."""
    if usd:
        return [amount(usd)]
    if tokens is None:
        return []
    return [f"{tokens:,} tokens"]


def time_left(progress: Progress, *, now: datetime) -> str:
    """Return how long a night can still take, by its limit in minutes; "" if it has none."""
    if not progress.most_minutes:
        return ""
    passed = max(now - progress.started, timedelta())
    left = max(timedelta(minutes=progress.most_minutes) - passed, timedelta())
    return f"at most {length(left)} left"


def moments(events: Sequence[NightEvent]) -> tuple[Moment, ...]:
    """Return how a night went: when it began, the stages that it finished, what it decided, and when it ended.

    Each is told once, where it happened last: a night that goes on repeats what it did before from the answers kept.
    """
    last = {(event.kind, event.stage, event.document): place for place, event in enumerate(events) if _is_told(event)}
    told: list[Moment] = []
    done: dict[str, int] = {}
    for place, event in enumerate(events):
        if event.kind is EventKind.BEGINS:
            done.clear()
        if not _is_told(event):
            continue
        done[event.stage] = done.get(event.stage, 0) + event.total
        if told and last[event.kind, event.stage, event.document] != place:
            continue
        if event.kind is EventKind.STAGE:
            told.append(Moment(at=event.at, what=stage_words(event.stage), says=counted(done[event.stage], "call")))
        else:
            told.append(_moment(event, again=bool(told)))
    return tuple(told)


def in_a_table(told: Iterable[Moment]) -> Table:
    """Return these moments, one after the other."""
    rows = [(f"{one.at.astimezone():%H:%M:%S}", one.what, one.says) for one in told]
    return Table(("time", "what happened", "how it went"), tuple(rows))


def _is_told(event: NightEvent) -> bool:
    return event.kind is not EventKind.STAGE or event.done == event.total


def _moment(event: NightEvent, *, again: bool) -> Moment:
    if event.kind is EventKind.VERDICT:
        return Moment(at=event.at, what=event.document, says=event.says)
    if event.kind is EventKind.ENDS:
        return Moment(at=event.at, what="The night ends")
    return Moment(at=event.at, what="The night goes on where it was interrupted" if again else "The night begins")
