"""Which settings keep Codex from running hooks."""

import pytest

from skillopt_sleep.agents.codex.hooks import obstacles


@pytest.mark.parametrize(
    "features", [{"hooks": False}, {"codex_hooks": False}, {"hooks": False, "codex_hooks": True}]
)
def test_hooks_that_are_switched_off_are_named(features: dict[str, bool]) -> None:
    (obstacle,) = obstacles({"features": features})
    assert "hooks off" in obstacle


@pytest.mark.parametrize("features", [{}, {"hooks": True, "codex_hooks": False}, "odd", None])
def test_anything_else_is_no_obstacle(features: object) -> None:
    assert obstacles({"features": features}) == ()
