"""What a service starts, and what of today's environment it needs to start it without a login shell."""

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
# -P: nothing that lies in the folder the service starts in is imported.
MODULE = ("-P", "-m", "skillopt_sleep", "daemon")
# Sourced by a shell, so that NAME=value lines become variables of what is started.
SOURCED = 'if [ -r "$1" ]; then set -a; . "$1"; set +a; fi; shift; exec "$@"'


class Launch(NamedTuple):
    """A program with absolute paths and its variables; `keys` is the file of API keys that only the user makes."""

    python: str
    environment: Mapping[str, str]
    keys: Path

    @property
    def argv(self) -> tuple[str, ...]:
        """The command line of the daemon."""
        return (self.python, *MODULE)


def keys_file(paths: Paths) -> Path:
    """Where a service looks for API keys: NAME=value lines."""
    return paths.config / "environment"


def captured(environ: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The variables a service needs, and the names of those that are left out because a secret is in them."""
    found = {"PATH": _search_path(environ.get("PATH", os.defpath))}
    homes = (OWN_HOME, *AGENT_HOMES)
    found |= {name: str(Path(environ[name]).expanduser().absolute()) for name in homes if environ.get(name)}
    # A relative one counts for nothing, as the program itself reads them.
    found |= {name: environ[name] for name in XDG if Path(environ.get(name, "")).is_absolute()}
    plain = [name for name in environ if name.upper() in NETWORK or name.startswith(PREFIX)]
    found |= {name: environ[name] for name in plain if name not in found and environ[name]}
    unfit = tuple(sorted(name for name, value in found.items() if name != "PATH" and _unfit(value)))
    return {name: found[name] for name in sorted(found) if name not in unfit}, unfit


def shell_script(launch: Launch) -> str:
    """The text of a script for /bin/sh that starts the daemon, for what knows no variables of its own."""
    lines = [f"export {name}={shlex.quote(value)}" for name, value in launch.environment.items()]
    keys = shlex.quote(str(launch.keys))
    lines += [f"if [ -r {keys} ]; then set -a; . {keys}; set +a; fi", f"exec {shlex.join(launch.argv)}"]
    return "\n".join(("#!/bin/sh", "# skillopt-sleep: written by `skillopt-sleep install`", *lines, ""))


def _search_path(text: str) -> str:
    """The absolute folders of a PATH, each once."""
    return os.pathsep.join(
        dict.fromkeys(part for part in text.split(os.pathsep) if Path(part).is_absolute() and part.isprintable())
    )


def _unfit(value: str) -> bool:
    return "@" in urlsplit(value).netloc or redact(value) != value or not value.isprintable()
