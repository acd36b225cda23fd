"""The error rate that the gate claims, on simulated nights with seeds; the whole of it is `make bench NAME=gate`."""

import pytest

from skillopt_sleep.records import GateRule
from tests.benchmarks.gate_lab import SEQUENTIAL, Cell, accepted, drifting, lower, mixed, night, steady, uneven, upper
from tests.sweeps import thinned

USELESS = [
    Cell("0.5", 4, steady(0.5, 0.5)),
    Cell("0.5", 7, steady(0.5, 0.5)),
    Cell("0.5", 7, steady(0.5, 0.5), nights=3),
    Cell("0.2", 14, steady(0.2, 0.2)),
    Cell("uneven", 7, uneven),
    Cell("drifting", 7, drifting),
    Cell("graded", 7, steady(0.5, 0.5), soft=True),
    Cell("lost", 7, steady(0.5, 0.5), lost=0.2),
]


def accepts(cell: Cell, nights: int, rule: GateRule = SEQUENTIAL) -> int:
    return accepted([night(cell, seed, rule) for seed in range(nights)])


@pytest.mark.parametrize(
    "cell", thinned(USELESS, every=2), ids=lambda cell: f"{cell.name}-{cell.tasks}-{cell.nights}"
)
def test_a_useless_edit_is_accepted_on_at_most_one_night_of_twenty(cell: Cell) -> None:
    assert upper(accepts(cell, 400), 400) <= 0.05


@pytest.mark.parametrize("tasks", [4, 7])
def test_a_harmful_edit_is_accepted_on_fewer_than_one_night_of_a_hundred(tasks: int) -> None:
    assert upper(accepts(Cell("0.5 -> 0.35", tasks, steady(0.5, 0.35)), 500), 500) <= 0.01


@pytest.mark.parametrize("tasks", [2, 7])
def test_a_decisive_lesson_is_learned_in_one_night(tasks: int) -> None:
    assert lower(accepts(Cell("0 -> 0.9", tasks, steady(0, 0.9), train=0.9), 120), 120) >= 0.95


def test_what_one_session_tests_is_never_accepted_but_early_if_it_is_decisive() -> None:
    ends = [night(Cell("0 -> 0.9", 2, steady(0, 0.9), train=0.9, own=1), seed) for seed in range(120)]

    assert accepted(ends) == 0
    assert lower(sum(end.early for end in ends), 120) >= 0.8


@pytest.mark.parametrize("chance", [0.2, 0.5])
def test_a_useless_edit_looks_early_on_at_most_one_night_of_twenty(chance: float) -> None:
    cell = Cell(f"{chance}", 2, steady(chance, chance), own=1)
    ends = [night(cell, seed) for seed in range(400)]

    assert accepted(ends) == 0
    assert upper(sum(end.early for end in ends), 400) <= 0.05


def test_thirty_points_are_learned_within_three_nights() -> None:
    assert lower(accepts(Cell("0.5 -> 0.8", 7, steady(0.5, 0.8), nights=3), 300), 300) >= 0.8


def test_half_the_share_halves_the_error() -> None:
    cell = Cell("0.5", 7, steady(0.5, 0.5), nights=3)

    assert upper(accepts(cell, 400, GateRule(alpha=0.025)), 400) <= 0.025


def test_what_helps_as_many_tasks_as_it_harms_is_mostly_refused() -> None:
    assert upper(accepts(Cell("0.5 ± 0.5", 7, mixed(0.5, 0.5)), 300), 300) <= 0.15


def test_the_lab_tells_a_rule_without_an_error_rate() -> None:
    strict = GateRule(name="strict", rounds=1)

    assert lower(accepts(Cell("0.5", 7, steady(0.5, 0.5)), 200, strict), 200) > 0.25


@pytest.mark.parametrize("of", [20, 500])
def test_the_bounds_are_exact_where_they_are_known(of: int) -> None:
    assert upper(0, of) == pytest.approx(1 - 0.05 ** (1 / of))
    assert lower(of, of) == pytest.approx(0.05 ** (1 / of))
    assert (upper(of, of), lower(0, of)) == (pytest.approx(1), pytest.approx(0))
