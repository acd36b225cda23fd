"""Folders and patterns that name what is left alone."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path


def is_excluded(path: str, patterns: Sequence[str]) -> bool:
    """Whether the path, or a folder above it, is one of the patterns (with `~` and globs).

    A pattern that isn't absolute, such as `shop-*` or `work/shop`, is meant wherever it is.
    """
    if not path:
        return False
    wanted = [_anywhere(Path(pattern).expanduser()) for pattern in patterns if pattern.strip()]
    return any(
        str(folder) == pattern or fnmatchcase(str(folder), pattern)
        for folder in (Path(path), *Path(path).parents)
        for pattern in wanted
    )


def _anywhere(pattern: Path) -> str:
    return str(pattern) if pattern.is_absolute() else f"*/{pattern}"
