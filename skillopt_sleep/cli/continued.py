"""Build the command line that resumes a night waiting for answers, to be run from any folder."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from typing import NamedTuple

from skillopt_sleep.cli.again import AskedAgain

NAME = "skillopt-sleep"
_PREFIX = "SKILLOPT_SLEEP_"
# Left out: who is notified doesn't change the night, and the address may contain a token.
_NOTIFY_PREFIX = _PREFIX + "NOTIFY_"


class Asked(NamedTuple):
    """The options of a night as the user gave them; `project` is an absolute path."""

    project: str = ""
    backend: str | None = None
    model: str | None = None
    base_url: str | None = None
    again: AskedAgain = AskedAgain()
    fresh: bool = False
    as_json: bool = False


def command_of(asked: Asked, environ: Mapping[str, str] = os.environ) -> str:
    """Return the shell command that runs the same night again, with the same options, home and sessions."""
    return " ".join([*_variables(environ), shlex.join([*_program(environ), *words_of(asked)])])


def words_of(asked: Asked) -> list[str]:
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


def _program(environ: Mapping[str, str]) -> list[str]:
    if shutil.which(NAME, path=environ.get("PATH")):
        return [NAME]
    return [sys.executable, "-m", "skillopt_sleep"]


def _variables(environ: Mapping[str, str]) -> list[str]:
    """Return the set variables that decide on home, settings and sessions, as POSIX shell assignments."""
    from skillopt_sleep.agents import AGENTS  # imported late, as it would slow down the start of every command

    if os.name != "posix":
        return []
    agent_homes = {agent.program.home_env for agent in AGENTS.values()}
    assignments: list[str] = []
    for name, value in sorted(environ.items()):
        is_ours = name.startswith(_PREFIX) and not name.startswith(_NOTIFY_PREFIX)
        if value and (is_ours or name in agent_homes):
            assignments.append(f"{name}={shlex.quote(value)}")
    return assignments
