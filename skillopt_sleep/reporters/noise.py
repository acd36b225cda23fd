"""Measure the noise floor: how far grades of the same request under the same instructions lie apart."""

import math
from collections import defaultdict
from collections.abc import Iterable

from skillopt_sleep.records import Record, StepOutcome


class NoiseFloor(Record, frozen=True, kw_only=True):
    """The standard deviation of repeated baselines, over `n` attempts at `tasks` tasks that were asked repeatedly."""

    spread: float
    n: int
    tasks: int


def noise_floor(outcomes: Iterable[StepOutcome]) -> NoiseFloor | None:
    """Return the spread of the baselines of all trials, each within its task and trial; None if none was repeated."""
    squares: list[float] = []
    free = 0
    tasks: set[tuple[str, str]] = set()
    for outcome in outcomes:
        for tested in outcome.tried.tested:
            grades = defaultdict[str, dict[int, float]](dict)
            for pair in tested.trial.pairs:
                grades[pair.task][pair.sample] = pair.before
            for task, of_samples in grades.items():
                values = list(of_samples.values())
                if len(values) == 1:
                    continue
                average = math.fsum(values) / len(values)
                squares += [(value - average) ** 2 for value in values]
                free += len(values) - 1
                tasks.add((outcome.document.id, task))
    if not free:
        return None
    return NoiseFloor(spread=math.sqrt(math.fsum(squares) / free), n=len(squares), tasks=len(tasks))


def in_words(noise: NoiseFloor | None) -> str:
    """Say the noise floor in one sentence; "" if nothing was repeated."""
    if noise is None:
        return ""
    tasks = "1 request" if noise.tasks == 1 else f"{noise.tasks} requests"
    if not noise.spread:
        return f"Noise floor: 0. All {noise.n} attempts at {tasks}, without a change, got the same grade each time"
    return (
        f"Noise floor: {noise.spread:.2f}, so far apart lie grades of the same request without a change"
        f" (standard deviation, n={noise.n} attempts at {tasks})"
    )
