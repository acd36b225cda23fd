"""Make the folder that copies are taken from: the files of one commit, as the only commit of a new repository.

The files are as the repository keeps them: no filter that it names is run, and no line ends are changed. Left out are
files that hold secrets, by their names, and links that lead out.
"""

import os
import posixpath
import stat
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from dulwich.index import Index, commit_tree, index_entry_from_stat, validate_path
from dulwich.object_store import DiskObjectStore
from dulwich.objects import S_ISGITLINK, Commit, ObjectID, TreeEntry
from dulwich.pack import full_unpacked_object

from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.kit.redact import is_secret_file, secrets
from skillopt_sleep.records import NoWorkspace
from skillopt_sleep.replay.workspaces.git import HEAD, NOBODY, new_repository
from skillopt_sleep.replay.workspaces.limits import CopyLimits, WorkspaceRefused
from skillopt_sleep.replay.workspaces.objects import Objects, objects_of
from skillopt_sleep.replay.workspaces.repository import Repository

MADE_AT = 946684800  # the time of the one commit
_MESSAGE = b"The project\n"
# So that an agent can commit in its copy.
_PERSON = "[user]\n\tname = Developer\n\temail = developer@example.invalid\n"
_MOST_TARGET = 4096
_MOST_ATTRIBUTES = 1024 * 1024
_MOST_SOURCE = 512 * 1024
_POINTER = b"version https://git-lfs.github.com/spec/"
_POINTER_SIZES = range(100, 512)
_LINK, _PROGRAM, _FILE = 0o120000, 0o100755, 0o100644


class Made(NamedTuple):
    """What was made: the folder with the files, their size in bytes, and the paths that were left out."""

    tree: Path
    size: int
    left_out: tuple[str, ...]


def check_out(place: Path, repository: Repository, commit: str, limits: CopyLimits) -> Made:
    """Make in this empty folder `tree`, the commit's files; raise WorkspaceRefused if it can't be.

    Nothing in the person's repository is written, and nothing of it is run.
    """
    tree = place / "tree"
    tree.mkdir()
    with objects_of(repository, commit) as objects:
        files = _Files(tree, objects, limits, where=repository.root)
        for entry in objects.entries(commit):
            files.add(entry)
        files.finish()
        _give_repository(tree, objects, files.kept)
    left_out = sorted(path.decode(errors="backslashreplace") for path in files.left_out)
    return Made(tree, files.size, tuple(left_out))


class _Files:
    """Writes the files of a commit; `kept` has the mode and name of each that is there, by its path."""

    def __init__(self, tree: Path, objects: Objects, limits: CopyLimits, *, where: Path) -> None:
        self.kept: dict[bytes, tuple[int, ObjectID]] = {}
        self.left_out: list[bytes] = []
        self.size = 0
        self._tree = os.fsencode(tree)
        self._objects = objects
        self._limits = limits
        self._where = where
        self._folders = 0
        self._links: dict[bytes, bytes] = {}
        self._uses_lfs = False
        self._has_pointer = False

    def add(self, entry: TreeEntry) -> None:
        """Write a file, or note a link; raise WorkspaceRefused if it is too much, missing, unsafe or a submodule."""
        path, mode, name = entry.path, entry.mode, entry.sha
        if not path:
            return  # the root
        if S_ISGITLINK(mode):
            raise WorkspaceRefused(NoWorkspace.SUBMODULES, self._where)
        if stat.S_ISDIR(mode):
            self._folders += 1
            self._limits.refuse_more(self._folders, self.size, where=self._where)
            return
        content = self._objects.file(name).data
        self.size += len(content)
        self._limits.refuse_more(len(self.kept) + len(self.left_out) + 1, self.size, where=self._where)
        self._look_for_lfs(path, content)
        if path in self.kept or not validate_path(path):
            raise WorkspaceRefused(NoWorkspace.UNREADABLE, self._where, why="two files have one name, or a wrong one")
        if stat.S_ISLNK(mode):
            self._note_link(path, content, name)
        elif _holds_secrets(path, content):
            self.left_out.append(path)
        else:
            self._write(path, content, name, is_program=bool(mode & stat.S_IXUSR))

    def finish(self) -> None:
        """Make the links, so that no file was written through one; raise WorkspaceRefused if LFS has the files."""
        if self._uses_lfs and self._has_pointer:
            raise WorkspaceRefused(NoWorkspace.LFS, self._where)
        for path, target in self._links.items():
            os.symlink(target, self._at(path))  # noqa: PTH211

    def _note_link(self, path: bytes, target: bytes, name: ObjectID) -> None:
        if len(target) > _MOST_TARGET or leads_out(path, target):
            self.left_out.append(path)
            return
        self._at(path)
        self._links[path] = target
        self.kept[path] = (_LINK, name)

    def _write(self, path: bytes, content: bytes, name: ObjectID, *, is_program: bool) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(self._at(path), flags, 0o777 if is_program else 0o666), "wb") as file:
            file.write(content)
        self.kept[path] = (_PROGRAM if is_program else _FILE, name)

    def _at(self, path: bytes) -> bytes:
        """Return where the path is on the disk, with a folder for it."""
        place = os.path.join(self._tree, path)  # noqa: PTH118
        os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120
        return place

    def _look_for_lfs(self, path: bytes, content: bytes) -> None:
        if posixpath.basename(path) == b".gitattributes" and len(content) <= _MOST_ATTRIBUTES:
            self._uses_lfs |= b"filter=lfs" in content
        if len(content) in _POINTER_SIZES:
            self._has_pointer |= content.startswith(_POINTER)


def leads_out(path: bytes, target: bytes) -> bool:
    """Tell whether a link at this path may lead out of the folder; one that can't be judged by its words does.

    `..` counts only at the beginning: behind a name that is a link itself it would lead anywhere.
    """
    if not target or target.startswith(b"/") or b"\0" in target:
        return True
    parts = [part for part in target.split(b"/") if part not in {b"", b"."}]
    up = 0
    while up < len(parts) and parts[up] == b"..":
        up += 1
    return up > path.count(b"/") or b".." in parts[up:]


def _holds_secrets(path: bytes, content: bytes) -> bool:
    def has_some() -> bool:
        return len(content) > _MOST_SOURCE or bool(secrets(content.decode(errors="replace")))

    return is_secret_file(path.decode(errors="replace"), has_some)


def _give_repository(tree: Path, objects: Objects, kept: Mapping[bytes, tuple[int, ObjectID]]) -> None:
    """Make the files a repository with one commit, which holds nothing but them."""
    inside = private_dir(tree / ".git")
    object_format = objects.object_format
    new_repository(inside, object_format=object_format, bare=False, settings=_PERSON)
    index = Index(inside / "index", read=False, object_format=object_format)
    for path, (_, name) in kept.items():
        index[path] = index_entry_from_stat(os.lstat(os.path.join(os.fsencode(tree), path)), name)  # noqa: PTH118
    index.write()
    names = {name for _, name in kept.values()}
    files = ((path, name, mode) for path, (mode, name) in kept.items())
    with closing(DiskObjectStore(inside / "objects", object_format=object_format, pack_compression_level=1)) as store:
        store.add_pack_data(len(names), (full_unpacked_object(objects.file(name)) for name in names))
        commit = _commit(commit_tree(store, files, object_format))
        store.add_object(commit)
    (tree / HEAD).write_bytes(commit.get_id(object_format) + b"\n")


def _commit(tree: ObjectID) -> Commit:
    commit = Commit()
    commit.tree = tree
    commit.author = commit.committer = NOBODY.encode()
    commit.author_time = commit.commit_time = MADE_AT
    commit.author_timezone = commit.commit_timezone = 0
    commit.message = _MESSAGE
    return commit
