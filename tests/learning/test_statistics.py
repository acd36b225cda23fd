"""The bet that may be read at any time, and statistics of few values."""

import math
import random
from itertools import product
from statistics import fmean

import pytest
from hypothesis import given, settings, strategies as st

from skillopt_sleep.learning.statistics import (
    STAKES,
    bet,
    gain_interval,
    lifted,
    pairs_to_go,
    shrunk,
    sign_test,
    start,
    statistic,
)
from skillopt_sleep.records import mean_of

START = start(STAKES)

shares = st.floats(min_value=-1, max_value=1)
DIFFERENCES = st.lists(shares, min_size=1, max_size=60)
FEW = st.lists(shares, max_size=8)


def after(rounds: list[list[float]]) -> float:
    wealth = START
    for differences in rounds:
        wealth = bet(wealth, differences)
    return statistic(wealth)


def test_it_begins_with_one() -> None:
    assert statistic(START) == 1


@given(FEW, FEW)
def test_where_the_arms_can_be_exchanged_it_is_a_test_martingale(before: list[float], now: list[float]) -> None:
    """Whatever was seen before, the mean over all ways to swap the arms of the pairs is what there was."""
    wealth = bet(START, before)

    swapped = [
        statistic(bet(wealth, [sign * d for sign, d in zip(signs, now, strict=True)]))
        for signs in product((1, -1), repeat=len(now))
    ]

    assert math.fsum(swapped) / len(swapped) == pytest.approx(statistic(wealth))


@given(st.lists(shares, min_size=1, max_size=8), st.floats(0, 1))
def test_where_the_mean_over_the_tasks_is_no_gain_nothing_is_won_in_expectation(
    effects: list[float], less: float
) -> None:
    """Tasks that gain and tasks that lose, each by chance: all pairs of a round have the same stakes."""
    off = max(0.0, fmean(effects)) + less
    chances = [max(-1.0, effect - off) for effect in effects]  # of a gain of 1 less that of a loss
    if fmean(chances) > 0:
        return
    expected = fmean(math.prod(1 + stake * chance for chance in chances) for stake in STAKES)

    assert expected <= 1 + 1e-9


@given(st.lists(FEW, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_the_pairs_in_a_round_and_of_the_tasks_does_not_matter(
    rounds: list[list[float]], shuffler: random.Random
) -> None:
    order = [shuffler.sample(differences, len(differences)) for differences in rounds]

    assert after(order) == after(rounds)


@given(DIFFERENCES)
def test_it_is_never_negative_and_pairs_without_a_difference_change_nothing(differences: list[float]) -> None:
    assert after([differences]) > 0
    assert after([differences, [0.0] * 9]) == after([differences])


def test_a_long_run_of_wins_is_still_a_number() -> None:
    assert math.isfinite(after([[1.0] * 5_000]))


# the interval -------------------------------------------------------------------------------------------


def test_nothing_has_no_interval() -> None:
    assert gain_interval([]) is None


@given(DIFFERENCES)
def test_the_interval_holds_the_mean_and_stays_in_range(differences: list[float]) -> None:
    low, high = gain_interval(differences) or (9, 9)

    assert -1 <= low <= fmean(differences) + 1e-5
    assert fmean(differences) - 1e-5 <= high <= 1


@given(DIFFERENCES)
def test_it_is_above_nothing_exactly_where_the_bet_is_won(differences: list[float]) -> None:
    low, _ = gain_interval(differences) or (9, 9)
    won = after([differences])
    if not math.isclose(won, 20, rel_tol=1e-4):
        assert (low > 1e-5) <= (won >= 20)
        assert (won >= 20) <= (low >= 0)


@given(DIFFERENCES)
def test_to_be_surer_takes_a_wider_interval(differences: list[float]) -> None:
    usual, surer = gain_interval(differences) or (9, 9), gain_interval(differences, alpha=0.001) or (9, 9)

    assert surer[0] <= usual[0] <= usual[1] <= surer[1]


@pytest.mark.parametrize("chance", [0.5, 0.7, 0.9])
def test_each_end_is_seldom_wrong_although_it_is_looked_at_after_every_round(chance: float) -> None:
    draw = random.Random(f"{chance}")
    truth, misses = 2 * chance - 1, [0, 0]
    for _ in range(400):
        seen = [1.0 if draw.random() < chance else -1.0 for _ in range(40)]
        bounds = [gain_interval(seen[:n]) or (9, 9) for n in range(8, 41, 8)]
        misses[0] += any(low > truth for low, _ in bounds)
        misses[1] += any(high < truth for _, high in bounds)
    assert max(misses) <= 0.05 * 400 + 9


# what is missing ----------------------------------------------------------------------------------------


def test_about_so_many_more_pairs_win_the_bet() -> None:
    seen = [1.0, 0.0, 1.0, -1.0, 1.0] * 4
    more = pairs_to_go(bet(START, seen), pairs=len(seen), alpha=0.001)

    assert more is not None
    assert after([seen]) < 1_000
    assert after([seen * 9][:1]) > 1_000
    assert after([(seen * 9)[: len(seen) + more]]) == pytest.approx(1_000, rel=1.5)


@settings(max_examples=30)
@given(st.lists(st.floats(-1, 0), max_size=20))
def test_no_number_of_pairs_wins_a_bet_on_what_does_not_gain(differences: list[float]) -> None:
    assert pairs_to_go(bet(START, differences), pairs=len(differences), alpha=0.05) is None


def test_a_gain_too_small_to_ever_count_is_no_prospect() -> None:
    assert pairs_to_go(bet(START, [2.2e-313]), pairs=1, alpha=0.05) is None


# no worse -----------------------------------------------------------------------------------------------


@given(shares, st.floats(0.01, 0.5))
def test_what_is_bet_on_no_loss_can_be_lost_only_once(difference: float, margin: float) -> None:
    assert lifted(difference, margin) >= -1
    assert lifted(difference, 0) == difference


@pytest.mark.parametrize("loses", [(-1.0, 0.05), (-0.5, 0.1), (-0.05, 1.0)], ids=["seldom", "half", "always"])
def test_what_loses_the_margin_is_seldom_called_no_worse(loses: tuple[float, float]) -> None:
    amount, share = loses

    def is_called_no_worse(seed: int) -> bool:
        chance, wealth = random.Random(seed), START
        for _ in range(40):
            wealth = bet(wealth, [lifted(amount if chance.random() < share else 0.0, 0.05) for _ in range(6)])
            if statistic(wealth) >= 20:
                return True
        return False

    assert fmean(is_called_no_worse(seed) for seed in range(1_000)) <= 0.05


@given(DIFFERENCES)
def test_the_bound_is_above_minus_the_margin_where_the_bet_on_no_loss_is_won(differences: list[float]) -> None:
    interval = gain_interval(differences)
    won = statistic(bet(START, [lifted(d, 0.05) for d in differences]))

    assert interval is not None
    if abs(won - 20) > 0.01:
        assert (interval[0] > -0.05) == (won >= 20)


SMALL = st.lists(st.floats(min_value=-1, max_value=1), min_size=1, max_size=60)


def test_nothing_has_no_mean() -> None:
    assert mean_of([]) is None
    assert shrunk([]) is None


def test_the_mean_does_not_lose_small_numbers() -> None:
    assert mean_of([0.1] * 10) == 0.1


@pytest.mark.parametrize(
    ("these", "those", "chance"), [(0, 0, 1), (1, 0, 1 / 2), (4, 0, 1 / 16), (4, 1, 6 / 32), (2, 2, 11 / 16)]
)
def test_the_sign_test_is_exact(these: int, those: int, chance: float) -> None:
    assert sign_test(these, those) == chance


@given(SMALL)
def test_a_shrunk_mean_is_closer_to_zero_and_on_the_same_side(values: list[float]) -> None:
    raw, fair = mean_of(values) or 0.0, shrunk(values) or 0.0

    assert abs(fair) <= abs(raw)
    assert fair * raw >= 0


def test_much_evidence_hardly_shrinks() -> None:
    assert shrunk([0.5] * 200) == pytest.approx(0.5, abs=0.01)
    assert (shrunk([0.5] * 3) or 0) < 0.35


def test_a_mean_chosen_for_being_high_shrinks_towards_the_truth() -> None:
    draw = random.Random(1)
    found = [[draw.choice((1.0, 1.0, 0.0, 0.0, -1.0)) for _ in range(20)] for _ in range(2_000)]
    chosen = [values for values in found if fmean(values) > 0.4]  # the truth is 0.2

    assert abs(fmean(shrunk(v) or 0 for v in chosen) - 0.2) < abs(fmean(fmean(v) for v in chosen) - 0.2)
