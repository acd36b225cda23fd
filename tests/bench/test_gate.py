"""The gate's benchmark sees what it is for: planted cheats, known intervals, histories that can be drawn again."""

import math
import random

import pytest

from bench.gate_figures import CLAIMED, Count, doubtful, figures, of_measure, shrunk
from bench.gate_nights import Staged, history
from bench.gate_worlds import World, worlds

CELLS = {cell.name: cell for cell in worlds()}
NOTHING = frozenset[int]()


def ends(cell: World, *, staged: bool, nights: int = 50) -> list[Staged]:
    """Nights of a gate that stages every rule, or none."""
    rules = frozenset(range(len(cell.rules))) if staged else NOTHING
    return [Staged((rules,) * cell.documents, 100, (0.5,) if staged else ())] * nights


def test_a_gate_that_stages_everything_is_seen() -> None:
    claimed = figures({cell: ends(cell, staged=True) for cell in CELLS.values()}, {})

    bad = ("false_accept", "repeats_accept", "repeats_more_rules", "repeats_12_documents", "harmful_accept")
    bad += ("riders_staged", "longer_judge")
    assert {name: claimed[name] for name in bad} == dict.fromkeys(bad, 1.0)
    assert claimed["gain_bias"] == pytest.approx(0.2)
    assert tuple(claimed) == CLAIMED


def test_a_gate_that_stages_nothing_is_seen() -> None:
    claimed = figures({cell: ends(cell, staged=False) for cell in CELLS.values()}, {})

    good = ("useful_beside_useless", "useful_beside_overfit", "weak_beside_useless", "harmless_kept")
    good += ("power_30_three_nights",)
    assert {name: claimed[name] for name in good} == dict.fromkeys(good, 0.0)


def test_one_bad_null_cell_is_run_again_and_is_the_figure() -> None:
    nulls = list(of_measure(dict.fromkeys(CELLS.values(), ()))["false_accept"])
    found = {cell: ends(cell, staged=False, nights=400) for cell in nulls}
    found[nulls[3]] = [*ends(nulls[3], staged=True, nights=40), *found[nulls[3]][40:]]
    again = {cell: found[cell] for cell in doubtful(found)}

    assert nulls[3] in again
    assert figures(found, again)["false_accept"] == pytest.approx(0.1, abs=0.01)


def test_a_cell_that_looked_bad_by_luck_is_cleared_when_it_is_run_again() -> None:
    nulls = list(of_measure(dict.fromkeys(CELLS.values(), ()))["false_accept"])
    found = {cell: ends(cell, staged=False) for cell in nulls}
    found[nulls[3]] = [*ends(nulls[3], staged=True, nights=4), *found[nulls[3]][4:]]
    again = {cell: ends(cell, staged=False) for cell in doubtful(found)}

    assert figures(found, again)["false_accept"] == 0.0


def test_of_many_equal_cells_none_looks_bad_by_luck() -> None:
    draw = random.Random(1)
    counts = [Count(sum(draw.random() < 0.015 for _ in range(200)), 200) for _ in range(100)]

    assert max(count.rate for count in counts) > 0.03
    assert max(shrunk(counts)) == pytest.approx(0.015, abs=0.005)


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"), [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0)]
)
def test_wilsons_interval_is_the_one_in_the_books(hits: int, of: int, low: float, high: float) -> None:
    assert Count(hits, of).interval == pytest.approx((low, high), abs=1e-4)


def test_of_nothing_all_is_possible() -> None:
    assert Count(0, 0).interval == (0.0, 1.0)
    assert math.isnan(Count(0, 0).rate)


def test_a_history_is_the_same_for_the_same_seed_in_every_process() -> None:
    cell = CELLS[".3 -> .6 in three nights, 4 unseen"]
    random.seed(7)
    first = history(cell, 3)
    random.seed(8)

    assert history(cell, 3) == first
