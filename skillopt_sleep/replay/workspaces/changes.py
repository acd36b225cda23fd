"""Tell what an attempt changed, without trusting anything that it left: names, links, kinds or sizes of files."""

import os
import stat
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.kit.files import PLAIN_FLAGS
from skillopt_sleep.kit.redact import clip, redact
from skillopt_sleep.replay.workspaces.git import NOBODY, git, new_repository
from skillopt_sleep.replay.workspaces.limits import WorkspaceRefused, lookup

MOST_DIFF = 200_000
_MOST_FILE = 256 * 1024
_MOST_READ = 8 * 1024 * 1024
_MOST_OUTPUT = 4 * 1024 * 1024
_CHUNK = 1024 * 1024
_GIT_FOLDER = b".git"
# What tools leave behind, if the project's own rules don't say so.
_CACHES = ("__pycache__/", "*.pyc", ".pytest_cache/", ".ruff_cache/", ".mypy_cache/", ".hypothesis/", ".DS_Store")


class Changes(NamedTuple):
    """The files that are new, different or `gone`, and the difference in text, bounded and redacted."""

    files: tuple[str, ...] = ()
    diff: str = ""
    gone: tuple[str, ...] = ()


class Side(NamedTuple):
    """A file or link on one side of a comparison: git's mode for it, and its bytes if they can be shown."""

    mode: bytes
    content: bytes | None


Stats = Mapping[bytes, os.stat_result | None]


def changes_of(
    base: Path, after: Path, touched: Stats, *, placed: Collection[bytes], mounted: Iterable[bytes], scratch: Path
) -> Changes:
    """Compare what was touched with the base; leave out what we placed, git's own files, and new ignored files."""
    changed = [
        path
        for path in sorted(touched)
        if path not in placed and not _is_gits(path) and _differs(base, after, path, touched[path])
    ]
    new = [path for path in changed if lookup(base, path) is None]
    ignored = _ignored(base, new, mounted, scratch)
    changed = [path for path in changed if path not in ignored]
    files = tuple(redact(printable_path(path)) for path in changed)
    gone = tuple(redact(printable_path(path)) for path in changed if touched[path] is None)
    return Changes(files, _diff(base, after, changed, touched, scratch), gone)


def printable_path(path: bytes) -> str:
    """Return a path as text, with what is no printable UTF-8 in it as escapes."""
    text = path.decode(errors="backslashreplace")
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def _is_gits(path: bytes) -> bool:
    return any(part.lower() == _GIT_FOLDER for part in path.split(b"/"))


def _differs(base: Path, after: Path, path: bytes, new: os.stat_result | None) -> bool:
    old = lookup(base, path)
    if old is not None and stat.S_ISDIR(old.st_mode):
        old = None
    if old is None or new is None:
        return old is not new
    if _mode(old) != _mode(new) or old.st_size != new.st_size:
        return True
    names = [os.path.join(os.fsencode(folder), path) for folder in (base, after)]  # noqa: PTH118
    if stat.S_ISLNK(new.st_mode):
        return os.readlink(names[0]) != os.readlink(names[1])  # noqa: PTH115
    return stat.S_ISREG(new.st_mode) and not _same_bytes(names[0], names[1])


def _same_bytes(first: bytes, second: bytes) -> bool:
    try:
        with (
            os.fdopen(os.open(first, PLAIN_FLAGS), "rb") as one,
            os.fdopen(os.open(second, PLAIN_FLAGS), "rb") as two,
        ):
            while True:
                chunk = one.read(_CHUNK)
                if chunk != two.read(_CHUNK):
                    return False
                if not chunk:
                    return True
    except OSError:
        return False


def _ignored(base: Path, new: Sequence[bytes], mounted: Iterable[bytes], scratch: Path) -> frozenset[bytes]:
    """Return those of the new files that the base's own rules ignore, or that lie where a folder was shown."""
    if not new:
        return frozenset()
    with tempfile.TemporaryDirectory(dir=scratch) as made:
        folder = Path(made)
        new_repository(folder)
        rules = [rule.encode() for rule in _CACHES] + [rule_for(path) + b"/" for path in mounted]
        (folder / "info" / "exclude").write_bytes(b"\n".join(rules) + b"\n")
        # Nothing ignored is a status of 1, and so is a failure: then the files count as changed.
        try:
            asked = b"".join(b"./" + path + b"\0" for path in new)  # a name may begin with a colon
            answer = git(folder, "check-ignore", "--no-index", "-z", "--stdin", stdin=asked, tree=base)
        except WorkspaceRefused:
            return frozenset()
    return frozenset(path.removeprefix(b"./") for path in answer.split(b"\0")[:-1])


def rule_for(path: bytes) -> bytes:
    """Return the rule that has git ignore this path and no other."""
    return b"/" + b"".join(b"\\" + bytes([letter]) if letter in b"*?[\\ !#" else bytes([letter]) for letter in path)


def _diff(base: Path, after: Path, changed: Sequence[bytes], touched: Stats, scratch: Path) -> str:
    """Return the difference as text, made by git in a repository of ours from the bytes of both sides."""
    if not changed:
        return ""
    before: dict[bytes, Side] = {}
    now: dict[bytes, Side] = {}
    left_out: list[str] = []
    room = _MOST_READ
    for path in changed:
        sides = (_side(base, path, lookup(base, path)), _side(after, path, touched[path]))
        size = sum(len(side.content or b"") for side in sides if side)
        if any(side and side.content is None for side in sides) or size > room:
            left_out.append(f"(not shown: {printable_path(path)})")
            continue
        room -= size
        for side, place in zip(sides, (before, now), strict=True):
            if side:
                place[path] = side
    with tempfile.TemporaryDirectory(dir=scratch) as made:
        folder = Path(made)
        new_repository(folder)
        git(folder, "fast-import", "--quiet", stdin=_commit(b"old", before) + _commit(b"new", now), tree=base)
        arguments = ("-p", "-r", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", "old", "new")
        output = git(folder, "diff-tree", *arguments, stdin=b"", tree=base, most=2 * _MOST_READ + _MOST_OUTPUT)
    text = _readable(output[:_MOST_OUTPUT].decode(errors="replace"))
    return clip("\n".join((*left_out[:100], text)) if left_out else text, MOST_DIFF)


def _side(folder: Path, path: bytes, info: os.stat_result | None) -> Side | None:
    """Return the file or link at this path, without its bytes if it is something else, too large or unreadable."""
    if info is None or stat.S_ISDIR(info.st_mode):
        return None
    name = os.path.join(os.fsencode(folder), path)  # noqa: PTH118
    try:
        if stat.S_ISLNK(info.st_mode):
            return Side(_mode(info), os.readlink(name))  # noqa: PTH115
        if not stat.S_ISREG(info.st_mode) or info.st_size > _MOST_FILE:
            return Side(_mode(info), None)
        with os.fdopen(os.open(name, PLAIN_FLAGS), "rb") as file:
            return Side(_mode(info), file.read(_MOST_FILE))
    except OSError:
        return Side(_mode(info), None)


def _mode(info: os.stat_result) -> bytes:
    if stat.S_ISLNK(info.st_mode):
        return b"120000"
    if not stat.S_ISREG(info.st_mode):
        return b"special"
    return b"100755" if info.st_mode & stat.S_IXUSR else b"100644"


def _commit(branch: bytes, sides: Mapping[bytes, Side]) -> bytes:
    """Return one commit of these files, as fast-import reads it."""
    lines = [b"commit refs/heads/" + branch, b"committer " + NOBODY.encode() + b" 0 +0000", b"data 0", b""]
    for path, side in sides.items():
        content = side.content or b""
        lines += [
            b"M %s inline %s" % (side.mode, b'"' + b"".join(b"\\%03o" % byte for byte in path) + b'"'),
            b"data %d" % len(content),
            content,
        ]
    return b"\n".join(lines) + b"\n"


def _readable(text: str) -> str:
    """Return the text with control and invisible characters as escapes."""
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(
        "".join(letter if letter.isprintable() or letter == "\t" else ascii(letter)[1:-1] for letter in line)
        for line in lines
    )
