"""Read the hooks our plugin lists, and write them as an agent's settings need them: with absolute paths."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import skillopt_sleep
from skillopt_sleep.agents import AGENTS
from skillopt_sleep.daemon.service.launch import OWN_HOME
from skillopt_sleep.errors import ConfigError

# Marks a command as ours; to the shell that runs it, it is a comment.
MARK = "# skillopt-sleep"
# The variables that decide where the scripts leave their notes.
STATE_VARIABLES = (OWN_HOME, "XDG_DATA_HOME")

_ROOT = re.compile(r"\$\{(?:CLAUDE_)?PLUGIN_ROOT\}")
_PYTHON = re.compile(r"^python3(?= )")
_SPECIAL = re.compile(r'(["\\$`])')


class Hook(NamedTuple):
    """One entry of an event: `group` is a matcher with its handlers."""

    event: str
    group: Mapping[str, Any]


def hooks_folder() -> Path:
    """Return the folder of our plugin: in the installed package, or in the checkout around it."""
    package = Path(skillopt_sleep.__file__).absolute().parent
    for folder in (package / "_hooks", package.parent / "hooks"):
        if (folder / "scripts").is_dir():
            return folder
    raise ConfigError("the hooks that come with skillopt-sleep are gone", remedy="install skillopt-sleep again")


def hooks_of(agent: str, *, folder: Path, python: str, environ: Mapping[str, str]) -> tuple[Hook, ...]:
    """Return our plugin's entries for this agent's settings; `environ` comes from `launch.service_environment`."""
    listed = json.loads((folder / AGENTS[agent].hooks.listed).read_text(encoding="utf-8"))["hooks"]
    variables = {name: environ[name] for name in STATE_VARIABLES if environ.get(name)}
    hooks: list[Hook] = []
    for event, groups in listed.items():
        for group in groups:
            absolute = _with_absolute_paths(group, root=folder, python=python, variables=variables)
            hooks.append(Hook(event, absolute))
    return tuple(hooks)


def is_ours(handler: Any) -> bool:
    """Return whether this handler in an agent's settings is ours."""
    return isinstance(handler, dict) and str(handler.get("command", "")).rstrip().endswith(MARK)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def commands(hooks: tuple[Hook, ...]) -> Iterator[str]:
    """Yield the commands that these hooks run."""
    for hook in hooks:
        for handler in hook.group["hooks"]:
            yield handler["command"]


def _with_absolute_paths(group: Any, *, root: Path, python: str, variables: Mapping[str, str]) -> dict[str, Any]:
    """Return the group with commands that run from anywhere: absolute paths, our variables set, marked as ours."""
    quoted_root = _SPECIAL.sub(r"\\\1", str(root))
    quoted_python = shlex.quote(python)
    assignments = "".join(f"{name}={shlex.quote(value)} " for name, value in variables.items())
    handlers: list[dict[str, Any]] = []
    for handler in group["hooks"]:
        command = _ROOT.sub(lambda _: quoted_root, handler["command"])
        command = _PYTHON.sub(lambda _: quoted_python, command)
        handlers.append({**handler, "command": f"{assignments}{command} {MARK}"})
    return {**group, "hooks": handlers}
