"""From what was said and called to a session."""

from datetime import UTC, datetime

import pytest

from skillopt_sleep.records import Origin, Stamp
from skillopt_sleep.sources.draft import Called, Draft, Said, moment

STAMP = Stamp(1, 2, 1_800_000_000_000_000_000)


def test_a_tool_event_follows_the_turn_before_it() -> None:
    draft = Draft(
        items=[Called("Bash", "ls"), Said(Origin.USER, "go"), Said(Origin.ASSISTANT, "  "), Called("Bash", "make")]
    )
    session = draft.session("s", "1", STAMP, damaged=0)
    assert [event.turn for event in session.tools] == [0, 0]
    assert [turn.text for turn in session.turns] == ["go"]


def test_without_a_time_of_its_own_a_session_has_its_files() -> None:
    session = Draft().session("s", "1", STAMP, damaged=0)
    assert session.started == session.ended == datetime.fromtimestamp(1_800_000_000, UTC)


def test_times_that_go_backwards_do_not_end_a_session_before_it_began() -> None:
    draft = Draft(first="2026-11-20T09:00:00Z", last="2026-11-20T08:00:00Z")
    session = draft.session("s", "1", STAMP, damaged=0)
    assert session.started == session.ended == datetime(2026, 11, 20, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-11-20T08:00:00Z", "2026-11-20T08:00:00+00:00"),
        ("2026-11-20T08:00:00.1234567Z", "2026-11-20T08:00:00.123456+00:00"),
        ("2026-11-20T10:00:00+02:00", "2026-11-20T08:00:00+00:00"),
        ("2026-11-20T08:00:00", "2026-11-20T08:00:00+00:00"),
        (1795161600, "2026-11-20T08:00:00+00:00"),
        (1795161600000, "2026-11-20T08:00:00+00:00"),
    ],
)
def test_times_are_read_in_every_usual_form(written: str | float, read: str) -> None:
    found = moment(written)
    assert found is not None
    assert found.isoformat() == read


@pytest.mark.parametrize("written", ["yesterday", "", None, 1e300, -1e300])
def test_what_is_no_time_is_none(written: str | float | None) -> None:
    assert moment(written) is None
