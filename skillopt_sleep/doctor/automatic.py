"""Tell whether nights run automatically, when the next one does, and whether the agents have our plugin."""

import sys
from collections.abc import Iterator, Mapping
from datetime import datetime, time as time_of_day, timedelta, tzinfo
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep import __version__
from skillopt_sleep.daemon.schedule import next_slot
from skillopt_sleep.daemon.service import plugins
from skillopt_sleep.daemon.service.machine import Machine
from skillopt_sleep.daemon.service.service_file import installed
from skillopt_sleep.daemon.status import installed_says
from skillopt_sleep.doctor.findings import Finding, Topic, fine, problem, unknown
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.settings import Paths, Settings

_INSTALL = "skillopt-sleep install"


class NextNight(NamedTuple):
    """The next night that runs by itself: the local time at which it begins, and when it is over at the latest."""

    at: str
    until: datetime


def tonight(
    settings: Settings, paths: Paths, *, environ: Mapping[str, str], now: datetime, zone: tzinfo
) -> NextNight | None:
    """Return the next night, so that by day it can be told what will be missing then; None if none runs by itself."""
    if not installed(paths, environ):
        return None
    at = settings.daemon.at
    begins = next_slot(now, time_of_day.fromisoformat(at), zone).at
    return NextNight(at, begins + timedelta(minutes=settings.budget.minutes))


def look_at_daemon(paths: Paths, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Check whether nights run automatically; not wanting them is a choice, not a problem."""
    text, remedy = installed_says(paths, environ, now=utc_now())
    if remedy and installed(paths, environ):
        yield problem(Topic.DAEMON, text, remedy)
    else:
        yield fine(Topic.DAEMON, text, remedy)


def look_at_plugins(paths: Paths, *, home: Path, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Check whether each agent that is used here has our plugin, in the version of this program."""
    machine = Machine(sys.platform, home, environ, sys.executable, paths)
    for agent in plugins.agents_here(machine):
        if not agent.home(environ, home).is_dir():
            continue  # its program would create the folder
        try:
            version = plugins.installed_version(agent, machine)
        except SleepError as error:
            yield unknown(Topic.INSTALLS, f"{agent.title}'s plugins aren't known: {error.message}")
            continue
        if not version:
            yield fine(Topic.INSTALLS, f"{agent.title} doesn't have our plugin", _INSTALL)
        elif version != __version__:
            says = f"the plugin in {agent.title} is version {version}, and this program is {__version__}"
            yield problem(Topic.INSTALLS, says, _INSTALL)
        else:
            yield fine(Topic.INSTALLS, f"the plugin in {agent.title} is version {version}")
