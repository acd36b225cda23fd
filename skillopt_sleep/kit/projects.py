"""Find the project that a folder belongs to, and match folders against what the user wants left alone."""

import os
import stat
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.files import read_plain

_POINTER = b"gitdir:"
_LONGEST = 8_192  # a path may have 4,096 bytes


def named_project(name: str) -> str:
    """Return the project of the folder that `--project` names; ConfigError if there is no such folder."""
    folder = os.path.abspath(Path(name).expanduser())  # noqa: PTH100 - links are kept, `..` isn't
    if not Path(folder).is_dir():
        raise ConfigError(f"--project {name}: no such folder", remedy="name a project's folder")
    return project_root(folder)


@lru_cache(maxsize=4096)
def project_root(folder: str) -> str:
    """Return the nearest folder at or above this one that holds a `.git`, or the folder itself; it need not exist.

    A worktree of a repository belongs to that repository's own folder; a submodule is a project of its own.
    """
    at = folder
    while at:
        git = os.path.join(at, ".git")  # noqa: PTH118 - thousands of calls a harvest
        try:
            mode = os.lstat(git).st_mode
        except (OSError, ValueError):
            above = os.path.dirname(at)  # noqa: PTH120
            if above == at:
                break
            at = above
            continue
        if stat.S_ISREG(mode):
            return _main_root(Path(git)) or at
        return at
    return folder


def _main_root(git: Path) -> str:
    """Return the folder of the repository whose worktree this `.git` file makes, or "" if it makes none.

    Anyone can write such a file, so the repository must name the worktree in turn, as git does. A worktree of a bare
    repository or of a submodule has no such folder, and one that was moved without git is no longer named.
    """
    try:
        git_folder = git_pointer(git)
        if git_folder is None:
            return ""
        repository = git_folder.parent.parent
        if git_folder.parent.name != "worktrees" or repository.name != ".git":
            return ""
        named_back = git_path(read_plain(git_folder / "gitdir", most=_LONGEST), seen_from=git_folder)
        if named_back.name == ".git" and named_back.samefile(git):
            return str(repository.parent)
    except (OSError, ValueError):
        return ""
    return ""


def git_pointer(file: Path) -> Path | None:
    """Return the folder that a `.git` file names, None if it names none; raise OSError if it can't be read."""
    written = read_plain(file, most=_LONGEST)
    if not written.startswith(_POINTER):
        return None
    return git_path(written.removeprefix(_POINTER), seen_from=file.parent)


def git_path(written: bytes, *, seen_from: Path) -> Path:
    """Return a path as git writes it: absolute, or relative to the folder it is written in."""
    return Path(os.path.normpath(seen_from / os.fsdecode(written.strip())))


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
