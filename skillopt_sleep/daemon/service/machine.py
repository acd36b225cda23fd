"""Describe the machine to install on, and what its service starts: a program, and the variables it needs."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.kit.process import ProcessResult, run
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.settings import PREFIX, Paths, find_paths

SECONDS = 60
NOT_FOUND = 127
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


class Machine(NamedTuple):
    """The machine to install on: its platform, the user's home and variables, and the Python that runs us."""

    platform: str
    home: Path
    environ: Mapping[str, str]
    python: str
    paths: Paths

    def has(self, program: str) -> bool:
        """Return whether this program is in PATH."""
        return shutil.which(program, path=self.environ.get("PATH", os.defpath)) is not None

    def run(self, *argv: str) -> ProcessResult:
        """Run a program in the home folder; a missing one ends with status 127, as in a shell."""
        program = shutil.which(argv[0], path=self.environ.get("PATH", os.defpath))
        if program is None:
            return ProcessResult(NOT_FOUND, stderr=f"{argv[0]}: command not found".encode())
        return run((program, *argv[1:]), stdin=b"", cwd=self.home, environ=self.environ, timeout=SECONDS)


def this_machine(environ: Mapping[str, str] = os.environ) -> Machine:
    """Return the machine this process runs on."""
    home = Path(environ.get("HOME") or Path.home())
    # Not resolved: Python finds its virtual environment by the link it was started through.
    python = str(Path(sys.executable).absolute())
    return Machine(sys.platform, home, environ, python, find_paths(environ))


def last_words(ran: ProcessResult) -> str:
    """Return what a program that failed said about it, in one line."""
    text = (ran.stderr or ran.stdout).decode(errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if ran.stopped == "timed_out":
        return f"no answer within {SECONDS} seconds"
    return lines[-1] if lines else f"exit code {ran.status}"


class Launch(NamedTuple):
    """A program with absolute paths and its variables; `keys` is the file of API keys that only the user creates."""

    python: str
    environment: Mapping[str, str]
    keys: Path

    @property
    def argv(self) -> tuple[str, ...]:
        """Return the command line of the daemon."""
        return (self.python, *MODULE)


def launch_of(machine: Machine) -> Launch:
    """Return what a service on this machine starts."""
    environment, _ = service_environment(machine.environ)
    return Launch(machine.python, environment, keys_file(machine.paths))


def keys_file(paths: Paths) -> Path:
    """Return the file of NAME=value lines from which a service reads API keys."""
    return paths.config / "environment"


def crontab_line(launch: Launch) -> str:
    """Return a line for a crontab that starts the daemon every ten minutes; it ends at once if one is running."""
    variables = [f"{name}={value}" for name, value in launch.environment.items()]
    command = ["/bin/sh", "-c", SOURCED, "skillopt-sleep", str(launch.keys), "env", *variables, *launch.argv]
    # cron takes an unescaped percent sign for the end of the line.
    return f"*/10 * * * * {shlex.join(command)} >/dev/null 2>&1".replace("%", "\\%")


def service_environment(environ: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the variables a service needs, and the names of those left out because they may hold a secret."""
    variables = _wanted(environ)
    unfit = tuple(
        sorted(
            name
            for name, value in variables.items()
            if name != "PATH" and ("@" in urlsplit(value).netloc or redact(value) != value or not value.isprintable())
        )
    )
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


def _search_path(text: str) -> str:
    """Return the absolute folders of a PATH, each once."""
    folders = [folder for folder in text.split(os.pathsep) if Path(folder).is_absolute() and folder.isprintable()]
    return os.pathsep.join(dict.fromkeys(folders))
