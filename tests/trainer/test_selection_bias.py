"""The mean that a training reports of its best skill isn't raised by the luck of having been chosen on val."""

import math
import random
from functools import cache
from pathlib import Path
from statistics import NormalDist, fmean
from typing import Any, NamedTuple

import msgspec
import pytest

from skillopt_sleep.records import Split
from skillopt_sleep.trainer.data import as_document
from skillopt_sleep.trainer.final import final, selection_bias
from skillopt_sleep.trainer.gate import gate
from skillopt_sleep.trainer.parts import ScoredSkill, State
from skillopt_sleep.trainer.summary import History, Reported, Rules, Scores
from tests.trainer.test_gate import held, some_parts

STEPS = 12
VAL = 24
SEEDS = 24


class Ended(NamedTuple):
    """What a training has come to."""

    state: State
    initial: ScoredSkill
    history: History
    learned: Rules = Rules()
    stopped: str = ""


class World(msgspec.Struct, frozen=True):
    """A world in which each step brings one rule: an attempt is right if its luck is above what the skill lacks.

    Luck belongs to the item, to the item under a skill, and to the attempt, in these shares; `gains` are what the
    rules are worth, in turn. Each seed has items that are as easy on the whole as all others.
    """

    starts: float
    gains: tuple[float, ...]
    luck: tuple[float, float, float]

    def quality(self, skill: str) -> float:
        """Return the expected mean of a skill."""
        return self.starts + math.fsum(self.gains[int(rule) % len(self.gains)] for rule in skill.split()[1:])

    def is_right(self, seed: int, skill: str, n: int, sample: int) -> bool:
        """Attempt an item."""
        luck = (_easy(seed)[n], _drawn(seed, skill, n), _drawn(seed, skill, n, sample))
        total = math.fsum(math.sqrt(share) * part for share, part in zip(self.luck, luck, strict=True))
        return NormalDist().cdf(total) < self.quality(skill)

    def report(self, folder: Path, seed: int) -> tuple[Reported, float]:
        """Train, and return what is reported of the best skill beside its true quality."""
        parts = some_parts(
            folder,
            lambda skill, n, sample: float(self.is_right(seed, skill, n, sample)),
            sizes={Split.VAL: VAL},
            test=False,
        )
        initial = held("skill")
        state = State(current=initial, best=initial)
        for step in range(STEPS):
            candidate = as_document(f"{state.current.document.text} {step}")
            state, _, _ = gate(parts, state, candidate, step=step + 1, origin="step")
        course: Any = Ended(state, initial, History(baseline=Scores(), calls=0))
        found = final(parts, course, env="world", models={}, planned=STEPS).reported
        assert found is not None
        return found, self.quality(state.best.document.text)


@cache
def _easy(seed: int) -> list[float]:
    luck = [NormalDist().inv_cdf((n + 0.5) / VAL) for n in range(VAL)]
    random.Random(seed).shuffle(luck)
    return luck


def _drawn(*what: object) -> float:
    return random.Random(repr(what)).gauss(0, 1)


FIXED, NOISY = (0.7, 0.3, 0.0), (0.6, 0.1, 0.3)


@pytest.mark.parametrize(
    "world",
    [
        pytest.param(World(0.4, (0.04, 0.0, -0.04), FIXED), id="small gains, and always the same answer"),
        pytest.param(World(0.1, (0.0, 0.13), FIXED), id="large gains, and always the same answer"),
        pytest.param(World(0.4, (0.04, 0.0, -0.04), NOISY), id="small gains, and answers that differ"),
    ],
)
@pytest.mark.slow
def test_the_reported_mean_is_near_the_true_quality_on_the_mean_over_many_trainings(
    tmp_path: Path, world: World
) -> None:
    off: list[float] = []
    held_it = 0
    for seed in range(SEEDS):
        found, true = world.report(tmp_path, seed)
        low, high = found.interval
        assert low <= found.mean <= high
        held_it += low <= true <= high
        off.append(found.mean - true)
    assert abs(fmean(off)) <= 0.03
    assert held_it >= 0.9 * SEEDS


FIRST = {"a": [0.0], "b": [0.0], "c": [0.0], "d": [1.0]}
HALF = {"a": [1.0], "b": [0.0], "c": [0.0], "d": [1.0]}
BEST = {"a": [1.0], "b": [1.0], "c": [0.0], "d": [1.0]}


def test_a_gain_that_is_no_larger_than_luck_would_make_it_is_moved_to_the_mean_of_all() -> None:
    tried = {"first": FIRST, "half": HALF, "best": BEST}
    # Gains of 1/4 and 1/2 spread less than their errors say: all of it may be luck.
    assert selection_bias(tried, {}, best="best", initial="first") == pytest.approx(1 / 2 - 3 / 8)


def test_of_a_gain_that_stands_out_little_is_luck() -> None:
    items = [str(n) for n in range(40)]
    tried = {"first": {item: [0.0] for item in items}}
    for text, right in (("none", 0), ("few", 2), ("best", 38)):
        tried[text] = {item: [float(n < right)] for n, item in enumerate(items)}
    found = selection_bias(tried, {}, best="best", initial="first")
    assert 0 < found < 0.01


def test_answers_that_differ_take_their_luck_with_them() -> None:
    tried = {"first": FIRST, "half": HALF, "best": BEST}
    same = selection_bias(tried, BEST, best="best", initial="first")
    other = selection_bias(tried, BEST | {"a": [0.0]}, best="best", initial="first")
    never = selection_bias(
        tried, {item: [1 - grade for grade in own] for item, own in BEST.items()}, best="best", initial="first"
    )
    assert same == selection_bias(tried, {}, best="best", initial="first") > other > never == 0


@pytest.mark.parametrize(
    "tried",
    [
        {"first": FIRST},
        {"first": FIRST, "best": BEST},
        {"half": HALF, "best": BEST},
        {"first": FIRST, "half": HALF, "best": {"a": [1.0]}},
        {"first": FIRST, "half": HALF, "best": FIRST},
    ],
    ids=["no other text", "one other text", "the first one unscored", "one item scored", "nothing gained"],
)
def test_nothing_is_taken_off_if_nothing_is_known_of_luck(tried: dict[str, dict[str, list[float]]]) -> None:
    assert selection_bias(tried, {}, best="best", initial="first") == 0
