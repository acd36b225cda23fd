"""Choose the skill that a step starts from among several, by which of them does best on each val item.

A skill that is best on a few items may hold what the best on the mean lacks, so it gets its turn: as often as it is
among the best on an item, unless others are wherever it is (Agrawal et al., "GEPA: Reflective prompt evolution can
outperform reinforcement learning", 2025).
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from skillopt_sleep.learning.pairs import measure
from skillopt_sleep.trainer.parts import Held, Parts, State

Fronts = Mapping[str, frozenset[int]]  # a val item, and the places of the skills that do best on it


def starting(parts: Parts, state: State, step: int) -> State:
    """Return the state in which this step starts: from a skill of the pool, drawn by the training's seed."""
    if parts.config.optimizer.search != "pareto":
        return state
    pool = state.pool
    chance = random.Random(f"{parts.config.train.seed} {step}")  # noqa: S311 - a draw, not a secret
    return replace(state, current=pool[drawn(_fronts(parts, pool), chance)])


def drawn(fronts: Fronts, chance: random.Random) -> int:
    """Draw a skill, as often as it is among the best on an item after the dominated ones are left out."""
    left = _undominated(fronts)
    tickets: list[int] = []
    for front in fronts.values():
        tickets += sorted(front & left)
    return chance.choice(tickets)


def _fronts(parts: Parts, pool: Sequence[Held]) -> Fronts:
    """Return the best skills on each val item, by the mean of their attempts; what has no score is at the bottom."""
    grades: list[dict[str, float]] = []
    for held in pool:
        by_item: dict[str, list[float]] = {}
        for made in parts.attempts.make(parts.val_jobs(held.document), label="pool"):
            score = made.rollout.score
            by_item.setdefault(made.rollout.task, []).append(measure(score, parts.rule) if score else 0.0)
        grades.append({item: sum(own) / len(own) for item, own in by_item.items()})
    fronts: dict[str, frozenset[int]] = {}
    for item in grades[0]:
        best = max(own[item] for own in grades)
        fronts[item] = frozenset(place for place, own in enumerate(grades) if own[item] == best)
    return fronts


def _undominated(fronts: Fronts) -> frozenset[int]:
    """Return the skills without those that are nowhere among the best alone; the rarest are left out first."""
    often = Counter(place for front in fronts.values() for place in front)
    left = set(often)
    for place in sorted(often, key=lambda place: (often[place], -place)):
        own = [front for front in fronts.values() if place in front]
        if all((front & left) - {place} for front in own):
            left.remove(place)
    return frozenset(left)
