"""Folders and patterns that name what is left alone."""

import os
import unicodedata
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path


def is_excluded(path: str, patterns: Sequence[str]) -> bool:
    """Whether the path, or a folder above it, is one of the patterns (with `~` and globs), by whatever links.

    A pattern that isn't absolute, such as `shop-*` or `work/shop`, is meant wherever it is.
    """
    if not path:
        return False
    wanted = [place for pattern in patterns if pattern.strip() for place in _anywhere(Path(pattern).expanduser())]
    return any(
        str(folder) == pattern or fnmatchcase(str(folder), pattern)
        for place in _places(path)
        for folder in (Path(place), *Path(place).parents)
        for pattern in wanted
    )


def _anywhere(pattern: Path) -> tuple[str, ...]:
    return _places(str(pattern)) if pattern.is_absolute() else (_spelled(f"*/{pattern}"),)


# A link that is laid while a night runs is seen by the next.
@lru_cache(maxsize=4096)
def _places(path: str) -> tuple[str, ...]:
    """The path as it is written and where its links lead: an agent notes the one or the other."""
    # What no path can hold leads nowhere.
    real = path if "\0" in path else os.path.realpath(path)
    return tuple(dict.fromkeys((_spelled(os.path.normpath(path)), _spelled(real))))


def _spelled(path: str) -> str:
    """In one of the forms in which Unicode writes the same letters."""
    return unicodedata.normalize("NFC", path)
