from datetime import UTC, datetime, time, timedelta

import pytest

from skillopt_sleep.daemon.backlog import (
    MOST_TRIES,
    RETRY,
    Backlog,
    NightResult,
    after_night,
    update,
    with_reason,
    without_delay,
)
from skillopt_sleep.daemon.schedule import Served, newest_slot

AT = time(4, 17)
NOW = datetime(2027, 5, 2, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
FAILED = NightResult("backend_failed", "the server was down", finished=False)


def owed(now: datetime = NOW) -> Backlog:
    before = Backlog(served=Served(slot=newest_slot(now - timedelta(days=1), AT, UTC)))
    return look(before, now)


def look(backlog: Backlog, now: datetime = NOW) -> Backlog:
    return update(backlog, now=now, at=AT, zone=UTC, finished=lambda: None)


def test_what_is_owed_stays_owed_with_what_it_waits_for() -> None:
    backlog = with_reason(owed(), "on battery")
    assert backlog.pending is not None
    assert look(backlog, NOW + HOUR) == backlog


def test_a_night_that_waited_until_the_next_slot_is_told_of_as_missed() -> None:
    backlog = look(with_reason(owed(), "on battery"), NOW + timedelta(days=1))
    assert backlog.missed is not None
    assert (backlog.missed.day.isoformat(), backlog.missed.because) == ("2027-05-02", "on battery")
    assert backlog.pending is not None
    assert backlog.pending.slot.day.isoformat() == "2027-05-03"
    assert backlog.pending.waiting == ""


@pytest.mark.parametrize("waiting", ["", "on battery"])
def test_a_day_at_whose_time_nobody_looked_is_told_of_once_and_one_night_is_owed(waiting: str) -> None:
    backlog = look(with_reason(owed(), waiting), NOW + timedelta(days=3))
    assert backlog.pending is not None
    assert backlog.missed is not None
    assert (backlog.pending.slot.day.isoformat(), backlog.missed.day.isoformat()) == ("2027-05-05", "2027-05-04")
    assert "asleep" in backlog.missed.because
    assert "3 nights" in backlog.missed.because
    assert look(backlog, NOW + timedelta(days=3, hours=1)) == backlog


def test_a_night_by_hand_counts_for_the_day_on_which_nobody_looked() -> None:
    served = Backlog(served=Served(slot=newest_slot(NOW - timedelta(days=2), AT, UTC)))
    for hours, missed in ((0, False), (-24, False), (-30, True)):
        by_hand = NOW + timedelta(hours=hours)
        backlog = update(served, now=NOW + HOUR, at=AT, zone=UTC, finished=lambda by_hand=by_hand: by_hand)
        assert bool(backlog.missed) is missed
        assert "nights" not in (backlog.missed.because if backlog.missed else "")


def test_a_night_by_hand_pays_what_is_owed() -> None:
    backlog = update(owed(), now=NOW + HOUR, at=AT, zone=UTC, finished=lambda: NOW)
    assert backlog.pending is None
    assert backlog.missed is None


def test_a_night_that_ran_or_was_cancelled_is_served() -> None:
    backlog = owed()
    assert backlog.pending is not None
    slot = backlog.pending.slot
    done = after_night(backlog, slot, NightResult("improved", "1 proposal", finished=True), now=NOW)
    stopped = NightResult("interrupted", "it was stopped", finished=False)
    cancelled = after_night(backlog, slot, stopped, now=NOW, cancelled=True)
    for after in (done, cancelled):
        assert after.pending is None
        assert after.served == Served(slot=slot)
        assert look(after).pending is None


def test_a_night_that_fails_is_tried_again_after_a_while_but_not_for_ever() -> None:
    backlog, now = owed(), NOW
    for _ in range(MOST_TRIES - 1):
        assert backlog.pending is not None
        backlog = look(after_night(backlog, backlog.pending.slot, FAILED, now=now), now)
        assert backlog.pending is not None
        assert backlog.pending.not_before == now + RETRY
        assert backlog.pending.waiting == FAILED.because
        now += HOUR
    assert backlog.pending is not None
    backlog = look(after_night(backlog, backlog.pending.slot, FAILED, now=now), now)
    assert backlog.pending is None
    assert backlog.missed is not None
    assert "tried 5 times" in backlog.missed.because


def test_a_night_that_found_the_lock_taken_is_no_try() -> None:
    backlog = owed()
    assert backlog.pending is not None
    after = after_night(
        backlog, backlog.pending.slot, NightResult("", "another night", finished=False, locked=True), now=NOW
    )
    assert after.pending is not None
    assert (after.pending.tries, after.pending.waiting) == (0, "another night")
    assert after.last is None


def test_a_night_that_the_settings_refuse_spends_no_try_and_waits_for_them() -> None:
    backlog, refused = owed(), NightResult("", "no model is named", finished=False, refused=True)
    for _ in range(MOST_TRIES + 1):
        assert backlog.pending is not None
        backlog = look(after_night(backlog, backlog.pending.slot, refused, now=NOW))
    assert backlog.pending is not None
    assert (backlog.pending.tries, backlog.pending.waiting) == (0, "no model is named")
    assert backlog.pending.not_before == NOW + RETRY
    assert backlog.missed is None
    mended = without_delay(backlog)
    assert mended.pending is not None
    assert mended.pending.not_before is None
    assert without_delay(Backlog()) == Backlog()
