import math
import random

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.kit.stats import gain_interval, mean

DIFFERENCES = st.lists(st.floats(min_value=-1, max_value=1), min_size=1, max_size=60)


def test_nothing_has_no_mean_and_no_interval() -> None:
    assert mean([]) is None
    assert gain_interval([]) is None


def test_the_mean_does_not_lose_small_numbers() -> None:
    assert mean([0.1] * 10) == 0.1


def test_one_pair_excludes_nothing() -> None:
    assert gain_interval([1.0]) == (-1.0, 1.0)
    assert gain_interval([0.0]) == (-1.0, 1.0)


def test_the_interval_is_hoeffdings() -> None:
    low, high = gain_interval([0.0] * 800) or (0, 0)
    assert high == pytest.approx(math.sqrt(2 * math.log(40) / 800))
    assert low == -high


@given(DIFFERENCES)
def test_the_interval_holds_the_mean_and_stays_in_range(values: list[float]) -> None:
    low, high = gain_interval(values) or (math.nan, math.nan)
    assert -1 <= low <= (mean(values) or 0.0) <= high <= 1


@given(DIFFERENCES)
def test_a_higher_level_is_never_narrower(values: list[float]) -> None:
    usual, strict = gain_interval(values) or (0, 0), gain_interval(values, level=0.999) or (0, 0)
    assert strict[0] <= usual[0] <= usual[1] <= strict[1]


@pytest.mark.parametrize("chance", [0.5, 0.9, 0.98])
@pytest.mark.parametrize("n", [5, 40])
def test_the_interval_misses_the_truth_in_fewer_than_one_of_twenty_samples(chance: float, n: int) -> None:
    draw = random.Random(f"{chance} {n}")
    truth = 2 * chance - 1
    misses = 0
    for _ in range(1_000):
        low, high = gain_interval([1.0 if draw.random() < chance else -1.0 for _ in range(n)]) or (0, 0)
        misses += not low <= truth <= high
    assert misses <= 50
