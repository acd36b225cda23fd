"""A throw-away copy of a repository: the place where an agent works, and what it changed there."""

import os
import shutil
import stat
import tempfile
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from skillopt_sleep.kit.leftovers import COPY, prefix
from skillopt_sleep.kit.trees import remove_tree
from skillopt_sleep.protocols.sealing import Tree
from skillopt_sleep.records import NoWorkspace
from skillopt_sleep.replay.workspaces.changes import Changes, changes_of, rule_for
from skillopt_sleep.replay.workspaces.entries import Limits
from skillopt_sleep.replay.workspaces.git import Git
from skillopt_sleep.replay.workspaces.layers import touched_in_layers
from skillopt_sleep.replay.workspaces.refused import WorkspaceRefused
from skillopt_sleep.replay.workspaces.walk import lookup
from skillopt_sleep.replay.workspaces.whole import copy_base, copy_both, copy_left, touched_in_whole

OF = "of"
UPPER = "upper"
WORK = "work"
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)


class Copy:
    """A copy in `place`, a folder of its own: `tree` is what a seal shows. It is for one thread."""

    def __init__(
        self,
        base: Path,
        place: Path,
        tree: Tree,
        *,
        mounted: Sequence[PurePosixPath],
        limits: Limits,
        placed: Iterable[bytes] = (),
    ) -> None:
        self.tree = tree
        self._base = base
        self._place = place
        self._mounted = mounted
        self._limits = limits
        self._placed = set(placed)

    def write(self, relative: PurePosixPath | str, data: bytes) -> None:
        """Put a file into the copy before anything runs in it; what we put there is no change of the attempt.

        Git says nothing of it in the copy, as the text on trial must be the only difference between two attempts.
        Raises WorkspaceRefused if the path leads out of the copy, through a link or to something else than a file.
        """
        path = PurePosixPath(relative)
        parts = path.parts
        if not parts or path.is_absolute() or any(part == ".." or part.lower() == ".git" for part in parts):
            raise WorkspaceRefused(NoWorkspace.UNSAFE_PATH, relative)
        name = os.fsencode(str(path))
        if b"\0" in name:
            raise WorkspaceRefused(NoWorkspace.UNSAFE_PATH, repr(relative))
        for count in range(1, len(parts) + 1):
            self._refuse_unless(os.fsencode("/".join(parts[:count])), is_file=count == len(parts), path=path)
        target = self.tree.upper / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(target, _FLAGS, 0o644), "wb") as file:
            file.write(data)
        self._hide_from_git(name)
        self._placed.add(name)

    def _refuse_unless(self, name: bytes, *, is_file: bool, path: PurePosixPath) -> None:
        """Refuse what is there in either layer and is no file, or no folder."""
        for folder in (self.tree.upper, self.tree.lower):
            info = lookup(folder, name) if folder else None
            is_right = stat.S_ISREG if is_file else stat.S_ISDIR
            if info is not None and not is_right(info.st_mode):
                raise WorkspaceRefused(NoWorkspace.UNSAFE_PATH, path)

    def _hide_from_git(self, name: bytes) -> None:
        """Have git in the copy pass over this file; nothing has run in the copy yet."""
        inside = self.tree.upper / ".git"
        if lookup(self._base, name) is None:
            (inside / "info").mkdir(parents=True, exist_ok=True)
            with (inside / "info" / "exclude").open("ab") as file:
                file.write(rule_for(name) + b"\n")
            return
        index = inside / "index"
        if not index.exists():
            inside.mkdir(exist_ok=True)
            shutil.copy2(self._base / ".git" / "index", index)
        git = Git(self._base / ".git", name=self._base)
        git.run(
            "update-index", "-z", "--skip-worktree", "--stdin", stdin=name + b"\0", tree=self.tree.upper, index=index
        )

    def changes(self) -> Changes:
        """Return what was changed since the copy was made; nothing may run in it any more."""
        if self.tree.lower is None:
            touched = touched_in_whole(self.tree.upper, self._base, self._limits)
        else:
            touched = touched_in_layers(self.tree.upper, self._base, self._limits)
        mounted = [os.fsencode(str(path)) for path in self._mounted]
        return changes_of(
            self._base, self.tree.upper, touched, placed=self._placed, mounted=mounted, scratch=self._place
        )

    @contextmanager
    def again(self, *, layers: bool) -> Generator["Copy"]:
        """Have another copy, of what was left in this one; nothing may run in it any more.

        A whole copy stays whole.
        """
        place = Path(tempfile.mkdtemp(prefix=prefix(COPY), dir=self._place.parent))
        try:
            if self.tree.lower is not None and layers:
                tree = _layers(self._base, place)
                copy_left(self.tree.upper, tree.upper, self._limits, marks=True)
            else:
                tree = self._whole(place)
            _note(self._base, place)
            yield Copy(self._base, place, tree, mounted=self._mounted, limits=self._limits, placed=self._placed)
        finally:
            remove_tree(place)

    def _whole(self, place: Path) -> Tree:
        upper = place / UPPER
        if self.tree.lower is None:
            upper.mkdir()
            copy_left(self.tree.upper, upper, self._limits)
        else:
            copy_both(self._base, self.tree.upper, upper, self._limits)
        return Tree(upper=upper)


def copy_of(base: Path, place: Path, *, layers: bool, mounted: Sequence[PurePosixPath], limits: Limits) -> Copy:
    """Make a copy of the base in this empty folder, in layers over it or whole.

    `mounted` are the folders that will be shown in it from elsewhere: each stands there, empty, because a seal that
    made it would follow the links of the copy.
    """
    _note(base, place)
    if layers:
        tree = _layers(base, place)
    else:
        tree = Tree(upper=place / UPPER)
        copy_base(base, tree.upper, limits)
    for path in mounted:
        (tree.upper / path).mkdir(parents=True, exist_ok=True)
    return Copy(base, place, tree, mounted=mounted, limits=limits)


def _layers(base: Path, place: Path) -> Tree:
    tree = Tree(lower=base, upper=place / UPPER, work=place / WORK)
    for folder in (place / UPPER, place / WORK):
        folder.mkdir()
        folder.chmod(stat.S_IMODE(base.stat().st_mode))
    return tree


def _note(base: Path, place: Path) -> None:
    """Note in the copy's folder of which base it is, so that the base stays."""
    (place / OF).write_text(base.parent.name, encoding="utf-8")
