"""Remove folders that anybody may have filled: as deep, locked and oddly named as a file system allows."""

import os
import secrets
import stat
from contextlib import suppress
from itertools import count
from pathlib import Path

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
