"""Describe the daemon as a systemd user unit."""

import re
from collections.abc import Mapping
from pathlib import Path

from skillopt_sleep.daemon.service.launch import Launch

UNIT = "skillopt-sleep.service"
WANTS = "default.target.wants"

_FIRST = "# skillopt-sleep: written by `skillopt-sleep install`"
_TEXT = (
    _FIRST
    + """; your own changes belong into `systemctl --user edit {unit}`
[Unit]
Description=skillopt-sleep: coding agents learn from yesterday's corrections, overnight

[Service]
Type=exec
{variables}
# API keys, NAME=value, mode 0600; only if you make it.
EnvironmentFile=-{keys}
ExecStart={command}
Restart=on-failure
RestartSec=60
KillMode=mixed
TimeoutStopSec=30
Nice=10

[Install]
WantedBy=default.target
"""
)


def unit_path(home: Path, environ: Mapping[str, str]) -> Path:
    """Return the path of our unit among the user's."""
    config = Path(environ.get("XDG_CONFIG_HOME", ""))
    if not config.is_absolute():
        config = home / ".config"
    return config / "systemd" / "user" / UNIT


def unit(launch: Launch) -> str:
    """Return the text of the unit."""
    variables = "\n".join(f"Environment={_quoted(f'{key}={value}')}" for key, value in launch.environment.items())
    argv = launch.argv
    if set(launch.python) & set("\"'\\"):
        # systemd can't start a program with a quote in its name, but env can.
        argv = ("/usr/bin/env", *argv)
    words = [_quoted(argv[0])]  # a dollar is special in all words but the first
    words += [_quoted(word.replace("$", "$$")) for word in argv[1:]]
    command = " ".join(words)
    # EnvironmentFile takes a path, not words: only specifiers are special.
    return _TEXT.format(unit=UNIT, variables=variables, keys=str(launch.keys).replace("%", "%%"), command=command)


def variable(text: str, name: str) -> str | None:
    """Return the value a unit of ours sets for this variable, "" if it sets none; None if the unit isn't ours."""
    if not text.startswith(_FIRST):
        return None
    found = re.search(rf'^Environment="{name}=(.*)"$', text, re.MULTILINE)
    if not found:
        return ""
    return re.sub(r"%(%)|\\(.)", lambda escape: escape[1] or escape[2], found[1])


def _quoted(text: str) -> str:
    """Quote one word for systemd: escaped as in C, with `%` doubled."""
    plain = (
        text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("%", "%%")
    )
    return f'"{plain}"'
