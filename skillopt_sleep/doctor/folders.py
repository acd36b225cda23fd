"""Check that our folders, the agents' session folders and our command can be used."""

import os
import shlex
import shutil
import stat
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from skillopt_sleep.doctor.findings import Finding, Topic, fine, problem
from skillopt_sleep.night.harvest import unlisted_notes
from skillopt_sleep.protocols.work import SessionSource
from skillopt_sleep.records import Note
from skillopt_sleep.settings import Paths

LEAST_FREE = 256 * 1024 * 1024
_GROUP_AND_OTHERS = 0o077
COMMAND = "skillopt-sleep"
_AS_MODULE = f"{sys.executable} -m skillopt_sleep"


def look_at_paths(paths: Paths) -> Iterator[Finding]:
    """Check that our files and folders can be written, are private, and have room to grow."""
    folders = tuple(dict.fromkeys((paths.config, paths.data, paths.nights, paths.adoptions)))
    files = (paths.config_file, paths.preferences, paths.database)
    existing_folders = [path for path in folders if path.exists()]
    existing_files = [path for path in files if path.exists()]
    for folder in existing_folders:
        yield from _unusable_folder(folder)
    for file in existing_files:
        yield from _unusable_file(file)
    for folder in (paths.config, paths.data):
        yield from _uncreatable(folder)
    yield from _open_to_others([*existing_folders, *existing_files])
    free = shutil.disk_usage(_nearest_existing(paths.data)).free
    if free < LEAST_FREE:
        yield problem(
            Topic.PATHS,
            f"{paths.data}: only {free >> 20} MiB are free",
            f"make room: a night needs at least {LEAST_FREE >> 20} MiB",
        )
    yield fine(Topic.PATHS, f"settings in {paths.config}, data in {paths.data} ({free / 2**30:.1f} GiB free)")


def look_at_sources(sources: Iterable[SessionSource], lost: Iterable[Note]) -> Iterator[Finding]:
    """Check that every folder that may hold sessions can be listed, and tell of sessions that have no file."""
    unlisted: dict[str, str] = {}
    for source in sources:
        for _ in source.stamps(unlisted.setdefault):
            pass
    for note in unlisted_notes(unlisted):
        yield problem(Topic.PATHS, note.summary, note.remedy)
    for note in lost:
        finding = fine if note.expected else problem
        yield finding(Topic.PATHS, note.summary, note.remedy)


def _unusable_folder(path: Path) -> Iterator[Finding]:
    if not path.is_dir():
        yield problem(Topic.PATHS, f"{path} isn't a folder", "move it away: skillopt-sleep creates its own")
    elif not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        remedy = f"if it is yours: chmod u+rwx {shlex.quote(str(path))}"
        yield problem(Topic.PATHS, f"{path} can't be read and written", remedy)


def _unusable_file(path: Path) -> Iterator[Finding]:
    if path.is_dir():
        yield problem(Topic.PATHS, f"{path} isn't a file", "move it away: skillopt-sleep creates its own")
    elif not os.access(path, os.R_OK | os.W_OK):
        remedy = f"if it is yours: chmod u+rw {shlex.quote(str(path))}"
        yield problem(Topic.PATHS, f"{path} can't be read and written", remedy)


def _uncreatable(folder: Path) -> Iterator[Finding]:
    above = _nearest_existing(folder)
    if above == folder:
        return
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        yield problem(
            Topic.PATHS,
            f"{folder} can't be created in {above}",
            "set SKILLOPT_SLEEP_HOME to a folder you can write to",
        )


def _open_to_others(paths: Sequence[Path]) -> Iterator[Finding]:
    loose = [path for path in paths if stat.S_IMODE(path.stat().st_mode) & _GROUP_AND_OTHERS]
    if loose:
        names = ", ".join(str(path) for path in loose)
        quoted = " ".join(shlex.quote(str(path)) for path in loose)
        yield problem(
            Topic.PATHS, f"other users of this machine may have access to {names}", f"chmod go-rwx {quoted}"
        )


def _nearest_existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())


def look_at_installs(path: str, *, scripts: tuple[str, ...] = ()) -> Iterator[Finding]:
    """Check which command of our name a shell would find in PATH (`path`).

    `scripts` are the folders that may hold our own command.
    """
    own_folders = scripts or (
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")),
        str(Path(sys.argv[0]).parent),
    )
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
