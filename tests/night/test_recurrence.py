"""Corrections before and since an adoption are compared in sessions that are alike, and the claim is seldom false."""

import math
import random
from collections.abc import Iterable
from datetime import timedelta

import pytest

from skillopt_sleep.night.recurrence import LEAST, SeenSession, change_interval, compare, is_fewer
from skillopt_sleep.records import Corrected
from tests.fakes import NOON

HORIZON = 200  # sessions since the adoption


def sessions(before: Iterable[bool], since: Iterable[bool]) -> list[SeenSession]:
    early = [SeenSession(NOON - timedelta(hours=1 + n), corrected) for n, corrected in enumerate(before)]
    return early + [SeenSession(NOON + timedelta(hours=n), corrected) for n, corrected in enumerate(since)]


def some(times: int, of: int) -> list[bool]:
    return [True] * times + [False] * (of - times)


def ever_called(before: Corrected, share: float) -> float:
    """The exact chance that the claim is ever made within the horizon, if this share of sessions has a correction."""
    alive, called, most = {0: 1.0}, 0.0, -1  # the claim is made with at most so many corrections
    for n in range(1, HORIZON + 1):
        after: dict[int, float] = {}
        for times, chance in alive.items():
            after[times] = after.get(times, 0.0) + chance * (1 - share)
            after[times + 1] = after.get(times + 1, 0.0) + chance * share
        while most + 1 <= n and is_fewer(before, Corrected(times=most + 1, sessions=n)):
            most += 1
        called += sum(after.pop(times, 0.0) for times in range(most + 1))
        alive = {times: chance for times, chance in after.items() if chance > 1e-12}
    return called


def of_fixed(n: int, share: float, now: float) -> float:
    """The same after so many sessions before the adoption."""
    total = 0.0
    for times in range(n + 1):
        weight = math.comb(n, times) * share**times * (1 - share) ** (n - times)
        if weight > 1e-6:
            total += weight * ever_called(Corrected(times=times, sessions=n), now)
    return total


def of_third_correction(share: float) -> float:
    """The same if the rule is adopted right after the third correction, which is what founds a rule."""
    total = 0.0
    for n in range(3, 200):
        weight = math.comb(n - 1, 2) * share**3 * (1 - share) ** (n - 3)
        if weight > 1e-4:
            total += weight * ever_called(Corrected(times=3, sessions=n), share)
    return total


# the decision -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.05, 0.1, 0.15, 0.25, 0.5])
@pytest.mark.parametrize("before", [14, 40, 100])
def test_without_a_change_corrections_are_hardly_ever_called_fewer_at_any_look(before: int, share: float) -> None:
    assert of_fixed(before, share, share) < 0.04


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6])
def test_nor_if_the_corrections_themselves_brought_the_adoption_about(share: float) -> None:
    assert of_third_correction(share) < 0.04


def test_a_quarter_that_becomes_a_twentieth_is_found_within_200_sessions() -> None:
    assert of_fixed(100, 0.25, 0.05) > 0.9


def test_what_is_corrected_as_often_or_more_often_is_never_called_fewer() -> None:
    assert not compare(sessions(some(3, 10), some(3, 10)), NOON).fewer
    assert not compare(sessions(some(1, 40), some(30, 40)), NOON).fewer


def test_no_correction_since_is_not_yet_fewer() -> None:
    assert not compare(sessions(some(6, 14), some(0, LEAST - 1)), NOON).fewer
    assert compare(sessions(some(6, 14), some(0, LEAST)), NOON).fewer


@pytest.mark.parametrize("side", ["before", "since"])
def test_nothing_is_said_of_a_change_with_sessions_on_one_side_only(side: str) -> None:
    own = sessions(some(3, 9), ()) if side == "before" else sessions((), some(3, 9))
    found = compare(own, NOON)
    assert (found.change, found.fewer) == (None, False)
    assert {found.before.sessions, found.since.sessions} == {0, 9}


# like with like -----------------------------------------------------------------------------------------


def test_only_sessions_in_which_it_could_come_up_count() -> None:
    others = [SeenSession(NOON + timedelta(days=n), corrected=False, could_come_up=False) for n in range(100)]
    found = compare([*sessions(some(6, 14), some(1, 3)), *others], NOON)
    assert found == compare(sessions(some(6, 14), some(1, 3)), NOON)
    assert found.since == Corrected(times=1, sessions=3)


def test_work_that_becomes_another_is_not_taken_for_fewer_corrections() -> None:
    chance = random.Random(4)
    false = 0
    for _ in range(300):
        seen: list[SeenSession] = []
        for number in range(300):  # the kind of work the lesson is about goes from 9 of 10 sessions to 1 of 10
            could = chance.random() < 0.9 - 0.8 * number / 300
            seen.append(SeenSession(NOON + timedelta(hours=number), could and chance.random() < 0.3, could))
        adopted = NOON + timedelta(hours=100)
        false += any(compare(seen[:end], adopted).fewer for end in range(105, 300, 5))
    assert false <= 9  # of 300


# the interval -------------------------------------------------------------------------------------------


def test_the_interval_is_that_of_the_change_and_holds() -> None:
    low, high = change_interval(Corrected(times=6, sessions=14), Corrected(times=1, sessions=11)) or (0.0, 0.0)
    assert (round(low, 2), round(high, 2)) == (-0.55, -0.02)


@pytest.mark.parametrize(("share", "now"), [(0.25, 0.05), (0.1, 0.1), (0.5, 0.1), (0.4, 0.4), (0.1, 0.02)])
@pytest.mark.parametrize(("before", "since"), [(14, 10), (14, 40), (60, 150)])
def test_the_interval_holds_in_nine_of_ten_cases(share: float, now: float, before: int, since: int) -> None:
    holds = 0.0
    for times in range(before + 1):
        weight = math.comb(before, times) * share**times * (1 - share) ** (before - times)
        for later in range(since + 1) if weight > 1e-6 else ():
            own = math.comb(since, later) * now**later * (1 - now) ** (since - later)
            interval = change_interval(
                Corrected(times=times, sessions=before), Corrected(times=later, sessions=since)
            )
            assert interval is not None
            holds += weight * own * (interval[0] <= now - share <= interval[1])
    assert holds > 0.88
