"""Folders and patterns that name what is never read."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path


def is_excluded(path: str, patterns: Sequence[str]) -> bool:
    """Whether the path, or a folder above it, is one of the patterns (a path, with `~` and globs)."""
    if not path:
        return False
    wanted = [str(Path(pattern).expanduser()) for pattern in patterns]
    return any(
        str(folder) == pattern or fnmatchcase(str(folder), pattern)
        for folder in (Path(path), *Path(path).parents)
        for pattern in wanted
    )
