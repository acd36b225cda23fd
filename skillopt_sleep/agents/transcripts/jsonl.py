"""Read the records of a session file, one a line, while its program may still be writing it."""

import io
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from skillopt_sleep.kit.files import PLAIN_FLAGS
from skillopt_sleep.records import HalfRead, Stamp

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Kind = TypeVar("Kind")

LONGEST_LINE = 16 * 1024 * 1024
COMPRESSED = ".zst"
MOST_UNPACKED = 1024 * 1024 * 1024
_BUFFER = 512 * 1024
_UNDECODED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_MOST_KINDS = 20
_LONGEST_KIND = 40
_BOM = b"\xef\xbb\xbf"
# Half of a surrogate pair, which JavaScript writes if it cut a text in the middle of one.
_HALF_PAIR = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)


class Records(Generic[Kind]):
    """The records in the lines of one file, up to the length it had when it was opened.

    Iterating decodes every line once and closes the file. Of the `count` lines that aren't blank, `damaged` aren't
    records; `torn` tells that the last one may yet be completed. `size` says how many bytes count, None for all. A
    compressed file is unpacked on the way. Raises OSError if the file can't be opened or unpacked, or isn't a regular
    file.
    """

    def __init__(self, path: str, decode: Callable[[bytes], Kind], size: int | None = None) -> None:
        self.damaged = 0
        self.count = 0
        self.torn = False
        self._decode = decode
        raw = io.FileIO(os.open(path, PLAIN_FLAGS), "rb")
        status = os.fstat(raw.fileno())
        if not stat.S_ISREG(status.st_mode):
            raw.close()
            raise OSError("not a regular file")
        self.stamp = Stamp(status.st_ino, status.st_size, status.st_mtime_ns)
        self._is_compressed = path.endswith(COMPRESSED)
        whole = sys.maxsize if self._is_compressed else status.st_size
        self._unread = whole if size is None else min(size, whole)
        self._file = io.BufferedReader(_Unpacked(raw) if self._is_compressed else raw, _BUFFER)

    def __iter__(self) -> Iterator[Kind]:
        """Yield the record of each line that is one."""
        with self._file:
            while line := self._piece():
                if not self.count:
                    line = line.removeprefix(_BOM)
                if line.isspace():
                    continue
                self.count += 1
                if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
                    self._pass_over_line()
                    continue
                try:
                    yield self._decode(line)
                except _UNDECODED:
                    yield from self._repaired(line)

    def _pass_over_line(self) -> None:
        """Read an overlong line to its end."""
        self.damaged += 1
        while (line := self._piece()) and not line.endswith(b"\n"):
            pass

    def _piece(self) -> bytes:
        """Return the next line, or as much of it as shows that it is overlong."""
        line = self._file.readline(min(self._unread, LONGEST_LINE + 1))
        self._unread -= len(line)
        return line

    def _repaired(self, line: bytes) -> Iterator[Kind]:
        """Yield the record of a line that can't be decoded as it is, if only half characters keep it from that."""
        try:
            record = self._decode(_HALF_PAIR.sub(rb"\\ufffd", line))
        except _UNDECODED:
            if line.endswith(b"\n") or self._is_compressed or b"\x00" in line:
                self.damaged += 1
            else:
                self.torn = True
        else:
            yield record


class _Unpacked(io.RawIOBase):
    """The content of a compressed file; raises OSError if it can't be unpacked, or is more than any session has."""

    def __init__(self, file: io.FileIO) -> None:
        import zstandard  # seldom needed

        self._file = file
        # Any: its types aren't known in full.
        self._stream: Any = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        self._fault = zstandard.ZstdError
        self._size = 0

    def readable(self) -> bool:
        """Return that this can be read."""
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Fill the buffer with what comes next, and return its size."""
        try:
            size: int = self._stream.readinto(buffer)
        except self._fault as error:
            raise OSError(f"it can't be unpacked: {error}") from error
        self._size += size
        if not self._size:
            raise OSError("it can't be unpacked: it was cut off")
        if self._size > MOST_UNPACKED:
            raise OSError(f"it unpacks to more than {MOST_UNPACKED >> 20} MB")
        return size

    def close(self) -> None:
        """Close the compressed file."""
        self._file.close()
        super().close()


def half_read(unknown: "Counter[str]", version: str, records: int) -> HalfRead | None:
    """Return what was counted of kinds that the reader of a session doesn't know, or None if it knows all."""
    kinds = tuple(sorted(kind[:_LONGEST_KIND] for kind in unknown))[:_MOST_KINDS]
    return HalfRead(version[:_LONGEST_KIND], kinds, unknown.total(), records) if kinds else None
