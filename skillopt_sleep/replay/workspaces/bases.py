"""Keep the folders that copies are taken from: each is made once, and used again in later nights."""

import hashlib
import os
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from weakref import WeakValueDictionary

import msgspec
from filelock import FileLock, Timeout

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.disk import worded
from skillopt_sleep.kit.files import private_dir, read_plain, write_atomic
from skillopt_sleep.kit.leftovers import COPY, MAKING, prefix
from skillopt_sleep.kit.trees import remove_tree
from skillopt_sleep.records import NoWorkspace, Workspace
from skillopt_sleep.replay.workspaces.copies import OF, Copy, copy_of
from skillopt_sleep.replay.workspaces.dependencies import dependencies_of
from skillopt_sleep.replay.workspaces.entries import Limits
from skillopt_sleep.replay.workspaces.making import TREE, make
from skillopt_sleep.replay.workspaces.past import COMMIT
from skillopt_sleep.replay.workspaces.refused import WorkspaceRefused
from skillopt_sleep.replay.workspaces.repository import Repository, repository_at

VERSION = "1"  # raise it when a base is made in another way
BASE = "base-"
ABOUT = "about.json"
_MOST_ABOUT = 16 * 1024 * 1024
_LOCK_SECONDS = 900.0


class Kept(NamedTuple):
    """The most bases that are kept, and the most bytes of all of them."""

    bases: int = 24
    size: int = 8 * 1024**3


class _About(msgspec.Struct, frozen=True):
    """What is noted of a base: its size, what was left out, how its files looked when they were made, and of what."""

    size: int
    left_out: tuple[str, ...]
    looks: str
    root: str = ""


@dataclass(frozen=True, kw_only=True)
class Base:
    """A read-only folder with a repository's files, from which copies are taken.

    Its files have their usual modes, because a copy shows them as they are: that nothing writes to them is up to
    whoever runs something. `dependencies` are folders to be read, by the path at which they stand. `left_out` are
    the paths of secrets and of links that lead out.
    """

    path: Path
    root: Path
    dependencies: dict[PurePosixPath, Path]
    left_out: tuple[str, ...]
    folder: Path
    limits: Limits

    @contextmanager
    def copy(self, *, layers: bool) -> Generator[Copy]:
        """Have a throw-away copy, in `layers` over the base or whole; it is removed at the end."""
        mounted = [path.relative_to(PurePosixPath(self.root)) for path in self.dependencies]
        place = Path(tempfile.mkdtemp(prefix=prefix(COPY), dir=private_dir(self.folder)))
        try:
            yield copy_of(self.path, place, layers=layers, mounted=mounted, limits=self.limits)
        finally:
            remove_tree(place)


class Bases:
    """The bases in one folder; any thread may ask for one."""

    def __init__(self, folder: Path, *, limits: Limits | None = None, kept: Kept | None = None) -> None:
        self._folder = folder
        self._limits = limits or Limits()
        self._kept = kept or Kept()
        self._lock = threading.Lock()
        self._checked: set[str] = set()
        self._in_use: WeakValueDictionary[str, Base] = WeakValueDictionary()
        self._refused: dict[str, WorkspaceRefused] = {}

    def of(self, workspace: Workspace) -> Base:
        """Return the base of this state of the repository, made if there is none; raise WorkspaceRefused."""
        repository = repository_at(Path(workspace.root))
        if not COMMIT.fullmatch(workspace.commit):
            raise WorkspaceRefused(NoWorkspace.NO_COMMIT, workspace.root)
        name = _name(repository, workspace.commit)
        with self._lock:
            base = self._in_use.get(name)
            if base is None:
                base = self._had(name, repository, workspace.commit)
                self._in_use[name] = base
        if not _has_folder(base.path, workspace.folder):
            raise WorkspaceRefused(NoWorkspace.NO_FOLDER, Path(workspace.root) / workspace.folder)
        return base

    def _had(self, name: str, repository: Repository, commit: str) -> Base:
        if name in self._refused:
            raise self._refused[name]
        place = self._folder / name
        try:
            with self._alone():
                about = self._usable(name)
                if about is None:
                    about = self._make(name, repository, commit)
                self._checked.add(name)
                os.utime(place)
                self._forget_others(name)
        except OSError as error:
            what, remedy = worded(error, remedy="look at the folder and its disk")
            raise WorkspaceRefused(NoWorkspace.DISK, repository.root, why=what, remedy=remedy) from error
        return Base(
            path=place / TREE,
            root=repository.root,
            dependencies=dependencies_of(repository.root, place / TREE),
            left_out=about.left_out,
            folder=self._folder,
            limits=self._limits,
        )

    @contextmanager
    def _alone(self) -> Generator[None]:
        try:
            with FileLock(private_dir(self._folder) / "bases.lock", timeout=_LOCK_SECONDS):
                yield
        except Timeout as error:
            raise WorkspaceRefused(NoWorkspace.BUSY, self._folder) from error

    def _usable(self, name: str) -> _About | None:
        """Return what is noted of a base that is there and as it was made; remove one that isn't."""
        place = self._folder / name
        try:
            about = from_json(read_plain(place / ABOUT, most=_MOST_ABOUT), _About)
        except (OSError, msgspec.MsgspecError):
            about = None
        if about is not None and (name in self._checked or about.looks == looks_of(place / TREE)):
            return about
        if os.path.lexists(place):
            remove_tree(place)
        return None

    def _make(self, name: str, repository: Repository, commit: str) -> _About:
        place = Path(tempfile.mkdtemp(prefix=prefix(MAKING), dir=self._folder))
        try:
            made = make(place, repository, commit, self._limits)
            about = _About(made.size, made.left_out, looks_of(place / TREE), str(repository.root))
            write_atomic(place / ABOUT, to_json(about))
            place.rename(self._folder / name)
        except WorkspaceRefused as refused:
            self._refused[name] = refused
            raise
        finally:
            if place.exists():
                remove_tree(place)
        return about

    def _forget_others(self, name: str) -> None:
        """Remove the bases that were used longest ago, if there are too many; this one and those in use stay."""
        places = [place for place in self._folder.iterdir() if place.name.startswith(BASE)]
        places.sort(key=lambda place: place.stat().st_mtime, reverse=True)
        in_use = {name} | set(self._in_use) | self._with_copies()
        size = 0
        for number, place in enumerate(places, start=1):
            size += _size(place)
            if (number > self._kept.bases or size > self._kept.size) and place.name not in in_use:
                remove_tree(place)

    def _with_copies(self) -> set[str]:
        """Return the names of the bases of which there are copies, of whatever process."""
        names: set[str] = set()
        for place in self._folder.iterdir():
            if place.name.startswith(COPY):
                try:
                    names.add((place / OF).read_text(encoding="utf-8"))
                except OSError:
                    continue  # it is being made, or removed
        return names


def looks_of(tree: Path) -> str:
    """Return a hash of all paths in the folder with their kinds, sizes and times of change."""
    lines: list[bytes] = []
    waiting = [os.fsencode(tree)]
    while waiting:
        folder = waiting.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                info = entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                    lines.append(b"%s\0%o" % (entry.path, info.st_mode))
                else:
                    lines.append(b"%s\0%o %d %d" % (entry.path, info.st_mode, info.st_size, info.st_mtime_ns))
    start = len(os.fsencode(tree))
    return hashlib.sha256(b"\n".join(sorted(line[start:] for line in lines))).hexdigest()


def _name(repository: Repository, commit: str) -> str:
    parts = (VERSION.encode(), os.fsencode(repository.root), commit.encode())
    return BASE + hashlib.sha256(b"\0".join(parts)).hexdigest()[:32]


def _has_folder(tree: Path, inside: str) -> bool:
    """Tell whether the copy has this folder, not through a link."""
    place = tree
    for part in PurePosixPath(inside).parts:
        place = place / part
        if part in {"..", "/", ".git"} or place.is_symlink() or not place.is_dir():
            return False
    return True


def _size(place: Path) -> int:
    try:
        return from_json(read_plain(place / ABOUT, most=_MOST_ABOUT), _About).size
    except (OSError, msgspec.MsgspecError):
        return 0
