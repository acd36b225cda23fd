"""The folders of calls whose process was killed: there may be a copy of the agent's login in each."""

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
# No call takes as long: a process of another machine, or of another version, can't be asked for.
_LONGEST_SECONDS = 24 * 3600.0


class Cleared(NamedTuple):
    """The folders that were removed, and those that couldn't be."""

    gone: tuple[Path, ...] = ()
    stuck: tuple[Path, ...] = ()


def prefix() -> str:
    """How the name of a folder begins that this process makes for a call."""
    return f"{_START}{os.getpid()}@{platform.node().replace(os.sep, '')}-"


def clear(folder: Path) -> Cleared:
    """Remove the folders of calls that nobody makes any more; those of living processes stay."""
    try:
        with os.scandir(folder) as entries:
            left = [Path(entry.path) for entry in entries if entry.name.startswith(_START) and _is_left(entry)]
    except OSError:
        return Cleared()
    for path in left:
        shutil.rmtree(path, ignore_errors=True)
    stuck = tuple(path for path in left if os.path.lexists(path))
    return Cleared(tuple(path for path in left if path not in stuck), stuck)


def _is_left(entry: "os.DirEntry[str]") -> bool:
    from skillopt_sleep.kit.alive import is_alive

    try:
        made = entry.stat(follow_symlinks=False).st_mtime
    except OSError:
        return False  # gone meanwhile
    named = _NAME.fullmatch(entry.name)
    if named is None or named["host"] != platform.node().replace(os.sep, ""):
        return time.time() - made > _LONGEST_SECONDS
    return not is_alive(int(named["pid"]), datetime.fromtimestamp(made, UTC))
