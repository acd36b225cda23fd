import random
from statistics import fmean

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.kit.stats import mean, shrunk, sign_test

DIFFERENCES = st.lists(st.floats(min_value=-1, max_value=1), min_size=1, max_size=60)


def test_nothing_has_no_mean() -> None:
    assert mean([]) is None
    assert shrunk([]) is None


def test_the_mean_does_not_lose_small_numbers() -> None:
    assert mean([0.1] * 10) == 0.1


@pytest.mark.parametrize(
    ("these", "those", "chance"), [(0, 0, 1), (1, 0, 1 / 2), (4, 0, 1 / 16), (4, 1, 6 / 32), (2, 2, 11 / 16)]
)
def test_the_sign_test_is_exact(these: int, those: int, chance: float) -> None:
    assert sign_test(these, those) == chance


@given(DIFFERENCES)
def test_a_shrunk_mean_is_closer_to_zero_and_on_the_same_side(values: list[float]) -> None:
    raw, fair = mean(values) or 0.0, shrunk(values) or 0.0

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
