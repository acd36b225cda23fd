"""Describe what a service starts, and which of today's variables it needs to do so without a login shell."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.settings import PREFIX, Paths

AGENT_HOMES = tuple(agent.program.home_env for agent in AGENTS.values())
OWN_HOME = PREFIX + "HOME"
XDG = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
NETWORK = (
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
)
# -P: import nothing from the folder the service starts in.
MODULE = ("-P", "-m", "skillopt_sleep", "daemon")
# A shell script that sources the file of keys ($1), then becomes the program in the other arguments.
SOURCED = 'if [ -r "$1" ]; then set -a; . "$1"; set +a; fi; shift; exec "$@"'


class Launch(NamedTuple):
    """A program with absolute paths and its variables; `keys` is the file of API keys that only the user creates."""

    python: str
    environment: Mapping[str, str]
    keys: Path

    @property
    def argv(self) -> tuple[str, ...]:
        """Return the command line of the daemon."""
        return (self.python, *MODULE)


def keys_file(paths: Paths) -> Path:
    """Return the file of NAME=value lines from which a service reads API keys."""
    return paths.config / "environment"


def service_environment(environ: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the variables a service needs, and the names of those left out because they may hold a secret."""
    variables = _wanted(environ)
    unfit = tuple(sorted(name for name, value in variables.items() if name != "PATH" and _is_unfit(value)))
    return {name: variables[name] for name in sorted(variables) if name not in unfit}, unfit


def _wanted(environ: Mapping[str, str]) -> dict[str, str]:
    variables = {"PATH": _search_path(environ.get("PATH", os.defpath))}
    for name in (OWN_HOME, *AGENT_HOMES):
        if environ.get(name):
            variables[name] = str(Path(environ[name]).expanduser().absolute())
    for name in XDG:
        # Relative folders are ignored, as the XDG standard says.
        if Path(environ.get(name, "")).is_absolute():
            variables[name] = environ[name]
    for name, value in environ.items():
        is_wanted = name.upper() in NETWORK or name.startswith(PREFIX)
        if is_wanted and value and name not in variables:
            variables[name] = value
    return variables


def shell_script(launch: Launch) -> str:
    """Return a script for /bin/sh that sets the variables and starts the daemon."""
    lines = [f"export {name}={shlex.quote(value)}" for name, value in launch.environment.items()]
    keys = shlex.quote(str(launch.keys))
    lines += [f"if [ -r {keys} ]; then set -a; . {keys}; set +a; fi", f"exec {shlex.join(launch.argv)}"]
    return "\n".join(("#!/bin/sh", "# skillopt-sleep: written by `skillopt-sleep install`", *lines, ""))


def _search_path(text: str) -> str:
    """Return the absolute folders of a PATH, each once."""
    folders = [folder for folder in text.split(os.pathsep) if Path(folder).is_absolute() and folder.isprintable()]
    return os.pathsep.join(dict.fromkeys(folders))


def _is_unfit(value: str) -> bool:
    return "@" in urlsplit(value).netloc or redact(value) != value or not value.isprintable()
