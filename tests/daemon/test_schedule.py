from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings, strategies as st

from skillopt_sleep.daemon.backlog import Backlog, NightResult, after_night, upcoming, update
from skillopt_sleep.daemon.schedule import Served, Slot, corrected, is_due, newest_slot, next_slot, slot_of
from skillopt_sleep.kit.codec import from_json, to_json

AT = time(4, 17)
TICK = timedelta(minutes=10)
ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",  # half an hour
    "America/Santiago",  # at midnight
    "Africa/Casablanca",
    "Pacific/Auckland",
)
DONE = NightResult("nothing_new", "", finished=True)


def dst_nights(zone: ZoneInfo, year: int = 2027) -> list[date]:
    """The days of the year on which the clocks are put forward or back."""
    days = [date(year, 1, 1) + timedelta(days=n) for n in range(365)]
    return [day for day in days if _offset(day, zone) != _offset(day + timedelta(days=1), zone)]


def _offset(day: date, zone: ZoneInfo) -> timedelta | None:
    return datetime(day.year, day.month, day.day, tzinfo=zone).utcoffset()


@dataclass
class Machine:
    """A machine with a clock that may be wrong, in a zone that may change; it looks every ten minutes while awake."""

    now: datetime = datetime(2027, 5, 1, 12, tzinfo=UTC)
    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("Europe/Berlin"))
    at: time = AT
    night: timedelta = timedelta(minutes=30)
    backlog: Backlog = field(default_factory=Backlog)
    runs: list[Slot] = field(default_factory=list)
    whole: list[Slot] = field(default_factory=list)
    finished: datetime | None = None
    _left: timedelta | None = None

    def wake(self, length: timedelta) -> None:
        """Be awake so long."""
        end = self.now + length
        while self.now < end:
            self.look()
            self.now += TICK
            if self._left is not None:
                self._left -= TICK

    def sleep(self, length: timedelta) -> None:
        """Be suspended so long: a night that runs stands still as well."""
        self.now += length

    def restart(self) -> None:
        """The daemon is killed, with the night that runs, and started again: it knows what it wrote down."""
        self.backlog = from_json(to_json(self.backlog), Backlog)
        self._left = None

    def look(self) -> None:
        if self._left is None:
            self.backlog = update(self.backlog, now=self.now, at=self.at, zone=self.zone, finished=self._known_finish)
            if self.backlog.pending:
                if self.backlog.pending.slot not in self.runs[-1:]:
                    self.runs.append(self.backlog.pending.slot)
                self._left = self.night
        elif self._left <= timedelta():
            self._left, self.finished = None, self.now
            self.whole.append(self.runs[-1])
            self.backlog = after_night(self.backlog, self.runs[-1], DONE, now=self.now)

    def told(self) -> Slot:
        """The night that is announced."""
        self.look()
        return upcoming(self.backlog, now=self.now, at=self.at, zone=self.zone)

    def _known_finish(self) -> datetime | None:
        return self.finished if self.finished and self.finished <= self.now else None

    @property
    def days(self) -> list[date]:
        return [slot.day for slot in self.runs]


@pytest.mark.parametrize("at", [AT, time(0, 0), time(0, 30), time(1, 30), time(2, 0), time(2, 30), time(3, 0)])
@pytest.mark.parametrize("name", ZONES)
def test_both_nights_in_which_the_clocks_change_are_one_night_each(name: str, at: time) -> None:
    zone = ZoneInfo(name)
    changes = dst_nights(zone)
    assert len(changes) >= 2
    for change in changes:
        start = datetime.combine(change - timedelta(days=2), time(12), tzinfo=zone).astimezone(UTC)
        machine = Machine(now=start, zone=zone, at=at)
        machine.wake(timedelta(days=5))
        assert machine.days == [change + timedelta(days=n) for n in range(-1, 4)][: len(machine.days)]
        assert len(machine.days) == 5


@pytest.mark.parametrize("name", ZONES)
def test_a_day_has_one_slot_and_slots_are_in_order(name: str) -> None:
    zone = ZoneInfo(name)
    slots = [slot_of(date(2027, 1, 1) + timedelta(days=n), time(2, 30), zone) for n in range(365)]
    assert sorted(slots, key=lambda slot: slot.at) == slots
    for slot in slots:
        assert slot.at.astimezone(zone).date() == slot.day
        assert newest_slot(slot.at, time(2, 30), zone) == slot
        assert next_slot(slot.at - timedelta(seconds=1), time(2, 30), zone) == slot


@pytest.mark.parametrize("days", [1, 3, 30])
def test_a_machine_that_slept_for_days_catches_up_once_on_waking(days: int) -> None:
    machine = Machine()
    machine.wake(timedelta(days=2))
    before = len(machine.runs)
    machine.sleep(timedelta(days=days))
    machine.wake(timedelta(hours=2))
    assert len(machine.runs) == before + 1


def test_a_fresh_install_waits_for_its_first_slot() -> None:
    machine = Machine()
    machine.wake(timedelta(hours=14))
    assert machine.runs == []
    machine.wake(timedelta(hours=1))
    assert machine.days == [date(2027, 5, 2)]


@pytest.mark.parametrize(("at", "days"), [(time(12, 50), [1]), (time(22, 0), [1]), (time(10, 0), [])])
def test_a_fresh_install_that_is_given_a_later_time_the_same_day_has_its_night_then(
    at: time, days: list[int]
) -> None:
    machine = Machine(zone=ZoneInfo("UTC"))
    machine.wake(timedelta(minutes=20))
    machine.at = at
    assert machine.told().day.day == (days or [2])[0]
    machine.wake(timedelta(hours=11))
    assert machine.days == [date(2027, 5, day) for day in days], "nor is a time that is past made up for"


def test_a_slot_of_a_day_that_had_its_night_is_not_announced() -> None:
    machine = Machine(zone=ZoneInfo("UTC"), now=datetime(2027, 5, 1, 2, tzinfo=UTC))
    machine.wake(timedelta(hours=10))
    assert machine.days == [date(2027, 5, 1)]
    machine.at = time(22, 0)
    assert machine.told() == slot_of(date(2027, 5, 2), time(22, 0), machine.zone)
    machine.wake(timedelta(days=2))
    assert machine.days == [date(2027, 5, day) for day in (1, 2)]


def test_while_a_night_is_owed_the_one_after_it_is_announced() -> None:
    machine = Machine(zone=ZoneInfo("UTC"))
    machine.wake(timedelta(hours=16, minutes=30))
    assert machine.backlog.pending is not None
    assert machine.told() == slot_of(date(2027, 5, 3), AT, machine.zone)


@settings(max_examples=100, deadline=None)
@given(
    changes=st.lists(
        st.tuples(st.integers(1, 40), st.integers(0, 23), st.sampled_from(range(len(ZONES)))), max_size=8
    )
)
def test_the_next_night_that_is_announced_is_the_next_that_runs(changes: list[tuple[int, int, int]]) -> None:
    machine = Machine()
    machine.look()
    for hours, at, zone in changes:
        machine.wake(timedelta(hours=hours))
        machine.at, machine.zone = time(at, 30), ZoneInfo(ZONES[zone])
        machine.wake(timedelta(hours=2))  # what the change itself makes due is had
        told, before = machine.told(), len(machine.runs)
        while len(machine.runs) == before:
            machine.wake(TICK)
        assert machine.runs[-1] == told


def test_a_night_by_hand_after_the_slot_serves_it() -> None:
    served = Served(slot=slot_of(date(2027, 5, 1), AT, UTC))
    newest = slot_of(date(2027, 5, 2), AT, UTC)
    now = newest.at + timedelta(hours=5)
    assert is_due(served, newest, now=now)
    assert is_due(served, newest, now=now, finished=newest.at - timedelta(minutes=1))
    assert not is_due(served, newest, now=now, finished=newest.at + timedelta(hours=1))
    assert is_due(served, newest, now=now, finished=now + timedelta(days=400)), "a night from ahead proves nothing"


def test_a_night_that_is_suspended_in_the_middle_is_one_night() -> None:
    machine = Machine(night=timedelta(hours=2))
    machine.wake(timedelta(hours=15))
    assert len(machine.runs) == 1
    machine.sleep(timedelta(hours=9))
    machine.wake(timedelta(hours=12))
    assert machine.days == [date(2027, 5, 2)]
    machine.wake(timedelta(days=1))
    assert machine.days == [date(2027, 5, 2), date(2027, 5, 3)]


def test_a_night_longer_than_a_day_swallows_the_next() -> None:
    machine = Machine(night=timedelta(hours=26))
    machine.wake(timedelta(days=2, hours=12))
    assert machine.days == [date(2027, 5, 2)]
    machine.wake(timedelta(hours=12))
    assert machine.days == [date(2027, 5, 2), date(2027, 5, 4)]


def test_flying_west_after_the_night_gives_no_second_one_that_day() -> None:
    machine = Machine()
    machine.wake(timedelta(hours=16))
    machine.zone = ZoneInfo("America/New_York")
    machine.wake(timedelta(hours=12))
    assert machine.days == [date(2027, 5, 2)]
    machine.wake(timedelta(days=1))
    assert machine.days == [date(2027, 5, 2), date(2027, 5, 3)]


def test_flying_east_over_the_date_line_takes_no_night_away() -> None:
    machine = Machine(zone=ZoneInfo("Pacific/Auckland"))
    machine.wake(timedelta(days=1))
    (first,) = machine.runs
    machine.zone = ZoneInfo("America/Los_Angeles")
    machine.wake(timedelta(days=1))
    assert machine.runs[1].day == first.day
    assert machine.runs[1].at - first.at > timedelta(hours=18)


@pytest.mark.parametrize("back", [timedelta(hours=1), timedelta(hours=5), timedelta(days=4), timedelta(days=5 * 365)])
def test_a_clock_set_back_repeats_no_night_and_takes_no_later_one_away(back: timedelta) -> None:
    machine = Machine()
    machine.wake(timedelta(days=3))
    before = len(machine.runs)
    machine.now -= back
    machine.wake(timedelta(hours=12))
    assert len(machine.runs) == before
    machine.wake(timedelta(days=3))
    assert before + 2 <= len(machine.runs) <= before + 4
    assert machine.now - machine.runs[-1].at < timedelta(days=1)


def test_a_clock_that_is_years_ahead_for_a_day_costs_no_later_night() -> None:
    machine = Machine()
    machine.wake(timedelta(days=2))
    machine.now += timedelta(days=5 * 365)
    machine.wake(timedelta(hours=5))
    machine.now -= timedelta(days=5 * 365)
    before = len(machine.runs)
    machine.wake(timedelta(days=3))
    assert len(machine.runs) == before + 3


def test_a_clock_that_begins_in_1970_and_is_put_right_owes_nothing_twice() -> None:
    machine = Machine()
    machine.wake(timedelta(days=2))
    right, before = machine.now, len(machine.runs)
    machine.now = datetime(1970, 1, 1, tzinfo=UTC)
    machine.wake(timedelta(minutes=30))
    machine.now = right
    machine.wake(timedelta(hours=10))
    assert len(machine.runs) == before


def test_what_was_served_ahead_is_kept_in_mind_until_the_clock_is_there_again() -> None:
    served = Served(slot=slot_of(date(2031, 1, 1), AT, UTC))
    now = datetime(2027, 5, 1, 12, tzinfo=UTC)
    newest = newest_slot(now, AT, UTC)
    doubted = corrected(served, newest, now)
    assert doubted == Served(slot=served.slot, since=newest)
    assert corrected(doubted, newest_slot(now, AT, UTC), now) == doubted, "also after a restart"
    assert corrected(doubted, newest, datetime(2031, 1, 2, tzinfo=UTC)) == served


EVENTS = st.one_of(
    st.tuples(st.just("wake"), st.integers(1, 60)),
    st.tuples(st.just("sleep"), st.integers(1, 200)),
    st.tuples(st.just("restart"), st.just(0)),
    st.tuples(st.just("zone"), st.sampled_from(range(len(ZONES)))),
)


@settings(max_examples=150, deadline=None)
@given(
    events=st.lists(EVENTS, max_size=25),
    at=st.sampled_from([AT, time(2, 30), time(0, 0), time(23, 50)]),
    hours=st.integers(0, 365 * 24),
    night=st.integers(1, 300),
)
def test_whatever_happens_a_day_has_at_most_one_night_and_the_newest_slot_is_always_served(
    events: list[tuple[str, int]], at: time, hours: int, night: int
) -> None:
    start = datetime(2027, 1, 1, tzinfo=UTC) + timedelta(hours=hours)
    machine = Machine(now=start, at=at, night=timedelta(minutes=night))
    machine.look()
    for what, much in events:
        if what == "wake":
            machine.wake(timedelta(hours=much))
        elif what == "sleep":
            machine.sleep(timedelta(hours=much))
        elif what == "restart":
            machine.restart()
        elif what == "zone":
            machine.zone = ZoneInfo(ZONES[much])
    moments = [slot.at for slot in machine.whole]
    assert moments == sorted(set(moments))
    for one, other in pairwise(machine.whole):
        assert one.day < other.day or other.at - one.at >= timedelta(hours=18)
    # In peace, every day has its own.
    machine.wake(timedelta(days=4))
    last = newest_slot(machine.now - TICK, at, machine.zone).day
    assert machine.days[-3:] == [last - timedelta(days=2), last - timedelta(days=1), last]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 30), st.integers(-400, 400)), max_size=8))
def test_however_the_clock_is_set_nights_go_on_one_a_day(jumps: list[tuple[int, int]]) -> None:
    machine = Machine()
    machine.look()
    for awake, jump in jumps:
        machine.wake(timedelta(hours=awake))
        before = len(machine.runs)
        machine.now += timedelta(hours=jump)
        machine.look()
        assert len(machine.runs) <= before + (jump > 0)
    machine.wake(timedelta(days=2))
    settled = len(machine.runs)
    machine.wake(timedelta(days=4))
    assert abs(len(machine.runs) - settled - 4) <= 1
