"""Find other installations of skillopt-sleep that a shell might run instead of this one."""

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from skillopt_sleep.doctor.findings import Finding, Topic, fine, problem

COMMAND = "skillopt-sleep"
_AS_MODULE = f"{sys.executable} -m skillopt_sleep"


def look_at_installs(path: str, *, scripts: tuple[str, ...] = ()) -> Iterator[Finding]:
    """Check which command of our name a shell would find in PATH (`path`).

    `scripts` are the folders that may hold our own command.
    """
    own_folders = scripts or (sysconfig.get_path("scripts"), _user_scripts(), str(Path(sys.argv[0]).parent))
    own_commands = {command.resolve() for command in _commands(own_folders)}
    in_path = _commands(path.split(os.pathsep))
    ours = [command for command in in_path if command.resolve() in own_commands]
    others = [command for command in in_path if command.resolve() not in own_commands]
    if not others:
        where = str(in_path[0]) if in_path else f"not in PATH; this is {_AS_MODULE}"
        yield fine(Topic.INSTALLS, f"{COMMAND} is {where}")
        return
    this_one = _AS_MODULE
    if ours or own_commands:
        this_one = str(ours[0] if ours else min(own_commands))
    names = " and ".join(str(command) for command in others)
    runs = f"a shell runs ours, {in_path[0]}"
    if in_path[0] in others:
        runs = f"a shell runs {in_path[0]}"
    yield problem(
        Topic.INSTALLS,
        f"this isn't the only {COMMAND} command: there is {names}; {runs}",
        f"uninstall the one you don't want, or run this one as {this_one}",
    )


def _commands(folders: tuple[str, ...] | list[str]) -> list[Path]:
    """Return our commands in these folders, each once."""
    commands: dict[Path, None] = {}
    for folder in folders:
        # An empty entry of PATH is the current folder: what lies there isn't an install.
        command = shutil.which(COMMAND, path=folder) if folder else None
        if command:
            commands[Path(command).absolute()] = None
    return list(commands)


def _user_scripts() -> str:
    return sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))
