"""Codex's sessions: <codex home>/sessions/**/*.jsonl and archived_sessions/**/*.jsonl, one rollout file a session."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from skillopt_sleep.agents.codex.reader import HEAD, RolloutReader, decode
from skillopt_sleep.agents.codex.records import Line
from skillopt_sleep.agents.transcripts.files import find_sessions, read_each, unheard
from skillopt_sleep.agents.transcripts.jsonl import Lines, is_one
from skillopt_sleep.protocols import Unlisted
from skillopt_sleep.records import LeftOut, Packed, Reading, Stamp

NAME = "codex"

_lines = msgspec.json.Decoder(Line)
_SECOND = b'{"timestamp":"'
_ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")


class Codex:
    """The sessions of one Codex home, live and archived."""

    name = NAME

    def __init__(self, home: Path) -> None:
        self._folders = (str(home / "sessions"), str(home / "archived_sessions"))

    @property
    def folders(self) -> tuple[str, ...]:
        """Where sessions appear."""
        return self._folders

    def stamps(self, unlisted: Unlisted = unheard, /) -> Iterator[tuple[str, Stamp]]:
        """Path and stamp of every rollout, by stat calls only."""
        for folder in self._folders:
            yield from find_sessions(folder, unlisted)

    def read(self, paths: Sequence[str]) -> Iterator[tuple[str, Stamp, Reading]]:
        """Parse these files; each is answered once, with the stamp it had when it was read."""
        return read_each(paths, parse)


def parse(path: str) -> tuple[Stamp, Reading]:
    """One rollout; raises OSError where it can't be read."""
    lines = Lines(path)
    reader = RolloutReader()
    _read(lines, reader)
    if reader.tokens:
        block, at, end = reader.tokens
        for count in lines.decode(_lines, block[at:end]):
            reader.spent(count.payload.info if count.payload else None)
    left_out = reader.left_out()
    if left_out is LeftOut.SUBAGENT:
        reader.draft.items.clear()
    session = reader.draft.session(NAME, reader.name or _named(path), lines.stamp, damaged=lines.damaged)
    return lines.stamp, Reading(sessions=(Packed.of(session, left_out),))


def _read(lines: Lines, reader: RolloutReader) -> None:
    looks = reader.LOOKS
    match = HEAD.match
    begun = False
    last = b""
    for block, at, end in lines:
        if block is not last:
            last = block
            if reader.draft.is_full():
                lines.pass_rest(block, at)
                reader.end(lines.last_time())
                break
        head = match(block, at, end)
        if head is not None:
            look = looks.get(head["types"])
            if (
                look is not decode
                and is_one(block, at, end, _SECOND)
                and (look is None or look(reader, head, block, end))
            ):
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
            break


def _named(path: str) -> str:
    """The session id in a rollout's name, else the name."""
    stem = Path(path).stem
    found = _ID.search(stem)
    return found[0] if found else stem
