"""Remove the folders of calls whose process was killed: each may hold a copy of the agent's login."""

import os
import platform
import re
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

_START = "call-"
_NAME = re.compile(re.escape(_START) + r"(?P<pid>\d+)@(?P<host>.*)-[^-]*")
# No call takes this long. It is for folders of another machine or version, whose process can't be looked up.
_LONGEST_SECONDS = 24 * 3600.0


class Cleared(NamedTuple):
    """The folders that were removed, and those that couldn't be."""

    gone: tuple[Path, ...] = ()
    stuck: tuple[Path, ...] = ()


def prefix() -> str:
    """Return how this process begins the names of its calls' folders."""
    return f"{_START}{os.getpid()}@{platform.node().replace(os.sep, '')}-"


def clear(folder: Path) -> Cleared:
    """Remove the folders of calls whose process has ended, and keep those of running processes."""
    try:
        with os.scandir(folder) as entries:
            left = [Path(entry.path) for entry in entries if _is_left(entry)]
    except OSError:
        return Cleared()
    gone: list[Path] = []
    stuck: list[Path] = []
    for path in left:
        shutil.rmtree(path, ignore_errors=True)
        if os.path.lexists(path):
            stuck.append(path)
        else:
            gone.append(path)
    return Cleared(tuple(gone), tuple(stuck))


def _is_left(entry: "os.DirEntry[str]") -> bool:
    from skillopt_sleep.kit.alive import is_alive

    if not entry.name.startswith(_START):
        return False
    try:
        made = entry.stat(follow_symlinks=False).st_mtime
    except OSError:
        return False  # gone in the meantime
    name = _NAME.fullmatch(entry.name)
    if name is None or name["host"] != platform.node().replace(os.sep, ""):
        return time.time() - made > _LONGEST_SECONDS
    return not is_alive(int(name["pid"]), datetime.fromtimestamp(made, UTC))
