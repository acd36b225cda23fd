"""Reading a session file line by line, while its program may still be writing it."""

import io
import os
import re
import stat
from collections.abc import Iterator
from typing import TypeVar

import msgspec

from skillopt_sleep.records import Stamp

Kind = TypeVar("Kind")

LONGEST_LINE = 16 * 1024 * 1024
_BLOCK = 4 * 1024 * 1024
_TAIL = 64 * 1024
_TIME = b'"timestamp":"'
BRACE = ord("}")
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
    """The lines of one file, up to the length it had when it was opened; `damaged` counts those of no use.

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
        left = self.stamp.size
        rest = b""
        first = True
        while left > 0:
            block = self._file.read(min(left, _BLOCK))
            if not block:
                break
            left -= len(block)
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

    def last_time(self) -> str:
        """The last timestamp there is in the file's end; for a file of which no more lines are wanted."""
        self._file.seek(max(self.stamp.size - _TAIL, 0))
        return time_in(self._file.read(_TAIL))

    def check_end(self, block: bytes, at: int, end: int) -> None:
        """Count a line that is left undecoded as damage if it doesn't end as an object does and wasn't torn off."""
        if end < len(block) and not block[at:end].rstrip().endswith(b"}"):
            self.damaged += 1

    def decode(self, decoder: "msgspec.json.Decoder[Kind]", line: bytes, *, torn: bool = False) -> Kind | None:
        """The line as the decoder's type; None where it isn't that, which is damage unless it was `torn` off."""
        try:
            return decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            mended = _HALF_PAIR.sub(rb"\\ufffd", line)
        if mended != line:
            try:
                return decoder.decode(mended)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                pass
        if not torn and not line.isspace():
            self.damaged += 1
        return None


def time_in(block: bytes, at: int = 0, end: int | None = None) -> str:
    """The last timestamp in this part of a block, empty where there is none."""
    end = len(block) if end is None else end
    start = block.rfind(_TIME, at, end)
    if start < 0:
        return ""
    start += len(_TIME)
    return block[start : block.find(b'"', start, end)].decode("ascii", "replace")
