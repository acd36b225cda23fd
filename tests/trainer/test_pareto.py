import random
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.trainer.pareto import drawn, starting
from skillopt_sleep.trainer.parts import State
from tests.trainer.test_gate import held, some_parts


@pytest.mark.parametrize(
    ("fronts", "places"),
    [
        ({"a": {0}, "b": {1}}, {0, 1}),
        ({"a": {0, 1}, "b": {1}}, {1}),
        ({"a": {0, 1}, "b": {0, 1}}, {0}),
        ({"a": {0}, "b": {0, 2}, "c": {1, 2}}, {0, 1, 2}),
    ],
)
def test_a_step_starts_from_a_skill_that_is_best_where_no_other_is(fronts: dict[str, Any], places: set[int]) -> None:
    frozen = {item: frozenset(front) for item, front in fronts.items()}
    found = {drawn(frozen, random.Random(seed)) for seed in range(60)}
    assert found <= places


def test_a_search_over_a_pool_starts_from_each_skill_that_is_best_somewhere(tmp_path: Path) -> None:
    def grade(skill: str, n: int, sample: int) -> float:
        known = {"first half": n < 4, "second half": n >= 4, "nothing": False}
        return float(known[skill])

    parts = some_parts(tmp_path, grade, {"search": "pareto"})
    pool = tuple(held(text) for text in ("nothing", "first half", "second half"))
    state = State(current=pool[0], best=pool[0], pool=pool)
    starts = {starting(parts, state, step).current.document.text for step in range(40)}
    assert starts == {"first half", "second half"}
    assert starting(some_parts(tmp_path / "current", grade), state, 1) == state
