"""The daemon as a systemd unit or a launchd agent: its file, and the commands that start and stop it.

Whatever is done here may be done again after a kill.
"""

import os
import plistlib
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.daemon.service import service_file
from skillopt_sleep.daemon.service.machine import SOURCED, Launch, Machine, last_words, launch_of
from skillopt_sleep.daemon.service.service_file import LABEL, UNIT, first_line, service_path
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.files import private_dir

_SYSTEMCTL = ("systemctl", "--user")
_UNIT_TEXT = """\
# {first}
# Your own changes belong into `systemctl --user edit {unit}`: this file is written anew by `skillopt-sleep install`.
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

Command = tuple[str, ...]


class Service(NamedTuple):
    """A file for the platform's service manager, and the commands by which it starts, stops and forgets a service.

    Only a command that starts it has to succeed. `logs` is a folder that the service manager needs.
    """

    path: Path
    data: bytes
    start: tuple[Command, ...]
    stop: tuple[Command, ...]
    forget: tuple[Command, ...] = ()
    logs: Path | None = None


def service_of(machine: Machine) -> Service | None:
    """Return the service for this machine, or None on a platform without systemd and launchd."""
    path = service_path(machine.platform, machine.home, machine.environ)
    if path is None:
        return None
    if machine.platform == "darwin":
        return _launchd_service(machine, path)
    return _systemd_service(machine, path)


def why_no_service(machine: Machine) -> str:
    """Return why no service can be installed here, or "" if one can."""
    if machine.platform == "darwin":
        return ""
    if machine.platform != "linux":
        return "this system has neither systemd nor launchd"
    ran = machine.run(*_SYSTEMCTL, "show-environment")
    return "" if ran.status == 0 else f"your systemd doesn't answer ({last_words(ran)})"


def put_in_place(service: Service, machine: Machine) -> None:
    """Write the file and restart the service; raises SleepError if the platform refuses."""
    _run(service.stop, machine)
    service_file.write(service.path, service.data)
    if service.logs:
        private_dir(service.logs)
    for command in service.start:
        ran = machine.run(*command)
        if ran.status != 0:
            raise SleepError(
                f"`{' '.join(command)}` failed: {last_words(ran)}",
                remedy="the service is written but not started; fix that, then run `skillopt-sleep install` again",
            )


def take_away(service: Service, machine: Machine) -> None:
    """Stop the service and remove its file."""
    _run(service.stop, machine)
    service_file.remove(service.path)
    _run(service.forget, machine)


def _run(commands: tuple[Command, ...], machine: Machine) -> None:
    for command in commands:
        machine.run(*command)


def _systemd_service(machine: Machine, path: Path) -> Service:
    """Return the unit at this path, and the commands that start and stop it."""
    reload = (*_SYSTEMCTL, "daemon-reload")
    return Service(
        path=path,
        data=unit(launch_of(machine), first=first_line(machine.paths)).encode(),
        start=(reload, (*_SYSTEMCTL, "enable", "--now", UNIT)),
        stop=((*_SYSTEMCTL, "disable", "--now", UNIT),),
        forget=(reload,),
    )


def unit(launch: Launch, *, first: str) -> str:
    """Return the text of the unit; `first` marks it as ours."""
    variables = "\n".join(f"Environment={_quoted(f'{key}={value}')}" for key, value in launch.environment.items())
    argv = launch.argv
    if set(launch.python) & set("\"'\\"):
        # systemd can't start a program with a quote in its name, but env can.
        argv = ("/usr/bin/env", *argv)
    words = [_quoted(argv[0])]  # a dollar is special in all words but the first
    words += [_quoted(word.replace("$", "$$")) for word in argv[1:]]
    # EnvironmentFile takes a path, not words: only specifiers are special.
    keys = str(launch.keys).replace("%", "%%")
    return _UNIT_TEXT.format(first=first, unit=UNIT, variables=variables, keys=keys, command=" ".join(words))


def _quoted(text: str) -> str:
    """Quote one word for systemd: escaped as in C, with `%` doubled."""
    plain = (
        text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("%", "%%")
    )
    return f'"{plain}"'


def _launchd_service(machine: Machine, path: Path) -> Service:
    """Return the property list at this path, and the commands that start and stop the agent."""
    domain = f"gui/{os.getuid()}"
    log = machine.paths.logs / "launchd.log"
    return Service(
        path=path,
        data=plist(launch_of(machine), log=log, first=first_line(machine.paths)),
        start=(("launchctl", "bootstrap", domain, str(path)),),
        stop=(("launchctl", "bootout", f"{domain}/{LABEL}"),),
        logs=machine.paths.logs,
    )


def plist(launch: Launch, *, log: Path, first: str) -> bytes:
    """Return the agent's property list, which `first` marks as ours; what the daemon prints goes to `log`."""
    text = plistlib.dumps(
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
    declaration, rest = text.split(b"\n", 1)
    return b"%s\n<!-- %s -->\n%s" % (declaration, first.encode(), rest)
