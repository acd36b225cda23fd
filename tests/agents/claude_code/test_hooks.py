"""Which settings keep Claude Code from running hooks."""

import pytest

from skillopt_sleep.agents.claude_code.hooks import obstacles


@pytest.mark.parametrize("name", ["disableAllHooks", "allowManagedHooksOnly"])
def test_a_switch_that_is_on_is_named(name: str) -> None:
    (obstacle,) = obstacles({name: True})
    assert name in obstacle


@pytest.mark.parametrize("settings", [{}, {"disableAllHooks": False}, {"disableAllHooks": "true"}])
def test_anything_else_is_no_obstacle(settings: dict[str, object]) -> None:
    assert obstacles(settings) == ()
