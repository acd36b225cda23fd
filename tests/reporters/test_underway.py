from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.reporters.underway import moments, spending, time_left
from skillopt_sleep.stores.events import EventKind, NightEvent
from skillopt_sleep.stores.running import Progress

STARTED = datetime(2026, 3, 2, 3, tzinfo=UTC)
PROGRESS = Progress(
    night="2026-03-02", process=1, started=STARTED, calls=30, tokens=12_300, usd=0.0, most_calls=300, most_minutes=60
)


def test_money_is_told_where_it_is_known_and_not_nothing() -> None:
    assert spending(PROGRESS) == "30 of at most 300 calls, 12,300 tokens"
    assert spending(replace(PROGRESS, usd=0.31)) == "30 of at most 300 calls, $0.31"
    assert spending(replace(PROGRESS, usd=0.0031)) == "30 of at most 300 calls, $0.0031"
    assert spending(replace(PROGRESS, usd=None, tokens=None)) == "30 of at most 300 calls"


@pytest.mark.parametrize(
    ("passed", "left"),
    [(timedelta(minutes=3), "at most 57 min left"), (timedelta(minutes=70), "at most 0 s left")],
)
def test_the_time_left_is_what_the_limit_leaves(passed: timedelta, left: str) -> None:
    assert time_left(PROGRESS, now=STARTED + passed) == left


def test_without_a_limit_the_time_left_is_not_known() -> None:
    assert time_left(replace(PROGRESS, most_minutes=0), now=STARTED) == ""


def test_a_night_is_told_stage_by_stage_with_its_verdicts() -> None:
    def at(minute: int, kind: EventKind, **fields: Any) -> NightEvent:
        return NightEvent(at=STARTED + timedelta(minutes=minute), kind=kind, **fields)

    def trying(minute: int, done: int, total: int) -> NightEvent:
        return at(minute, EventKind.STAGE, stage="trial shop/CLAUDE.md", done=done, total=total)

    told = moments(
        [
            at(0, EventKind.BEGINS),
            at(0, EventKind.STAGE, stage="mine", done=0, total=2),
            at(1, EventKind.STAGE, stage="mine", done=2, total=2),
            trying(2, 0, 4),
            trying(3, 4, 4),
            trying(5, 8, 8),
            at(6, EventKind.VERDICT, document="shop/CLAUDE.md", says="proven", decision="accept"),
            at(8, EventKind.ENDS),
        ]
    )
    assert [(one.what, one.says) for one in told] == [
        ("The night begins", ""),
        ("finding corrections", "2 calls"),
        ("trying edits: shop/CLAUDE.md", "12 calls"),
        ("shop/CLAUDE.md", "proven"),
        ("The night ends", ""),
    ]


def test_a_night_that_went_on_again_and_again_is_told_once_with_what_was_done_once() -> None:
    def run(minute: int, *, tried: int) -> list[NightEvent]:
        at = STARTED + timedelta(minutes=minute)
        return [
            NightEvent(at=at, kind=EventKind.BEGINS),
            NightEvent(at=at, kind=EventKind.STAGE, stage="mine", done=2, total=2),
            NightEvent(at=at, kind=EventKind.STAGE, stage="trial a", done=tried, total=4),
            NightEvent(at=at, kind=EventKind.VERDICT, document="a", says="proven"),
            NightEvent(at=at, kind=EventKind.ENDS),
        ]

    told = moments([*run(0, tried=0), *run(10, tried=2), *run(20, tried=4)])

    assert [((one.at - STARTED) // timedelta(minutes=1), one.what, one.says) for one in told] == [
        (0, "The night begins", ""),
        (20, "The night goes on where it was interrupted", ""),
        (20, "finding corrections", "2 calls"),
        (20, "trying edits: a", "4 calls"),
        (20, "a", "proven"),
        (20, "The night ends", ""),
    ]
