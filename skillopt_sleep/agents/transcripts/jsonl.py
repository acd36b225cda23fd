"""Reading a session file line by line, while its program may still be writing it."""

import io
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

import msgspec

from skillopt_sleep.agents.transcripts.salvage import whole_records
from skillopt_sleep.records import Stamp

Kind = TypeVar("Kind")
_UNDECODED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

LONGEST_LINE = 16 * 1024 * 1024
_BLOCK = 4 * 1024 * 1024
_TAIL = 64 * 1024
_TIME = b'"timestamp":"'
_BRACE = ord("}")
_REACH = 1024  # so far from its end a line that isn't decoded is searched for a second record
_BOM = b"\xef\xbb\xbf"
# A name that became a link, a pipe or a device since it was listed must neither be followed nor block us.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
# Half of a surrogate pair, which JavaScript writes where it cut a text in the middle of one.
_HALF_PAIR = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)


class Lines:
    """The lines of one file, up to the length it had when it was opened; `damaged` counts those that aren't whole.

    Iterating gives every line once as a block of bytes with the line's start and end in it, so that a line of no
    interest is never copied. Raises OSError where the file can't be opened or isn't a regular file.
    """

    def __init__(self, path: str) -> None:
        self.damaged = 0
        self._file = io.FileIO(os.open(path, _FLAGS), "rb")
        found = os.fstat(self._file.fileno())
        if not stat.S_ISREG(found.st_mode):
            self._file.close()
            raise OSError("not a regular file")
        self.stamp = Stamp(found.st_ino, found.st_size, found.st_mtime_ns)
        self._left = found.st_size

    def __iter__(self) -> Iterator[tuple[bytes, int, int]]:
        """Block, start, end: blank lines and lines that are too long are passed over. Closes the file."""
        with self._file:
            for block in self._blocks():
                at, size = 0, len(block)
                while at < size:
                    end = block.find(b"\n", at)
                    if end < 0:
                        end = size
                    if end > at:
                        yield block, at, end
                    at = end + 1

    def _blocks(self) -> Iterator[bytes]:
        """The file in pieces that end where a line ends, except perhaps the last."""
        rest = b""
        first = True
        while self._left > 0 and (block := self._read()):
            if first and block.startswith(_BOM):
                block = block[len(_BOM) :]
            first = False
            cut = block.rfind(b"\n") + 1
            if not cut:
                # Of a line that is too long only so much is held that this shows.
                rest = rest if len(rest) > LONGEST_LINE else rest + block
                continue
            start = block.index(b"\n")
            if len(rest) + start > LONGEST_LINE:
                self.damaged += 1
                yield block[start + 1 : cut]
            else:
                yield rest + block[:cut]
            rest = block[cut:]
        if len(rest) > LONGEST_LINE:
            self.damaged += 1
        elif rest:
            yield rest

    def _read(self) -> bytes:
        block = self._file.read(min(self._left, _BLOCK))
        self._left -= len(block)
        return block

    def last_time(self) -> str:
        """The last timestamp there is in the file's end; for a file of which no more lines are wanted."""
        self._file.seek(max(self.stamp.size - _TAIL, 0))
        return time_in(self._file.read(_TAIL))

    def pass_rest(self, block: bytes, at: int) -> None:
        """Count what follows from here on as damage, without giving it; for a file that holds too much."""
        self.damaged += block.count(b"\n", at)
        while block := self._read():
            self.damaged += block.count(b"\n")

    def decode(self, decoder: "msgspec.json.Decoder[Kind]", line: bytes, *, torn: bool = False) -> Sequence[Kind]:
        """The line's records as the decoder's type: one, or what is left of a damaged line.

        A line that was `torn` off by the end of the file, and may yet be completed, is no damage.
        """
        try:
            return (decoder.decode(line),)
        except _UNDECODED:
            mended = _HALF_PAIR.sub(rb"\\ufffd", line)
        if mended != line:
            try:
                return (decoder.decode(mended),)
            except _UNDECODED:
                pass
        found: list[Kind] = []
        for record in whole_records(mended):
            with suppress(*_UNDECODED):
                found.append(decoder.decode(record))
        if not line.isspace() and (found or not torn or b"\x00" in line):
            self.damaged += 1
        return found


def is_one(block: bytes, at: int, end: int, beginning: bytes) -> bool:
    """Whether a line that isn't decoded is a whole record, and holds no second one, so beginning, near its end."""
    near = end - _REACH
    if block.find(beginning, near if near > at else at + 1, end) >= 0:
        return False
    # Mostly the last byte tells already.
    return block[end - 1] == _BRACE or block[at:end].rstrip().endswith(b"}")


def time_in(block: bytes, at: int = 0, end: int | None = None) -> str:
    """The last timestamp in this part of a block, empty where there is none."""
    end = len(block) if end is None else end
    start = block.rfind(_TIME, at, end)
    if start < 0:
        return ""
    start += len(_TIME)
    return block[start : block.find(b'"', start, end)].decode("ascii", "replace")
