"""The hooks that come with the program, as an agent's own settings want them: with absolute paths."""

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

# What marks a command as ours: a comment to the shell that runs it.
MARK = "# skillopt-sleep"
# On these depends where the scripts leave their notes.
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
    """Return the entries for this agent's settings that our plugin lists; `environ` is that of `launch.captured`."""
    listed = json.loads((folder / AGENTS[agent].hooks.listed).read_text(encoding="utf-8"))["hooks"]
    variables = {name: environ[name] for name in STATE_VARIABLES if environ.get(name)}
    hooks: list[Hook] = []
    for event, groups in listed.items():
        for group in groups:
            settled = _settled(group, root=folder, python=python, variables=variables)
            hooks.append(Hook(event, settled))
    return tuple(hooks)


def is_ours(handler: Any) -> bool:
    """Whether this handler in somebody's settings is one of ours."""
    return isinstance(handler, dict) and str(handler.get("command", "")).rstrip().endswith(MARK)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def commands(hooks: tuple[Hook, ...]) -> Iterator[str]:
    """What the entries run."""
    for hook in hooks:
        for handler in hook.group["hooks"]:
            yield handler["command"]


def _settled(group: Any, *, root: Path, python: str, variables: Mapping[str, str]) -> dict[str, Any]:
    quoted = _SPECIAL.sub(r"\\\1", str(root))
    sets = "".join(f"{name}={shlex.quote(value)} " for name, value in variables.items())

    def settled(command: str) -> str:
        with_root = _ROOT.sub(lambda _: quoted, command)
        return f"{sets}{_PYTHON.sub(lambda _: shlex.quote(python), with_root)} {MARK}"

    handlers = [{**handler, "command": settled(handler["command"])} for handler in group["hooks"]]
    return {**group, "hooks": handlers}
