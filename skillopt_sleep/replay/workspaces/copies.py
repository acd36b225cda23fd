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
from skillopt_sleep.replay.workspaces.layers import OPAQUE, is_opaque, touched_in_layers
from skillopt_sleep.replay.workspaces.refused import WorkspaceRefused
from skillopt_sleep.replay.workspaces.walk import lookup
from skillopt_sleep.replay.workspaces.whole import copy_base, copy_both, copy_left, touched_in_whole

OF = "of"
UPPER = "upper"
WORK = "work"
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
_OWN_FILE = stat.S_IRUSR | stat.S_IWUSR


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
        is_used: bool = False,
    ) -> None:
        self.tree = tree
        self._is_used = is_used
        self._base = base
        self._place = place
        self._mounted = mounted
        self._limits = limits
        self._placed = set(placed)

    def write(self, relative: PurePosixPath | str, data: bytes) -> None:
        """Put a file into the copy before anything runs in it; what we put there is no change of the attempt.

        Git says nothing of it in a fresh copy, as the text on trial must be the only difference between two attempts.
        In a copy of what an attempt left, what is in the way is removed, and its `.git`, which may be anything, is
        never written. Raises WorkspaceRefused if the path leads out of the copy, through a link or to something else
        than a file.
        """
        path = PurePosixPath(relative)
        parts = path.parts
        if not parts or path.is_absolute() or any(part == ".." or part.lower() == ".git" for part in parts):
            raise WorkspaceRefused(NoWorkspace.UNSAFE_PATH, relative)
        name = os.fsencode(str(path))
        if b"\0" in name:
            raise WorkspaceRefused(NoWorkspace.UNSAFE_PATH, repr(relative))
        if self._is_used:
            self._clear_way(parts)
        self._refuse_unless_free(parts)
        target = self.tree.upper / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(target, _FLAGS, 0o644), "wb") as file:
            file.write(data)
        if not self._is_used:
            self._hide_from_git(name)
        self._placed.add(name)

    def _clear_way(self, parts: tuple[str, ...]) -> None:
        """Remove what was left where this file or a folder of it belongs; what it hid of the base stays hidden."""
        for count in range(1, len(parts) + 1):
            is_file = count == len(parts)
            place = self.tree.upper.joinpath(*parts[:count])
            info = lookup(self.tree.upper, _name_of(parts[:count]))
            if info is None:
                continue
            if _is_right(info, is_file=is_file):
                place.chmod(stat.S_IMODE(info.st_mode) | (_OWN_FILE if is_file else stat.S_IRWXU))
                continue
            if stat.S_ISDIR(info.st_mode):
                remove_tree(place)
            else:
                place.unlink()
            if not is_file:
                place.mkdir()
                if self.tree.lower is not None:
                    os.setxattr(place, OPAQUE[0], b"y")

    def _refuse_unless_free(self, parts: tuple[str, ...]) -> None:
        """Refuse what is seen on the way and is no folder, or no file at its end."""
        lower = self.tree.lower
        for count in range(1, len(parts) + 1):
            name = _name_of(parts[:count])
            info = lookup(self.tree.upper, name)
            if info is not None and is_opaque(self.tree.upper, name):
                lower = None
            if info is None and lower is not None:
                info = lookup(lower, name)
            if info is not None and not _is_right(info, is_file=count == len(parts)):
                raise WorkspaceRefused(NoWorkspace.UNSAFE_PATH, "/".join(parts))

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
            yield Copy(
                self._base, place, tree, mounted=self._mounted, limits=self._limits, placed=self._placed, is_used=True
            )
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


def _name_of(parts: Sequence[str]) -> bytes:
    return os.fsencode("/".join(parts))


def _is_right(info: os.stat_result, *, is_file: bool) -> bool:
    return stat.S_ISREG(info.st_mode) if is_file else stat.S_ISDIR(info.st_mode)


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
