"""Match folders against the user's patterns of what to leave alone."""

import os
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path


def is_excluded(path: str, patterns: Sequence[str]) -> bool:
    """Tell whether the path, or a folder above it, matches a pattern (with `~` and globs), through links too.

    A pattern that isn't absolute, such as `shop-*` or `work/shop`, matches anywhere.
    """
    if not path:
        return False
    wanted: list[str] = []
    for pattern in patterns:
        if pattern.strip():
            # Unlike Path.expanduser, this leaves the name of a user who doesn't exist here as it is.
            wanted += _absolute(Path(os.path.expanduser(pattern)))  # noqa: PTH111
    for place in _places(path):
        for folder in (Path(place), *Path(place).parents):
            if any(str(folder) == pattern or fnmatchcase(str(folder), pattern) for pattern in wanted):
                return True
    return False


def _absolute(pattern: Path) -> tuple[str, ...]:
    if pattern.is_absolute():
        return _places(str(pattern))
    return (_normalized(f"*/{pattern}"),)


# Cached, so a link that is made while a night runs is seen by the next night only.
@lru_cache(maxsize=4096)
def _places(path: str) -> tuple[str, ...]:
    """Return the path as it is written and where its links lead: agents note the one or the other."""
    real = path
    with suppress(OSError, ValueError):  # what can't be a path, or may not be looked at, leads nowhere
        real = os.path.realpath(path)
    written = _normalized(os.path.normpath(path))
    return tuple(dict.fromkeys((written, _normalized(real))))


def _normalized(path: str) -> str:
    """Return the path in one of the forms in which Unicode writes the same letters."""
    return unicodedata.normalize("NFC", path)
