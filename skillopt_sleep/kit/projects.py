"""Which project a folder belongs to."""

import os
import stat
from functools import lru_cache
from pathlib import Path

from skillopt_sleep.kit.files import read_plain

_POINTER = b"gitdir:"
_LONGEST = 8_192  # a path may have 4,096 bytes


@lru_cache(maxsize=4096)
def project_root(folder: str) -> str:
    """The nearest folder at or above this one that holds a `.git`, else the folder itself, which need not exist.

    A worktree of a repository belongs to that repository's own folder, a submodule is a project of its own.
    """
    at = folder
    while at:
        git = os.path.join(at, ".git")  # noqa: PTH118 - thousands of calls a harvest
        try:
            kind = os.lstat(git).st_mode
        except (OSError, ValueError):
            above = os.path.dirname(at)  # noqa: PTH120
            if above == at:
                break
            at = above
        else:
            return _main_root(Path(git)) or at if stat.S_ISREG(kind) else at
    return folder


def _main_root(git: Path) -> str:
    """The folder of the repository whose worktree this `.git` file makes; empty where it is none.

    Anyone can write such a file, so the repository must name the worktree in turn, as git writes it. A worktree of a
    bare repository or of a submodule has no such folder, and one that was moved without git isn't named any more.
    """
    try:
        pointer = read_plain(git, most=_LONGEST)
        if not pointer.startswith(_POINTER):
            return ""
        inner = _path(pointer.removeprefix(_POINTER), seen_from=git.parent)
        repository = inner.parent.parent
        if inner.parent.name != "worktrees" or repository.name != ".git":
            return ""
        named = _path(read_plain(inner / "gitdir", most=_LONGEST), seen_from=inner)
        return str(repository.parent) if named.name == ".git" and named.samefile(git) else ""
    except (OSError, ValueError):
        return ""


def _path(said: bytes, *, seen_from: Path) -> Path:
    """A path as git writes it: absolute, or relative to where it is said."""
    return Path(os.path.normpath(seen_from / os.fsdecode(said.strip())))
