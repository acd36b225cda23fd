"""The error rate that the gate claims, on simulated nights with seeds; the whole of it is `make bench NAME=gate`."""

from collections.abc import Sequence

import pytest

from bench.gate_figures import Count, counted
from bench.gate_nights import Staged, history
from bench.gate_worlds import World, worlds

CELLS = {cell.name: cell for cell in worlds()}
NULLS = (
    "null: 1 rules, 7 unseen, 1 documents, base 0.95",
    "null: 4 rules, 14 unseen, 1 documents, base 0.65",
    "null: 2 rules, 4 unseen, 3 documents, base 0.2",
    "useless, 2 of 6 requests can't be met by anyone",
    "drift +50 early, 2 unseen",
    "repeats: 1 rule, 4 unseen, base 0.5",
    "longer passes 0.3, base 0.4, 4 unseen",
)


def nights(cell: World, count: int) -> Sequence[Staged]:
    """How so many nights of this world ended."""
    return [history(cell, seed) for seed in range(count)]


def staged(name: str, count: int) -> Count:
    """In how many of so many nights what this world is about was staged."""
    return counted(CELLS[name], nights(CELLS[name], count))


@pytest.mark.parametrize("name", [name for name in CELLS if name.startswith("null: 3 rules, 4 unseen, 1 documents")])
def test_a_useless_rule_is_staged_on_at_most_one_night_of_twenty(name: str) -> None:
    assert staged(name, 120).rate <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("name", NULLS)
def test_nor_where_grades_mislead(name: str) -> None:
    assert staged(name, 300).interval[0] <= 0.05


@pytest.mark.parametrize("lost", ["('new_fails_time_out', 0.6)", "('new_fails_are_outages', 0.5)"])
def test_a_useless_rule_gains_nothing_from_attempts_that_end_without_an_answer(lost: str) -> None:
    assert staged(f"null: 3 rules, 7 unseen, [{lost}]", 60).rate <= 0.12


@pytest.mark.slow
def test_a_harmful_rule_is_staged_on_fewer_than_one_night_of_a_hundred() -> None:
    assert staged("-15 points from 0.5, 1 rules, 4 unseen", 1000).interval[1] <= 0.01


def test_a_useful_rule_is_found_beside_useless_ones() -> None:
    assert staged("useful_beside_useless, 4 unseen", 60).interval[1] >= 0.94


def test_what_one_session_tests_is_never_staged_as_proven() -> None:
    assert staged("one unseen session: never accepted, only early", 60).hits == 0


def test_harmless_winners_stay_beside_a_harmful_one() -> None:
    assert staged("one of three harms another lesson by 0.6, 4 unseen", 30).rate >= 0.85


@pytest.mark.slow
def test_thirty_points_are_learned_within_three_nights() -> None:
    assert staged(".3 -> .6 in three nights, 4 unseen", 200).interval[1] >= 0.93
