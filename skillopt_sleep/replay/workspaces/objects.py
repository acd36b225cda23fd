"""Read what a repository holds by dulwich, which runs nothing: git would start its filters, hooks and monitors."""

import struct
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress

from dulwich.errors import ApplyDeltaError, ChecksumMismatch, FileFormatException, WrongObjectException
from dulwich.object_format import ObjectFormat
from dulwich.object_store import DiskObjectStore, MaxTreeDepthExceeded
from dulwich.objects import Blob, Commit, ObjectID, ShaFile, TreeEntry

from skillopt_sleep.records import NoWorkspace
from skillopt_sleep.replay.workspaces.git import format_of
from skillopt_sleep.replay.workspaces.limits import WorkspaceRefused
from skillopt_sleep.replay.workspaces.repository import Repository

_LARGEST = 512 * 1024 * 1024  # bytes of one object
_DEEPEST = 512  # folders in one another
# What dulwich raises for objects that are cut off, mixed up or made up.
_BROKEN = (
    *(ApplyDeltaError, ChecksumMismatch, FileFormatException, MaxTreeDepthExceeded, WrongObjectException),
    *(
        ArithmeticError,
        AssertionError,
        BufferError,
        EOFError,
        IndexError,
        MemoryError,
        OSError,
        TypeError,
        ValueError,
    ),
    *(struct.error, zlib.error),
)


class Objects:
    """The commits, folders and files of a repository, which may be anything."""

    def __init__(self, store: DiskObjectStore, repository: Repository, object_format: ObjectFormat) -> None:
        self._store = store
        self._repository = repository
        self.object_format = object_format

    def commit(self, name: str) -> Commit:
        """Return the commit of this name; raise WorkspaceRefused if it isn't there."""
        code = NoWorkspace.SHALLOW if self._repository.shallow else NoWorkspace.NO_COMMIT
        found = self._object(ObjectID(name.encode()), code)
        if not isinstance(found, Commit):
            raise WorkspaceRefused(NoWorkspace.NO_COMMIT, self._repository.root)
        return found

    def history(self, tip: str) -> Iterator[tuple[str, int]]:
        """Yield this commit and each first parent, with the second in which it was made."""
        name = tip
        while True:
            commit = self.commit(name)
            yield name, commit.commit_time
            if not commit.parents:
                return
            name = commit.parents[0].decode()

    def entries(self, commit: str) -> Iterator[TreeEntry]:
        """Yield the folders and files of a commit; raise WorkspaceRefused if they can't be read."""
        tree = self.commit(commit).tree
        with self._refusing(NoWorkspace.PARTIAL):
            yield from self._store.iter_tree_contents(tree, include_trees=True, max_depth=_DEEPEST)

    def file(self, name: ObjectID) -> Blob:
        """Return the file of this name; raise WorkspaceRefused if it isn't there."""
        found = self._object(name, NoWorkspace.PARTIAL)
        if not isinstance(found, Blob):
            raise WorkspaceRefused(NoWorkspace.UNREADABLE, self._repository.root)
        return found

    def _object(self, name: ObjectID, missing: NoWorkspace) -> ShaFile:
        with self._refusing(missing):
            return self._store[name]

    @contextmanager
    def _refusing(self, missing: NoWorkspace) -> Generator[None]:
        try:
            yield
        except KeyError as error:
            raise WorkspaceRefused(missing, self._repository.root) from error
        except _BROKEN as error:
            why = str(error)[:300]
            raise WorkspaceRefused(NoWorkspace.UNREADABLE, self._repository.root, why=why) from error


@contextmanager
def objects_of(repository: Repository, commit: str) -> Generator[Objects]:
    """Have the objects of a repository that holds this commit; nothing is written to it."""
    object_format = format_of(commit)
    store = DiskObjectStore(repository.objects, object_format=object_format, loose_object_size_limit=_LARGEST)
    try:
        yield Objects(store, repository, object_format)
    finally:
        with suppress(BufferError):  # a broken pack is still being looked at
            store.close()
