"""Make folders that are named after the process that fills them, and remove those whose process was killed."""

import os
import platform
import re
import secrets
import stat
import time
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import NamedTuple

# How the names of folders begin, by what is in them.
CALL = "call-"  # one call of an agent: its throw-away home, with its login
ATTEMPT = "attempt-"  # one attempt in a seal: its throw-away home, without a login
COPY = "copy-"  # a copy of a repository
BASE = "base-"  # the files that copies are made of
SCRATCH = "scratch-"  # what a check or a probe needs
SOCKETS = "relay-"  # sockets of the relay, in the system's temporary folder
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


def sweep(replays: Path, temporary: Path) -> Cleared:
    """Remove what ended processes left of calls and replays, in this folder and in the system's temporary one."""
    places = [(replays, kind) for kind in (CALL, ATTEMPT, COPY, BASE, SCRATCH)]
    found = [clear(folder, kind) for folder, kind in places]
    found += [clear(temporary, kind, shared=True) for kind in (SOCKETS, SCRATCH)]
    gone = tuple(path for cleared in found for path in cleared.gone)
    stuck = tuple(path for cleared in found for path in cleared.stuck)
    return Cleared(gone, stuck)


def clear(folder: Path, kind: str = CALL, *, shared: bool = False) -> Cleared:
    """Remove the folders of this kind whose process has ended, and keep those of running processes.

    In a `shared` folder, which others fill too, only those are removed whose owner and name show that they are ours.
    """
    try:
        with os.scandir(folder) as entries:
            left = [Path(entry.path) for entry in entries if _is_left(entry, kind, shared=shared)]
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


def _is_left(entry: "os.DirEntry[str]", kind: str, *, shared: bool) -> bool:
    from skillopt_sleep.kit.process import is_alive

    if not entry.name.startswith(kind):
        return False
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError:
        return False  # gone in the meantime
    name = _NAME.fullmatch(entry.name.removeprefix(kind))
    is_from_here = name is not None and name["host"] == platform.node().replace(os.sep, "")
    if shared and not (is_from_here and info.st_uid == os.getuid()):
        return False
    if name is None or not is_from_here:
        return time.time() - info.st_mtime > _LONGEST_SECONDS
    return not is_alive(int(name["pid"]), datetime.fromtimestamp(info.st_mtime, UTC))


_OPEN = 0o700


def remove_tree(folder: Path) -> bool:
    """Remove the folder with all that is in it, and return whether it is gone; links are removed, never followed."""
    top = os.fsencode(folder)
    if os.path.islink(top):  # noqa: PTH114 - names of any bytes
        return False
    aside = os.path.join(top, secrets.token_bytes(8).hex().encode())  # noqa: PTH118
    numbers = count()
    waiting = [top]
    emptied: list[bytes] = []
    while waiting:
        at = waiting.pop()
        emptied.append(at)
        for name in _names(at):
            path = os.path.join(at, name)  # noqa: PTH118
            with suppress(OSError):
                if not stat.S_ISDIR(os.lstat(path).st_mode):
                    os.unlink(path)  # noqa: PTH108
                    continue
                # Below the top all paths are short, however deep a folder was.
                moved = path if at == top else b"%s.%d" % (aside, next(numbers))
                os.chmod(path, _OPEN)  # noqa: PTH101
                if moved != path:
                    os.rename(path, moved)  # noqa: PTH104
                waiting.append(moved)
    for path in reversed(emptied):
        with suppress(OSError):
            os.rmdir(path)  # noqa: PTH106
    return not os.path.lexists(top)


def _names(folder: bytes) -> list[bytes]:
    """List the folder, which need not be readable."""
    with suppress(OSError):
        os.chmod(folder, _OPEN)  # noqa: PTH101
        return os.listdir(folder)  # noqa: PTH208
    return []
