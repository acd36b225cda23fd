"""Remove the folders that processes left when they were killed; a call's may hold a copy of the agent's login."""

import os
import platform
import re
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.kit.trees import remove_tree

# How the names of folders begin, by what is in them.
CALL = "call-"  # one call or attempt of an agent: its throw-away home
COPY = "copy-"  # a copy of a repository
MAKING = "making-"  # a base of copies that isn't complete
SCRATCH = "scratch-"  # what a check or a probe needs
SOCKETS = "relay-"  # sockets of the relay, in the system's temporary folder
BASES = "bases"  # the folder with what copies are made of
_NAME = re.compile(r"(?P<pid>\d+)@(?P<host>.*)-[^-]*")
# No call takes this long. It is for folders of another machine or version, whose process can't be looked up.
_LONGEST_SECONDS = 24 * 3600.0


class Cleared(NamedTuple):
    """The folders that were removed, and those that couldn't be."""

    gone: tuple[Path, ...] = ()
    stuck: tuple[Path, ...] = ()


def prefix(kind: str = CALL) -> str:
    """Return how this process begins the names of its folders of this kind."""
    return f"{kind}{os.getpid()}@{platform.node().replace(os.sep, '')}-"


def sweep(replays: Path) -> Cleared:
    """Remove what ended processes left of calls and replays, below this folder and in the system's temporary one."""
    places = [(replays, kind) for kind in (CALL, COPY, MAKING, SCRATCH)]
    places += [(replays / BASES, kind) for kind in (COPY, MAKING, SCRATCH)]
    places.append((Path(tempfile.gettempdir()), SOCKETS))
    gone: list[Path] = []
    stuck: list[Path] = []
    for folder, kind in places:
        cleared = clear(folder, kind)
        gone += cleared.gone
        stuck += cleared.stuck
    return Cleared(tuple(gone), tuple(stuck))


def clear(folder: Path, kind: str = CALL) -> Cleared:
    """Remove the folders of this kind whose process has ended, and keep those of running processes."""
    try:
        with os.scandir(folder) as entries:
            left = [Path(entry.path) for entry in entries if _is_left(entry, kind)]
    except OSError:
        return Cleared()
    gone: list[Path] = []
    stuck: list[Path] = []
    for path in left:
        if remove_tree(path):
            gone.append(path)
        else:
            stuck.append(path)
    return Cleared(tuple(gone), tuple(stuck))


def _is_left(entry: "os.DirEntry[str]", kind: str) -> bool:
    from skillopt_sleep.kit.alive import is_alive

    if not entry.name.startswith(kind):
        return False
    try:
        made = entry.stat(follow_symlinks=False).st_mtime
    except OSError:
        return False  # gone in the meantime
    name = _NAME.fullmatch(entry.name.removeprefix(kind))
    if name is None or name["host"] != platform.node().replace(os.sep, ""):
        return time.time() - made > _LONGEST_SECONDS
    return not is_alive(int(name["pid"]), datetime.fromtimestamp(made, UTC))
