"""A file that an adoption or an undo writes: what it was, what it becomes, and how it is put back."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from skillopt_sleep.errors import AdoptInterrupted
from skillopt_sleep.kit.attributes import Attributes, attributes_of
from skillopt_sleep.kit.files import kept_open, write_as
from skillopt_sleep.proposals import paths
from skillopt_sleep.records import Record


class Written(Record, frozen=True, kw_only=True):
    """One file of an adoption: `target` is the real file behind `path`; `before` is "" if there was no file.

    `before` and `after` are SHA-256 digests. `attributes` are the file's from before, or None for a new file; an
    earlier version stored only the mode.
    """

    path: str
    target: str
    existed: bool
    attributes: Attributes | int | None
    before: str
    after: str

    @property
    def now(self) -> str:
        """The digest of what the file holds now, "" if there is none; raises UnsafePath if it can't be read."""
        return paths.digest(paths.read_live(Path(self.target)))


class Move(NamedTuple):
    """A file to write: its bytes as they are and as they become, None for no file, with the attributes of each."""

    path: str
    target: Path
    old: bytes | None
    new: bytes | None
    attributes: Attributes | None
    gives: Attributes | None

    @property
    def now(self) -> bytes | None:
        """Return the file's bytes now, None if there is no file; raise UnsafePath if it can't be read."""
        return paths.read_live(self.target)

    def write(self) -> bool:
        """Give the file its new bytes and attributes; return False if another program wrote it at this moment.

        Then the file has what that program left.
        """
        with kept_open(self.target) as replaced:
            _write(self.target, self.new, self.gives)
            theirs = replaced()
        if theirs not in (None, self.old) and self.now == self.new:
            _write(self.target, theirs, self.attributes)
            return False
        if self.now != self.new:
            raise AdoptInterrupted(
                f"{self.path} was changed while it was written",
                remedy="check the file; nothing more is written to it",
            )
        return True

    def take_back(self) -> None:
        """Give the file what it had before, unless another program changed it since."""
        if self.now == self.new:
            _write(self.target, self.old, self.attributes)


def put(moves: Sequence[Move]) -> str:
    """Write the files in turn; return "", or the path of one that changed since it was read.

    Then none has its new bytes.
    """
    for index, move in enumerate(moves):
        if move.now != move.old or not move.write():
            for written in moves[:index]:
                written.take_back()
            return move.path
    return ""


def put_back(file: Written, before: bytes | None) -> None:
    """Give the file its bytes and attributes from before the adoption, or remove it if there was none."""
    target = Path(file.target)
    _write(target, before, attributes_before(file, target))
    if file.now != file.before:
        raise AdoptInterrupted(
            f"{file.path} was changed while it was undone", remedy="check the file; nothing more is written to it"
        )


def _write(target: Path, text: bytes | None, attributes: Attributes | None) -> None:
    if text is None:
        target.unlink()
    else:
        write_as(target, text, attributes)


def attributes_before(file: Written, target: Path) -> Attributes:
    """Return the attributes from before the adoption; an entry of an earlier version knows only the mode."""
    if isinstance(file.attributes, Attributes):
        return file.attributes
    now = attributes_of(target)
    if file.attributes is None:
        return now
    return msgspec.structs.replace(now, mode=file.attributes)


def sweep(file: Written, texts: Sequence[bytes]) -> None:
    """Remove the temporary files that a killed writer of these texts left beside the file."""
    target = Path(file.target)
    if not target.parent.is_dir():
        return
    name = re.compile(re.escape(f".{target.name}.") + "[a-z0-9_]{8}")
    for path in list(target.parent.iterdir()):
        if not name.fullmatch(path.name) or not path.is_file() or path.is_symlink():
            continue
        written = path.read_bytes()
        if any(text.startswith(written) for text in texts):
            path.unlink()
