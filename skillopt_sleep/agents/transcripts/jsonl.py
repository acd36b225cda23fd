"""Read a session file line by line, while its program may still be writing it."""

import io
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from skillopt_sleep.agents.transcripts.salvage import whole_records
from skillopt_sleep.kit.files import PLAIN_FLAGS
from skillopt_sleep.records import HalfRead, Session, Stamp

Kind = TypeVar("Kind")
_UNDECODED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

_MOST_KINDS = 20
_LONGEST_KIND = 40
LONGEST_LINE = 16 * 1024 * 1024
_BLOCK = 4 * 1024 * 1024
_TAIL = 64 * 1024
COMPRESSED = ".zst"
MOST_UNPACKED = 1024 * 1024 * 1024
_TIME = b'"timestamp":"'
_BRACE = ord("}")
# A line that isn't decoded is searched for a second record only so far from its end.
_NEAR_END = 1024
_BOM = b"\xef\xbb\xbf"
# Half of a surrogate pair, which JavaScript writes if it cut a text in the middle of one.
_HALF_PAIR = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)


class Lines:
    """The lines of one file, up to the length it had when it was opened; `damaged` of the `count` aren't whole.

    Iterating yields every line once as a block of bytes with the line's start and end in it, so that a line of no
    interest is never copied. `record_start` matches how a record of the agent begins; `size` says how many bytes
    count, None for all. `torn` is whether the file ends with a line that may yet be completed. A compressed file is
    unpacked on the way. Raises OSError if the file can't be opened or unpacked, or isn't a regular file.
    """

    def __init__(self, path: str, record_start: re.Pattern[bytes], size: int | None = None) -> None:
        self.damaged = 0
        self.count = 0
        self.torn = False
        self._record_start = record_start
        self._file = io.FileIO(os.open(path, PLAIN_FLAGS), "rb")
        status = os.fstat(self._file.fileno())
        if not stat.S_ISREG(status.st_mode):
            self._file.close()
            raise OSError("not a regular file")
        self.stamp = Stamp(status.st_ino, status.st_size, status.st_mtime_ns)
        self._unpacked = _Unpacked(self._file) if path.endswith(COMPRESSED) else None
        whole = sys.maxsize if self._unpacked else status.st_size
        self._size = whole if size is None else min(size, whole)
        self._unread_bytes = self._size

    def __iter__(self) -> Iterator[tuple[bytes, int, int]]:
        """Yield block, start and end of each line but blank and overlong ones; close the file afterwards."""
        with self._file:
            for block in self._blocks():
                at = 0
                size = len(block)
                while at < size:
                    end = block.find(b"\n", at)
                    if end < 0:
                        end = size
                    if end > at:
                        self.count += 1
                        yield block, at, end
                    at = end + 1

    def _blocks(self) -> Iterator[bytes]:
        """Yield the file in pieces that end where a line ends, except perhaps the last one."""
        rest = b""
        is_first = True
        while self._unread_bytes > 0 and (block := self._read()):
            if is_first:
                block = block.removeprefix(_BOM)
                is_first = False
            cut = block.rfind(b"\n") + 1
            if not cut:
                # Of an overlong line no more is kept than shows that it is one.
                if len(rest) <= LONGEST_LINE:
                    rest += block
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
        block = (self._unpacked or self._file).read(min(self._unread_bytes, _BLOCK))
        self._unread_bytes -= len(block)
        return block

    def last_time(self) -> str:
        """Return the last timestamp near the file's end; for a file of which no more lines are wanted."""
        if self._unpacked:
            while self._read():
                pass
            return time_in(self._unpacked.end)
        start = max(self._size - _TAIL, 0)
        self._file.seek(start)
        return time_in(self._file.read(self._size - start))

    def skip_rest(self, block: bytes, at: int) -> None:
        """Count all lines from here on as damaged without yielding them; for a file that holds too much."""
        self.damaged += block.count(b"\n", at)
        while block := self._read():
            self.damaged += block.count(b"\n")

    def with_unknown(self, session: Session, unknown: "Counter[str]", version: str, *, earlier: int = 0) -> Session:
        """Return the session with what was counted of kinds that its reader doesn't know, in `earlier` lines too."""
        kinds = tuple(sorted(kind[:_LONGEST_KIND] for kind in unknown))[:_MOST_KINDS]
        half_read = HalfRead(version[:_LONGEST_KIND], kinds, unknown.total(), earlier + self.count)
        return replace(session, half_read=half_read) if kinds else session

    def decode(self, decoder: "msgspec.json.Decoder[Kind]", line: bytes, *, torn: bool = False) -> Sequence[Kind]:
        """Return the line's records as the decoder's type: one, or what is left of a damaged line.

        A line that is `torn` off by the end of the file may yet be completed, so it doesn't count as damaged, except
        in a compressed file.
        """
        try:
            return (decoder.decode(line),)
        except _UNDECODED:
            repaired = _HALF_PAIR.sub(rb"\\ufffd", line)
        if repaired != line:
            try:
                return (decoder.decode(repaired),)
            except _UNDECODED:
                pass
        records: list[Kind] = []
        for record in whole_records(repaired, self._record_start):
            with suppress(*_UNDECODED):
                records.append(decoder.decode(record))
        if not line.isspace() and (records or not torn or self._unpacked or b"\x00" in line):
            self.damaged += 1
        elif not line.isspace():
            self.torn = True
        return records


class _Unpacked:
    """The content of a compressed file, from its begin; `end` is the end of what was read of it."""

    def __init__(self, file: io.FileIO) -> None:
        import zstandard  # seldom needed

        self._stream = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        self._fault = zstandard.ZstdError
        self._left = MOST_UNPACKED
        self.end = b""

    def read(self, size: int) -> bytes:
        """Return the next bytes; raises OSError if they can't be unpacked, or are more than any session has."""
        try:
            block = self._stream.read(size)
        except self._fault as error:
            raise OSError(f"it can't be unpacked: {error}") from error
        if not block and not self.end:
            raise OSError("it can't be unpacked: it was cut off")
        self._left -= len(block)
        if self._left < 0:
            raise OSError(f"it unpacks to more than {MOST_UNPACKED >> 20} MB")
        self.end = (self.end + block)[-_TAIL:]
        return block


def is_whole(block: bytes, at: int, end: int, line_start: bytes) -> bool:
    """Return whether an undecoded line is one whole record, without a second one that starts near its end."""
    near = end - _NEAR_END
    if block.find(line_start, near if near > at else at + 1, end) >= 0:
        return False
    # Mostly the last byte is enough.
    return block[end - 1] == _BRACE or block[at:end].rstrip().endswith(b"}")


def time_in(block: bytes, at: int = 0, end: int | None = None) -> str:
    """Return the last timestamp in this part of a block, or "" if there is none."""
    if end is None:
        end = len(block)
    start = block.rfind(_TIME, at, end)
    if start < 0:
        return ""
    start += len(_TIME)
    return block[start : block.find(b'"', start, end)].decode("ascii", "replace")
