"""Build the command line that resumes what waits for answers, to be run from any folder and any shell."""

import os
import pwd
import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.cli.again import AskedAgain
from skillopt_sleep.cli.console import warn
from skillopt_sleep.kit.process import end_all
from skillopt_sleep.kit.redact import redact

NAME = "skillopt-sleep"
_PREFIX = "SKILLOPT_SLEEP_"
# Left out: who is notified doesn't change the night, and the address may contain a token.
_NOTIFY_PREFIX = _PREFIX + "NOTIFY_"


class NightOptions(NamedTuple):
    """The options of a night as the user gave them; `project` is an absolute path."""

    project: str = ""
    backend: str | None = None
    model: str | None = None
    base_url: str | None = None
    again: AskedAgain = AskedAgain()
    fresh: bool = False
    as_json: bool = False


def command_of(asked: NightOptions, environ: Mapping[str, str] = os.environ) -> str:
    """Return the shell command that runs the same night again, with the same options, home and sessions."""
    return command(words_of(asked), environ)


def command(words: Sequence[str], environ: Mapping[str, str] = os.environ) -> str:
    """Return the shell command that runs this program with these words, with the same home and sessions."""
    ran = Path(sys.argv[0])
    program = [str(ran.absolute())] if ran.name == NAME else [sys.executable, "-P", "-m", "skillopt_sleep"]
    return " ".join([*_variables(environ), shlex.join([*program, *words])])


def read_again(asked: NightOptions) -> str:
    """Return the command of a night on the same project with the same model that reads again what was read."""
    again = NightOptions(asked.project, asked.backend, asked.model, asked.base_url, AskedAgain(again=True))
    return redact(shlex.join([NAME, *words_of(again)]))  # reports keep it, and an address may hold a password


def words_of(asked: NightOptions) -> list[str]:
    """Return `run` with the options that were given, as words of a command line."""
    words = ["run"]
    options = {
        "--project": asked.project,
        "--backend": asked.backend,
        "--model": asked.model,
        "--base-url": asked.base_url,
    }
    for option, value in options.items():
        if value:
            words += [option, value]
    words += asked.again.words()
    if asked.fresh:
        words.append("--fresh")
    if asked.as_json:
        words.append("--json")
    return words


def _variables(environ: Mapping[str, str]) -> list[str]:
    """Return the variables that decide on home, settings and sessions, if unusual, as POSIX shell assignments."""
    home = environ.get("HOME", "")
    usual = {"HOME": "", "XDG_CONFIG_HOME": f"{home}/.config", "XDG_DATA_HOME": f"{home}/.local/share"}
    with suppress(KeyError):
        usual["HOME"] = pwd.getpwuid(os.getuid()).pw_dir
    usual |= {agent.program.home_env: f"{home}/{agent.program.home_name}" for agent in AGENTS.values()}
    assignments: list[str] = []
    for name, value in sorted(environ.items()):
        is_ours = name.startswith(_PREFIX) and not name.startswith(_NOTIFY_PREFIX)
        if value and (is_ours or name in usual) and value != usual.get(name):
            assignments.append(f"{name}={shlex.quote(value)}")
    return assignments


def stop_softly() -> None:
    """Turn SIGINT and SIGTERM into one KeyboardInterrupt; the first Ctrl-C lets calls in flight finish."""
    interrupt = _Interrupt()
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, interrupt)


class _Interrupt:
    """A signal handler: the first Ctrl-C waits for calls in flight, a second one or SIGTERM kills their programs."""

    def __init__(self) -> None:
        self._was_called = False

    def __call__(self, signum: int, _frame: FrameType | None) -> None:
        is_first = not self._was_called
        self._was_called = True
        if is_first and signum != signal.SIGTERM:
            warn("Stopping after the calls in flight (Ctrl-C again ends them now); paid results are kept.")
            raise KeyboardInterrupt
        warn("Ending the calls in flight; paid results are kept.")
        end_all()
        if is_first:
            raise KeyboardInterrupt
