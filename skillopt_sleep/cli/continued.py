"""The command line that goes on with a night which waits for answers, to be run from anywhere."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from typing import NamedTuple

NAME = "skillopt-sleep"
_OURS = "SKILLOPT_SLEEP_"
# Whom a night tells doesn't make it another night, and there may be a token in it.
_NOT_SAID = _OURS + "NOTIFY_"


class Asked(NamedTuple):
    """The options of a night, as they were given; `project` is a whole path."""

    project: str = ""
    backend: str | None = None
    model: str | None = None
    base_url: str | None = None
    fresh: bool = False
    as_json: bool = False


def command_of(asked: Asked, environ: Mapping[str, str] = os.environ) -> str:
    """The same night again: under the same options, in the same home, over the same sessions."""
    named = {
        "--project": asked.project,
        "--backend": asked.backend,
        "--model": asked.model,
        "--base-url": asked.base_url,
    }
    options = [word for option, value in named.items() if value for word in (option, value)]
    options += ["--fresh"] if asked.fresh else []
    options += ["--json"] if asked.as_json else []
    program = [NAME] if shutil.which(NAME, path=environ.get("PATH")) else [sys.executable, "-m", "skillopt_sleep"]
    return " ".join((*_variables(environ), shlex.join([*program, "run", "--now", *options])))


def _variables(environ: Mapping[str, str]) -> list[str]:
    """What was set for this command and decides on home, settings and sessions, as a POSIX shell takes it."""
    from skillopt_sleep.agents import AGENTS  # every command starts sooner without

    homes = {agent.program.home_env for agent in AGENTS.values()}
    said = (
        name
        for name, value in sorted(environ.items())
        if value and (name in homes or (name.startswith(_OURS) and not name.startswith(_NOT_SAID)))
    )
    return [f"{name}={shlex.quote(environ[name])}" for name in said] if os.name == "posix" else []
