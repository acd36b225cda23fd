"""Find the project that a folder belongs to."""

import os
import stat
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
        pointer = read_plain(git, most=_LONGEST)
        if not pointer.startswith(_POINTER):
            return ""
        git_folder = _path(pointer.removeprefix(_POINTER), seen_from=git.parent)
        repository = git_folder.parent.parent
        if git_folder.parent.name != "worktrees" or repository.name != ".git":
            return ""
        named_back = _path(read_plain(git_folder / "gitdir", most=_LONGEST), seen_from=git_folder)
        if named_back.name == ".git" and named_back.samefile(git):
            return str(repository.parent)
    except (OSError, ValueError):
        return ""
    return ""


def _path(written: bytes, *, seen_from: Path) -> Path:
    """Return a path as git writes it: absolute, or relative to the folder it is written in."""
    return Path(os.path.normpath(seen_from / os.fsdecode(written.strip())))
