"""Codex's sessions: <codex home>/sessions/**/*.jsonl and archived_sessions/**/*.jsonl, one rollout a file.

After a week Codex compresses a rollout into `.jsonl.zst`; while such a session goes on, the plain file is there too.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from skillopt_sleep.agents.codex.reader import HEAD, RolloutReader, decode
from skillopt_sleep.agents.codex.records import KINDS, RECORD_START, Line
from skillopt_sleep.agents.codex.rewinds import FOLDERS, parts, session_in
from skillopt_sleep.agents.transcripts.files import find_sessions, ignore, read_each
from skillopt_sleep.agents.transcripts.jsonl import COMPRESSED, Lines, is_whole
from skillopt_sleep.protocols import Unlisted
from skillopt_sleep.records import Hear, LeftOut, Packed, Reading, Stamp

NAME = "codex"

_lines = msgspec.json.Decoder(Line)
_KINDS = frozenset(kind.encode() for kind in KINDS)
_LINE_START = b'{"timestamp":"'
_ENDINGS = (".jsonl", f".jsonl{COMPRESSED}")


class Codex:
    """The sessions in one Codex home, live and archived."""

    name = NAME

    def __init__(self, home: Path) -> None:
        self._folders = tuple(str(home / folder) for folder in FOLDERS)

    @property
    def folders(self) -> tuple[str, ...]:
        """Return the folders in which sessions appear."""
        return self._folders

    def stamps(self, unlisted: Unlisted = ignore, /) -> Iterator[tuple[str, Stamp]]:
        """Yield path and stamp of every rollout, by stat calls only."""
        for folder in self._folders:
            found = dict(find_sessions(folder, unlisted, endings=_ENDINGS))
            for path, stamp in found.items():
                plain = path.removesuffix(COMPRESSED)
                if plain == path or plain not in found:
                    yield path, stamp

    def read(self, paths: Sequence[str], hear: Hear | None = None, /) -> Iterator[tuple[str, Stamp, Reading]]:
        """Parse these files, each once; the stamp is the one the file had when it was read."""
        return read_each(paths, parse, hear)


def parse(path: str) -> tuple[Stamp, Reading]:
    """Parse one rollout, after what is left of those that it goes on from; raises OSError if it can't be read."""
    reader = RolloutReader()
    *earlier, own = parts(path)
    damaged = count = 0
    for part in earlier:
        lines = Lines(part.path, RECORD_START, part.size)
        _read(lines, reader)
        damaged += lines.damaged
        count += lines.count
    lines = Lines(own.path, RECORD_START)
    _read(lines, reader)
    damaged += lines.damaged
    left_out = reader.left_out()
    if left_out is LeftOut.SUBAGENT:
        reader.draft.items.clear()
    name = reader.name or session_in(path)
    session = reader.draft.session(NAME, name, lines.stamp, damaged=damaged, torn=lines.torn)
    session = lines.with_unknown(session, reader.unknown, reader.version, earlier=count)
    return lines.stamp, Reading(sessions=(Packed.of(session, left_out),))


def _read(lines: Lines, reader: RolloutReader) -> None:
    begun = False
    block = b""
    for line_block, at, end in lines:
        if line_block is not block:
            block = line_block
            if reader.draft.is_full():
                lines.skip_rest(block, at)
                reader.end(lines.last_time())
                return
        head = HEAD.match(block, at, end)
        if head is not None and _is_used_by_a_look(reader, head, block, end):
            reader.last = head
            if not begun:
                reader.begin(head)
                begun = True
            continue
        for record in lines.decode(_lines, block[at:end], torn=end == len(block)):
            if record.payload is not None:
                reader.take(record, record.payload)
        if reader.is_subagent:
            # It is left out whole, so only its end is looked at.
            reader.draft.saw(lines.last_time())
            return


def _is_used_by_a_look(reader: RolloutReader, head: re.Match[bytes], block: bytes, end: int) -> bool:
    """Use a line without decoding it if its bytes say enough; return whether they did."""
    look = reader.LOOKS.get(head["types"])
    if look is decode or not is_whole(block, head.start(), end, _LINE_START):
        return False
    if look is not None:
        return look(reader, head, block, end)
    kind = head["types"].partition(b'"')[0]
    if kind not in _KINDS:
        reader.unknown[kind.decode("utf-8", "replace")] += 1
    return True
