"""Find a person's repository and what of it may be read."""

import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.kit.projects import git_path, git_pointer
from skillopt_sleep.records import NoWorkspace
from skillopt_sleep.replay.workspaces.limits import WorkspaceRefused

_MOST_SMALL = 64 * 1024
_MOST_ENTRIES = 100_000
_WORKTREE = re.compile(rb"(?m)^\s*worktree\s*=\s*(.+?)\s*$")
_BARE = re.compile(rb"(?mi)^\s*bare\s*=\s*true\b")


class Repository(NamedTuple):
    """A repository on the disk: its files in `root`, git's own in `git`, what worktrees share in `common`.

    It is `shallow` if its history has been cut off.
    """

    root: Path
    git: Path
    common: Path
    shallow: bool

    @property
    def objects(self) -> Path:
        """The folder of the objects."""
        return self.common / "objects"


def repository_above(folder: Path) -> Repository:
    """Return the repository of the nearest folder at or above this one; raise WorkspaceRefused without any."""
    if not folder.is_absolute() or "\0" in str(folder) or not folder.is_dir():
        raise WorkspaceRefused(NoWorkspace.GONE, folder)
    for at in (folder, *folder.parents):
        if os.path.lexists(at / ".git"):
            return repository_at(at)
        if _looks_bare(at):
            raise WorkspaceRefused(NoWorkspace.BARE, at)
    raise WorkspaceRefused(NoWorkspace.NO_REPOSITORY, folder)


def repository_at(root: Path) -> Repository:
    """Return the repository whose files are in this folder, or raise WorkspaceRefused."""
    if not root.is_absolute() or "\0" in str(root) or not root.is_dir():
        raise WorkspaceRefused(NoWorkspace.GONE, root)
    if not os.path.lexists(root / ".git"):
        code = NoWorkspace.BARE if _looks_bare(root) else NoWorkspace.NO_REPOSITORY
        raise WorkspaceRefused(code, root)
    real = root.resolve()
    if real in {Path.home().resolve(), Path(real.anchor)}:
        raise WorkspaceRefused(NoWorkspace.HOME_FOLDER, root)
    try:
        return _read(real)
    except OSError as error:
        raise WorkspaceRefused(NoWorkspace.UNREADABLE, root, why=error.strerror or "") from error


def _read(root: Path) -> Repository:
    pointer = root / ".git"
    mode = pointer.lstat().st_mode
    git = pointer
    if stat.S_ISREG(mode):
        named = git_pointer(pointer)
        if named is None:
            raise WorkspaceRefused(NoWorkspace.UNREADABLE, root)
        git = named
    elif not stat.S_ISDIR(mode):
        raise WorkspaceRefused(NoWorkspace.NOT_OWN, root)  # a link
    common = git
    if (git / "commondir").is_file():
        common = git_path(read_plain(git / "commondir", most=_MOST_SMALL), seen_from=git)
    git, common = git.resolve(strict=True), common.resolve(strict=True)
    if not _is_own(root, git, common):
        raise WorkspaceRefused(NoWorkspace.NOT_OWN, root)
    if git == common and _BARE.search(_settings(common)):
        raise WorkspaceRefused(NoWorkspace.BARE, root)
    return Repository(root, git, common, (common / "shallow").exists())


def _is_own(root: Path, git: Path, common: Path) -> bool:
    """Tell whether the repository is the folder's own, and reads the objects of no other.

    Anybody can write a `.git` that leads to somebody else's repository. That of a worktree or a submodule is
    elsewhere too, but names the folder in turn.
    """
    if not _holds_its_objects(common / "objects"):
        return False
    if git.is_relative_to(root) and common.is_relative_to(root):
        return True
    if git != common:
        back = git_path(read_plain(git / "gitdir", most=_MOST_SMALL), seen_from=git)
        return back.parent.resolve() == root and git.parent == common / "worktrees"
    named = _WORKTREE.search(_settings(git))
    return named is not None and git_path(named[1], seen_from=git).resolve() == root


def _holds_its_objects(objects: Path) -> bool:
    """Tell whether the folder of objects has only folders and plain files: no link leads out, no pipe holds us up."""
    if not stat.S_ISDIR(objects.lstat().st_mode) or os.path.lexists(objects / "info" / "alternates"):
        return False
    seen = 0
    waiting = [objects]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                seen += 1
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                elif not entry.is_file(follow_symlinks=False) or seen > _MOST_ENTRIES:
                    return False
    return True


def _settings(git: Path) -> bytes:
    return read_plain(git / "config", most=_MOST_SMALL, inside=git) if (git / "config").is_file() else b""


def _looks_bare(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()
