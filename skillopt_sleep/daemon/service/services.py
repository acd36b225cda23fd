"""Keep the daemon running in the platform's own way: the files it needs, and the commands that start and stop it."""

import os
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.daemon.service import launchd, systemd
from skillopt_sleep.daemon.service.launch import Launch, shell_script
from skillopt_sleep.daemon.service.machine import Machine
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.files import private_dir

SYSTEMD = "systemd"
LAUNCHD = "launchd"
CRON = "cron"


class OwnFile(NamedTuple):
    """A file that is entirely ours, and the folders that the service manager may create for it."""

    path: Path
    data: bytes
    folders: tuple[Path, ...] = ()


def services(machine: Machine) -> tuple[str, ...]:
    """Return the services to use here: on Linux always systemd, and cron too if systemd isn't running."""
    if machine.platform == "darwin":
        return (LAUNCHD,)
    names: list[str] = []
    if machine.platform == "linux":
        names.append(SYSTEMD)
    if not machine.has_systemd and machine.has("crontab"):
        names.append(CRON)
    return tuple(names)


def own_files(machine: Machine, launch: Launch, folder: Path) -> tuple[OwnFile, ...]:
    """Return the files of these services; those in no place of the platform's go to `folder`."""
    files: list[OwnFile] = []
    for name in services(machine):
        if name == SYSTEMD:
            path = systemd.unit_path(machine.home, machine.environ)
            files.append(OwnFile(path, systemd.unit(launch).encode(), (path.parent / systemd.WANTS,)))
        elif name == LAUNCHD:
            log = machine.paths.logs / "launchd.log"
            files.append(OwnFile(launchd.plist_path(machine.home), launchd.plist(launch, log=log)))
        else:
            files.append(OwnFile(cron_script(folder), shell_script(launch).encode()))
    return tuple(files)


def cron_script(folder: Path) -> Path:
    """Return the path of the script that our line of the crontab runs."""
    return folder / "daemon.sh"


def start(machine: Machine, *, changed: bool) -> tuple[str, ...]:
    """Start the service, again if its files `changed`; return notes for the user; raises SleepError on failure."""
    notes: list[str] = []
    for name in services(machine):
        if name == SYSTEMD:
            notes += _start_systemd(machine, changed=changed)
        elif name == LAUNCHD:
            plist = str(launchd.plist_path(machine.home))
            private_dir(machine.paths.logs)  # launchd doesn't create it for the daemon's output
            if changed:
                machine.run("launchctl", "bootout", _launchd_name())
            if changed or machine.run("launchctl", "print", _launchd_name()).status != 0:
                _must(machine, "launchctl", "bootstrap", _launchd_domain(), plist)
        else:
            notes.append("cron starts the daemon within ten minutes")
    if not services(machine):
        notes.append("this machine can't start the daemon by itself; run: skillopt-sleep daemon")
    return tuple(notes)


def stop(machine: Machine) -> None:
    """Stop and unregister the service; does nothing if none is registered."""
    for name in services(machine):
        if name == SYSTEMD and _has_manager(machine):
            machine.run("systemctl", "--user", "disable", "--now", systemd.UNIT)
        elif name == LAUNCHD:
            machine.run("launchctl", "bootout", _launchd_name())
    if machine.platform == "linux":
        unit = systemd.unit_path(machine.home, machine.environ)
        wanted = unit.parent / systemd.WANTS / systemd.UNIT
        if wanted.is_symlink():
            wanted.unlink()


def reload(machine: Machine) -> None:
    """Make the platform notice that its files are gone."""
    if SYSTEMD in services(machine) and _has_manager(machine):
        machine.run("systemctl", "--user", "daemon-reload")


def _start_systemd(machine: Machine, *, changed: bool) -> tuple[str, ...]:
    commands = [("daemon-reload",), ("enable", "--now", systemd.UNIT)]
    if not _has_manager(machine):
        if CRON in services(machine):
            return ()
        by_hand = " && ".join(f"systemctl --user {' '.join(command)}" for command in commands)
        return (
            "your user systemd isn't running, so the daemon isn't started; once it runs:",
            f"  {by_hand}",
            "  or run the daemon in the foreground: skillopt-sleep daemon",
        )
    if changed:
        commands = [("daemon-reload",), ("enable", systemd.UNIT), ("restart", systemd.UNIT)]
    for command in commands:
        _must(machine, "systemctl", "--user", *command)
    return ("for nights while you are logged out, too: loginctl enable-linger",)


def _has_manager(machine: Machine) -> bool:
    return machine.run("systemctl", "--user", "show-environment").status == 0


def _must(machine: Machine, *argv: str) -> None:
    ran = machine.run(*argv)
    if ran.status != 0:
        message = (ran.stderr or ran.stdout).decode(errors="replace").strip()
        raise SleepError(
            f"`{' '.join(argv)}` failed: {message or 'no error message'}",
            remedy="all files are written; fix that and run `skillopt-sleep install` again",
        )


def _launchd_domain() -> str:
    return f"gui/{os.getuid() if hasattr(os, 'getuid') else 0}"


def _launchd_name() -> str:
    return f"{_launchd_domain()}/{launchd.LABEL}"
