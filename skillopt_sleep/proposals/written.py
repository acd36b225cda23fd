"""Write the files of an adoption or an undo, and show how they differ."""

import difflib
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.errors import AdoptInterrupted
from skillopt_sleep.kit.markdown import spelled, visible
from skillopt_sleep.proposals import paths
from skillopt_sleep.proposals.attributes import Attributes, kept_open, write_as
from skillopt_sleep.proposals.entry import Written


class Move(NamedTuple):
    """A file to write: its bytes as they are and as they become, None for no file, and the attributes it has."""

    path: str
    target: Path
    old: bytes | None
    new: bytes | None
    attributes: Attributes | None

    @property
    def record(self) -> Written:
        """What the journal keeps of it."""
        return Written(
            path=self.path,
            target=str(self.target),
            before=paths.digest(self.old),
            after=paths.digest(self.new),
        )

    @property
    def now(self) -> bytes | None:
        """Return the file's bytes now, None if there is no file; raise UnsafePath if it can't be read."""
        return paths.read_live(self.target)

    def write(self) -> bool:
        """Give the file its new bytes and attributes; return False if another program wrote it at this moment.

        Then the file has what that program left.
        """
        with kept_open(self.target) as replaced:
            _write(self.target, self.new, self.attributes)
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


def _write(target: Path, text: bytes | None, attributes: Attributes | None) -> None:
    if text is None:
        target.unlink()
    else:
        write_as(target, text, attributes)


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


def diff(name: str, base: bytes | None, result: bytes | None) -> str:
    """Return the difference as people should see it: with invisible characters written out and without line ends."""
    old = "/dev/null" if base is None else f"a/{spelled(name)}"
    new = "/dev/null" if result is None else f"b/{spelled(name)}"
    lines = difflib.unified_diff(_lines(base or b""), _lines(result or b""), old, new)
    return "".join(_ended(line) for line in lines)


def _ended(line: str) -> str:
    if line.endswith("\n"):
        return line
    return f"{line}\n\\ No newline at end of file\n"


def _lines(data: bytes) -> list[str]:
    # Not splitlines, which also breaks lines at characters that don't end a line of a file.
    return list(io.StringIO(visible(data.decode(errors="replace").replace("\r\n", "\n"))))
