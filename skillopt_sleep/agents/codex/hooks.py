"""Name the files in which Codex keeps its hooks, and the settings that prevent hooks from running."""

from collections.abc import Mapping
from typing import Any, cast

from skillopt_sleep.protocols.agent import Hooks, SettingsFile

_CONFIG = SettingsFile("config.toml", is_toml=True)


def obstacles(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what in config.toml keeps our hooks from being run."""
    features = config.get("features")
    if not isinstance(features, dict):
        return ()
    switches = cast("dict[str, Any]", features)
    if switches.get("hooks", switches.get("codex_hooks")) is False:
        return ("switches hooks off, so Codex runs none of ours",)
    return ()


# Codex complains at every start if both files have hooks.
HOOKS = Hooks(listed="codex.json", files=(SettingsFile("hooks.json"), _CONFIG), switches=_CONFIG, obstacles=obstacles)
