"""The error rate that the gate claims, on simulated nights with seeds; the whole of it is `make bench NAME=gate`."""

import random

import pytest

from skillopt_sleep.records import GateRule
from tests.benchmarks.gate_cells import BUNDLE, DECISIVE, NULL, USELESS, adding, everywhere, mixed, tossed
from tests.benchmarks.gate_figures import Count
from tests.benchmarks.gate_nights import GATE, Cell, chain
from tests.benchmarks.gate_worlds import Rule, Sight, Target
from tests.sweeps import thinned

WORSE = (Rule("first", "- Use pnpm for packages, never npm.", everywhere(-0.15)),)
BETTER = (Rule("first", "- Use pnpm for packages, never npm.", adding(0.3)),)
TOSSED = (Rule("first", "- Use pnpm for packages, never npm.", tossed(0.5)),)
NOTHINGS = [
    Cell(NULL, "a coin", 4, USELESS),
    Cell(NULL, "a coin", 7, USELESS),
    Cell(NULL, "one candidate, three nights", 7, USELESS, nights=3, again=False),
    Cell(NULL, "base .2", 14, USELESS, base=0.2),
    Cell(NULL, "bundle", 7, BUNDLE),
    Cell(NULL, "graded", 7, USELESS, target=Target(graded=True)),
    Cell(NULL, "outages", 7, USELESS, target=Target(outage=0.2)),
    Cell(NULL, "noisy judge", 7, USELESS, sight=Sight(batch=0.3)),
    Cell(NULL, "repeats by prompt", 4, USELESS, target=Target(repeats="prompt")),
    Cell(NULL, "repeats by request", 4, USELESS, target=Target(repeats="request")),
    Cell(NULL, "shared luck", 7, USELESS, sessions=2, target=Target(shared=0.64)),
    Cell(NULL, "failures time out", 4, USELESS, target=Target(lost=(0.0, 0.6))),
]
HURTING = (Rule("first", "- Use pnpm for packages, never npm.", mixed(0.7, 0.6)),)


def accepts(cell: Cell, nights: int, rule: GateRule = GATE) -> Count:
    """How many of so many chains staged something."""
    return Count(sum(chain(cell, seed, rule).documents > 0 for seed in range(nights)), nights)


@pytest.mark.parametrize(
    "cell",
    [NOTHINGS[0], *(pytest.param(cell, marks=pytest.mark.slow) for cell in NOTHINGS[1:])],
    ids=lambda cell: f"{cell.name}-{cell.val}",
)
def test_a_useless_edit_is_accepted_on_at_most_one_night_of_twenty(cell: Cell) -> None:
    assert accepts(cell, 400).interval[1] <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("val", [4, 7])
def test_a_harmful_edit_is_accepted_on_fewer_than_one_night_of_a_hundred(val: int) -> None:
    assert accepts(Cell("harmful", "-15", val, WORSE), 1000).interval[1] <= 0.01


@pytest.mark.parametrize("val", [2, 7])
def test_a_decisive_lesson_is_learned_in_one_night(val: int) -> None:
    assert accepts(Cell("decisive", "alone", val, DECISIVE, base=0.0), 120).interval[0] >= 0.95


def test_what_one_session_tests_is_never_accepted_but_early_if_it_is_decisive() -> None:
    cell = Cell("decisive", "one session", 2, DECISIVE, base=0.0, sessions=1)
    ends = [chain(cell, seed) for seed in range(120)]

    assert not any(end.documents for end in ends)
    assert Count(sum(end.early for end in ends), 120).interval[0] >= 0.8


@pytest.mark.parametrize("chance", thinned([0.2, 0.5], every=2))
def test_a_useless_edit_looks_early_on_at_most_one_night_of_twenty(chance: float) -> None:
    ends = [chain(Cell(NULL, "one session", 2, USELESS, base=chance, sessions=1), seed) for seed in range(400)]

    assert not any(end.documents for end in ends)
    assert Count(sum(end.early for end in ends), 400).interval[1] <= 0.05


@pytest.mark.slow
def test_thirty_points_are_learned_within_three_nights() -> None:
    cell = Cell("better", "+.3", 7, BETTER, nights=3, fresh=2, again=False)

    assert accepts(cell, 300).interval[0] >= 0.8


def test_a_decisive_lesson_is_learned_beside_others_that_waver() -> None:
    cell = Cell("decisive", "bystanders at .5", 4, DECISIVE, base=0.0, others=4, others_base=0.5)

    assert accepts(cell, 200).rate >= 0.88


def test_what_hurts_a_learned_lesson_is_mostly_refused() -> None:
    cell = Cell("mixed", "a learned lesson .9 -> .3", 7, HURTING, base=0.2, learned=3)

    assert accepts(cell, 120).rate <= 0.15


@pytest.mark.slow
def test_half_the_share_halves_the_error() -> None:
    cell = Cell(NULL, "three nights", 7, USELESS, nights=3, again=False)

    assert accepts(cell, 400, GateRule(alpha=0.025)).interval[1] <= 0.03


def test_what_helps_as_many_tasks_as_it_harms_is_mostly_refused() -> None:
    assert accepts(Cell("uneven", "±.5", 7, TOSSED), 300).interval[1] <= 0.15


def test_no_draw_of_the_bench_depends_on_the_process() -> None:
    random.seed(7)
    first = chain(NOTHINGS[0], 1)
    random.seed(8)

    assert chain(NOTHINGS[0], 1) == first
