"""Read what a commit holds, and tell what of it may go into a copy."""

import posixpath
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.kit.redact import secrets
from skillopt_sleep.kit.secret_files import is_secret_file
from skillopt_sleep.records import NoWorkspace
from skillopt_sleep.replay.workspaces.git import Git
from skillopt_sleep.replay.workspaces.refused import WorkspaceRefused

_LINK = b"120000"
_MOST_TARGET = 4096
_MOST_ATTRIBUTES = 1024 * 1024
_MOST_SOURCE = 512 * 1024
_POINTER = b"version https://git-lfs.github.com/spec/"
_POINTER_SIZES = range(100, 512)
_BATCH = 500
_LINE = 300  # bytes that a listed file takes at most, on average


class Limits(NamedTuple):
    """The most that one copy may hold."""

    files: int = 100_000
    size: int = 1024**3


class Entry(NamedTuple):
    """A file or link of a commit: its path, git's mode and name for it, and its size."""

    path: bytes
    mode: bytes
    name: bytes
    size: int


def entries_of(git: Git, tree: str, limits: Limits, *, where: object, borrowed: Path | None = None) -> list[Entry]:
    """Return the files of a tree; raise WorkspaceRefused if they are too many, too large, missing or submodules."""
    most = _LINE * (limits.files + _BATCH)
    listed = git.run("ls-tree", "-r", "-l", "-z", "--full-tree", tree, borrowed=borrowed, most=most)
    entries: list[Entry] = []
    size = 0
    for line in listed.split(b"\0")[:-1]:
        about, _, path = line.partition(b"\t")
        mode, kind, name, length = about.split()
        if kind == b"commit":
            raise WorkspaceRefused(NoWorkspace.SUBMODULES, where)
        if not length.isdigit():
            raise WorkspaceRefused(NoWorkspace.PARTIAL, where)
        size += int(length)
        entries.append(Entry(path, mode, name, int(length)))
        if len(entries) > limits.files or size > limits.size:
            why = f"more than {limits.files:,} files or {limits.size // 1024**2:,} MiB"
            raise WorkspaceRefused(NoWorkspace.TOO_LARGE, where, why=why)
    return entries


def refuse_lfs(git: Git, entries: Sequence[Entry], *, where: object) -> None:
    """Raise WorkspaceRefused if the files of Git LFS are only named in the commit."""
    attributes = [
        entry
        for entry in entries
        if posixpath.basename(entry.path) == b".gitattributes" and entry.size <= _MOST_ATTRIBUTES
    ]
    if not any(b"filter=lfs" in text for _, text in _texts(git, attributes)):
        return
    small = [entry for entry in entries if entry.size in _POINTER_SIZES]
    if any(text.startswith(_POINTER) for _, text in _texts(git, small)):
        raise WorkspaceRefused(NoWorkspace.LFS, where)


def hidden(git: Git, entries: Sequence[Entry]) -> list[Entry]:
    """Return what doesn't go into a copy: files that hold secrets, by their names, and links that lead out."""
    links = [entry for entry in entries if entry.mode == _LINK]
    found = [entry for entry in links if entry.size > _MOST_TARGET]
    readable = [entry for entry in links if entry.size <= _MOST_TARGET]
    found += [entry for entry, target in _texts(git, readable) if leads_out(entry.path, target)]
    leading_out = {entry.path for entry in found}
    found += [entry for entry in entries if entry.path not in leading_out and _is_secret(git, entry)]
    return found


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


def _is_secret(git: Git, entry: Entry) -> bool:
    def holds_secret() -> bool:
        if entry.size > _MOST_SOURCE:
            return True
        return any(secrets(text.decode(errors="replace")) for _, text in _texts(git, [entry]))

    return is_secret_file(entry.path.decode(errors="replace"), holds_secret)


def _texts(git: Git, entries: Sequence[Entry]) -> Iterator[tuple[Entry, bytes]]:
    """Yield these entries with their content, a batch at a time."""
    for start in range(0, len(entries), _BATCH):
        batch = entries[start : start + _BATCH]
        asked = b"".join(entry.name + b"\n" for entry in batch)
        answer = git.run("cat-file", "--batch=%(objectsize)", stdin=asked, most=_BATCH * (_MOST_ATTRIBUTES + 64))
        at = 0
        for entry in batch:
            start_of_text = answer.index(b"\n", at) + 1
            size = int(answer[at : start_of_text - 1])
            yield entry, answer[start_of_text : start_of_text + size]
            at = start_of_text + size + 1
