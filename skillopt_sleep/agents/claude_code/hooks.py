"""Name the files in which Claude Code keeps its hooks, and the settings that prevent hooks from running."""

from collections.abc import Mapping
from typing import Any

from skillopt_sleep.protocols.agent import Hooks, SettingsFile

_SETTINGS = SettingsFile("settings.json")


def obstacles(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what in settings.json keeps our hooks from being run."""
    switches = ("disableAllHooks", "allowManagedHooksOnly")
    return tuple(
        f"says {name}, so Claude Code runs no hook of ours" for name in switches if settings.get(name) is True
    )


HOOKS = Hooks(listed="claude-code.json", files=(_SETTINGS,), switches=_SETTINGS, obstacles=obstacles)
