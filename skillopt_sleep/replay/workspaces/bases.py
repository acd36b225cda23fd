"""Keep the folders that copies are taken from, as long as a night runs."""

import tempfile
import threading
import weakref
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from skillopt_sleep.kit.files import private_dir, worded
from skillopt_sleep.kit.scratch import BASE, prefix, remove_tree
from skillopt_sleep.records import NoWorkspace, Workspace
from skillopt_sleep.replay.workspaces.checkout import check_out
from skillopt_sleep.replay.workspaces.copies import Copy, copy_of, shares_blocks
from skillopt_sleep.replay.workspaces.dependencies import dependencies_of
from skillopt_sleep.replay.workspaces.history import COMMIT
from skillopt_sleep.replay.workspaces.layers import layers_work
from skillopt_sleep.replay.workspaces.limits import CopyLimits, WorkspaceRefused
from skillopt_sleep.replay.workspaces.repository import Repository, repository_at

MOST = 24  # bases at once, but for those that are still being copied
MOST_BYTES = 8 * 1024**3  # of all bases
MOST_COPIED = 5_000  # files that each attempt can copy one by one


@dataclass(frozen=True, kw_only=True)
class Base:
    """A read-only folder with a repository's files, from which copies are taken; it goes when nobody has it any more.

    Its files have their usual modes, because a copy shows them as they are: that nothing writes to them is up to
    whoever runs something. `dependencies` are folders to be read, by the path at which they stand. `left_out` are
    the paths of secrets and of links that lead out.
    """

    path: Path
    root: Path
    dependencies: dict[PurePosixPath, Path]
    left_out: tuple[str, ...]
    size: int
    folder: Path
    limits: CopyLimits
    layers: bool

    @contextmanager
    def copy(self) -> Generator[Copy]:
        """Have a throw-away copy; it is removed at the end."""
        mounted = [path.relative_to(PurePosixPath(self.root)) for path in self.dependencies]
        with copy_of(self.path, self.folder, layers=self.layers, mounted=mounted, limits=self.limits) as copy:
            yield copy


class Bases:
    """The bases in one folder; any thread may ask for one.

    Copies are made in layers where these can be mounted, else whole. Where files can't share their blocks, whole
    copies are made of small repositories only. How it is in this folder is found out once.
    """

    def __init__(
        self, folder: Path, *, layers: bool | None = None, limits: CopyLimits | None = None, most: int = MOST
    ) -> None:
        self._folder = folder
        self._given_layers = layers
        self._given_limits = limits
        self._most = most
        self._lock = threading.Lock()
        self._bases: dict[tuple[Path, str], Base] = {}
        self._refused: dict[tuple[Path, str], WorkspaceRefused] = {}

    @cached_property
    def _layers(self) -> bool:
        """Whether layers can be mounted in the folder."""
        return layers_work(self._folder) if self._given_layers is None else self._given_layers

    @cached_property
    def _limits(self) -> CopyLimits:
        """The most that a copy may hold here."""
        if self._given_limits:
            return self._given_limits
        if self._layers or shares_blocks(self._folder):
            return CopyLimits()
        return CopyLimits(files=MOST_COPIED)

    def of(self, workspace: Workspace) -> Base:
        """Return the base of this state of the repository, made if there is none; raise WorkspaceRefused."""
        repository = repository_at(Path(workspace.root))
        if not COMMIT.fullmatch(workspace.commit):
            raise WorkspaceRefused(NoWorkspace.NO_COMMIT, workspace.root)
        with self._lock:
            base = self._used(repository, workspace.commit)
        if not _has_folder(base.path, workspace.folder):
            raise WorkspaceRefused(NoWorkspace.NO_FOLDER, Path(workspace.root) / workspace.folder)
        return base

    def _used(self, repository: Repository, commit: str) -> Base:
        """Return a base as the one used last, and forget those used longest ago if there are too many."""
        state = (repository.root, commit)
        if state in self._refused:
            raise self._refused[state]
        try:
            base = self._bases.pop(state, None) or self._made(repository, commit)
        except WorkspaceRefused as refused:
            self._refused[state] = refused
            raise
        self._bases[state] = base
        while len(self._bases) > self._most or sum(other.size for other in self._bases.values()) > MOST_BYTES:
            oldest = next(iter(self._bases))
            if oldest == state:
                break
            del self._bases[oldest]
        return base

    def _made(self, repository: Repository, commit: str) -> Base:
        try:
            place = Path(tempfile.mkdtemp(prefix=prefix(BASE), dir=private_dir(self._folder)))
        except OSError as error:
            raise _no_disk(repository, error) from error
        try:
            made = check_out(place, repository, commit, self._limits)
            base = Base(
                path=made.tree,
                root=repository.root,
                dependencies=dependencies_of(repository.root, made.tree),
                left_out=made.left_out,
                size=made.size,
                folder=self._folder,
                limits=self._limits,
                layers=self._layers,
            )
        except OSError as error:
            remove_tree(place)
            raise _no_disk(repository, error) from error
        except BaseException:
            remove_tree(place)
            raise
        weakref.finalize(base, remove_tree, place)
        return base


def _no_disk(repository: Repository, error: OSError) -> WorkspaceRefused:
    what, remedy = worded(error, remedy="look at the folder and its disk")
    return WorkspaceRefused(NoWorkspace.DISK, repository.root, why=what, remedy=remedy)


def _has_folder(tree: Path, inside: str) -> bool:
    """Tell whether the copy has this folder, not through a link."""
    place = tree
    for part in PurePosixPath(inside).parts:
        place = place / part
        if part in {"..", "/", ".git"} or place.is_symlink() or not place.is_dir():
            return False
    return True
