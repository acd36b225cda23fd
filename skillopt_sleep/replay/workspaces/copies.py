"""A throw-away copy of a repository: the place where an agent works, and what it changed there."""

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from dulwich.index import Index, IndexEntry

from skillopt_sleep.kit.process import run
from skillopt_sleep.kit.scratch import COPY, prefix, remove_tree
from skillopt_sleep.protocols.sealing import Tree
from skillopt_sleep.records import NoWorkspace
from skillopt_sleep.replay.workspaces.changes import Changes, changes_of, rule_for
from skillopt_sleep.replay.workspaces.git import HEAD, format_of
from skillopt_sleep.replay.workspaces.layers import hide_base, touched_in_layers
from skillopt_sleep.replay.workspaces.limits import CopyLimits, WorkspaceRefused, lookup, walk

UPPER = "upper"
WORK = "work"
_SECONDS = 300.0
_SHARE_BLOCKS = 0x40049409  # FICLONE, the kernel's call that has two files share their blocks
_BLOCK = 4096


class Copy:
    """A copy in `place`, a folder of its own: `tree` is what a seal shows. It is for one thread."""

    def __init__(
        self, base: Path, place: Path, tree: Tree, *, mounted: Sequence[PurePosixPath], limits: CopyLimits
    ) -> None:
        self.tree = tree
        self._base = base
        self._place = place
        self._mounted = mounted
        self._limits = limits
        self._placed: set[bytes] = set()
        # A seal that made these folders would follow the links of the copy.
        for path in mounted:
            self._make_folder(path.parts)

    def write(self, relative: PurePosixPath | str, data: bytes) -> None:
        """Put a file into the copy before anything runs in it; what we put there is no change of the attempt.

        Git says nothing of it, as the text on trial must be the only difference between two attempts. Raises
        WorkspaceRefused if the path leads out of the copy, through a link or to something else than a file.
        """
        parts = _checked(relative)
        for count in range(1, len(parts) + 1):
            info = lookup(self._base, _name(parts[:count]))
            is_right = stat.S_ISREG if count == len(parts) else stat.S_ISDIR
            if info is not None and not is_right(info.st_mode):
                raise WorkspaceRefused(NoWorkspace.UNSAFE_PATH, relative)
        self.overwrite(relative, data)
        self._hide_from_git(_name(parts))
        self._placed.add(_name(parts))

    def overwrite(self, relative: PurePosixPath | str, data: bytes) -> None:
        """Put a file into a copy in which nothing runs any more; whatever an attempt left in its way is removed."""
        parts = _checked(relative)
        self._make_folder(parts[:-1])
        target = self.tree.upper.joinpath(*parts)
        _remove(target)
        target.write_bytes(data)

    def _make_folder(self, parts: Sequence[str]) -> None:
        """Make this folder; whatever else is on the way is removed, and no link is followed."""
        place = self.tree.upper
        for part in parts:
            place /= part
            if place.is_dir() and not place.is_symlink():
                continue
            had_other = os.path.lexists(place)
            _remove(place)
            place.mkdir()
            if had_other and self.tree.lower:
                hide_base(place)  # what was removed hid a folder of the base

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
        head = (self._base / HEAD).read_text(encoding="utf-8").strip()
        listed = Index(index, object_format=format_of(head))
        entry = listed[name]
        if isinstance(entry, IndexEntry):
            entry.set_skip_worktree()
        listed.write()

    def changes(self) -> Changes:
        """Return what was changed since this copy of the base was made; nothing may run in it any more."""
        touched: dict[bytes, os.stat_result | None]
        if self.tree.lower:
            touched = touched_in_layers(self.tree.upper, self._base, self._limits)
        else:
            touched = dict.fromkeys(walk(self._base, self._limits).files)
            touched.update(walk(self.tree.upper, self._limits).files)
        mounted = [os.fsencode(str(path)) for path in self._mounted]
        return changes_of(
            self._base, self.tree.upper, touched, placed=self._placed, mounted=mounted, scratch=self._place
        )


@contextmanager
def copy_of(
    base: Path, folder: Path, *, layers: bool, mounted: Sequence[PurePosixPath], limits: CopyLimits
) -> Generator[Copy]:
    """Have a copy of the base below this folder, in layers over it or whole; it is removed at the end.

    `mounted` are the folders that will be shown in it from elsewhere.
    """
    place = Path(tempfile.mkdtemp(prefix=prefix(COPY), dir=folder))
    tree = Tree(upper=place / UPPER)
    try:
        if layers:
            tree = Tree(lower=base, upper=place / UPPER, work=place / WORK)
            for made in (place / UPPER, place / WORK):
                made.mkdir()
                made.chmod(stat.S_IMODE(base.stat().st_mode))
        else:
            _copy(base, tree.upper)
        yield Copy(base, place, tree, mounted=mounted, limits=limits)
    finally:
        remove_tree(place)


def shares_blocks(folder: Path) -> bool:
    """Try whether files in this folder can share their blocks, so that a copy costs neither time nor room."""
    with tempfile.TemporaryFile(dir=folder) as old, tempfile.TemporaryFile(dir=folder) as new:
        old.write(bytes(_BLOCK))
        old.flush()
        try:
            fcntl.ioctl(new.fileno(), _SHARE_BLOCKS, old.fileno())
        except OSError:
            return False
    return True


def _copy(source: Path, target: Path) -> None:
    """Copy a folder; where the file system can, files share their blocks, and never their inode."""
    target.mkdir()
    argv = ["cp", "-R", "-p", "--reflink=auto", f"{source}/.", str(target)]
    environ = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
    ran = run(argv, stdin=b"", cwd=target, environ=environ, timeout=_SECONDS)
    if ran.status or ran.stopped:
        why = ran.stderr[-300:].decode(errors="replace").strip() or ran.stopped
        raise WorkspaceRefused(NoWorkspace.DISK, source, why=why)


def _checked(relative: PurePosixPath | str) -> tuple[str, ...]:
    """Return the parts of a path below the copy; raise WorkspaceRefused if it leads out of it or into its `.git`."""
    path = PurePosixPath(relative)
    leads_out = path.is_absolute() or "\0" in str(path)
    if leads_out or not path.parts or any(part == ".." or part.lower() == ".git" for part in path.parts):
        raise WorkspaceRefused(NoWorkspace.UNSAFE_PATH, repr(relative))
    return path.parts


def _name(parts: Sequence[str]) -> bytes:
    return os.fsencode("/".join(parts))


def _remove(path: Path) -> None:
    """Remove what is at this path, if anything is."""
    if path.is_dir() and not path.is_symlink():
        remove_tree(path)
    else:
        path.unlink(missing_ok=True)
