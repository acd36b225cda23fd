"""Describe the daemon as a launchd agent."""

import plistlib
from pathlib import Path

from skillopt_sleep.daemon.service.launch import SOURCED, Launch

LABEL = "io.github.skillopt-sleep"


def plist_path(home: Path) -> Path:
    """Return where launchd looks for the user's agent."""
    return home / "Library" / "LaunchAgents" / f"{LABEL}.plist"


def plist(launch: Launch, *, log: Path) -> bytes:
    """Return the agent's property list; what the daemon prints goes to `log`."""
    return plistlib.dumps(
        {
            "Label": LABEL,
            # launchd can't read a file of variables: a shell reads the keys, then execs the daemon.
            "ProgramArguments": ["/bin/sh", "-c", SOURCED, "skillopt-sleep", str(launch.keys), *launch.argv],
            "EnvironmentVariables": dict(launch.environment),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": 60,
            "ExitTimeOut": 30,
            "ProcessType": "Background",
            "LowPriorityIO": True,
            "StandardOutPath": str(log),
            "StandardErrorPath": str(log),
        },
        sort_keys=False,
    )
