"""Real store, index and nights under a clock that is put about: every session is used by exactly one night."""

import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from tests.nights import Machine

EVENTS = st.one_of(
    st.tuples(st.just("session"), st.just(0)),
    st.tuples(st.just("clock"), st.integers(-30, 40)),
    st.tuples(st.just("night"), st.just(0)),
)


@settings(max_examples=12, deadline=None)
@given(st.lists(EVENTS, min_size=3, max_size=12))
@pytest.mark.slow
def test_however_the_clock_goes_no_session_is_lost_or_used_twice(events: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        machine = Machine(Path(name))
        used = 0
        for what, hours in [*events, ("clock", 60), ("rest", 0), ("night", 0)]:
            if what == "session":
                machine.had(len(machine.shelf.sessions))
            elif what == "night":
                used += machine.night().found.sessions.used
            elif what == "clock":
                machine.clock.pass_by(hours=hours)
            else:
                # A session whose end lies ahead, or is just behind, is going on: it rests when its time has passed.
                rests = max((one.ended for one in machine.shelf.sessions), default=machine.clock()) + timedelta(
                    hours=1
                )
                machine.clock.now = max(machine.clock(), rests)
        assert used == len(machine.shelf.sessions)
        assert machine.unread() == []


def test_a_first_night_under_a_clock_years_ahead_makes_no_later_session_too_old(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.clock.pass_by(days=5 * 365)
    machine.night()
    machine.clock.pass_by(days=-5 * 365)
    machine.had(1, 2)
    assert machine.night().found.sessions.used == 2
