"""Claude Code's sessions: <config dir>/projects/**/*.jsonl, one file a session."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from skillopt_sleep.agents.claude_code.reader import SessionReader
from skillopt_sleep.agents.claude_code.records import Link, Record
from skillopt_sleep.agents.claude_code.tree import abandoned, strangers
from skillopt_sleep.agents.transcripts.draft import MOST_ITEMS
from skillopt_sleep.agents.transcripts.files import find_sessions, read_each, unheard
from skillopt_sleep.agents.transcripts.jsonl import Lines, is_one, time_in
from skillopt_sleep.protocols import Unlisted
from skillopt_sleep.records import LeftOut, Packed, Reading, Stamp

NAME = "claude_code"

_records = msgspec.json.Decoder(Record)
_links = msgspec.json.Decoder(Link)

# Up to this size a line is decoded whatever it is; larger ones are first looked at.
_SMALL = 4096
_LOOSE = b'{"type":"'
_READ = frozenset({b"user", b"assistant", b"system", b"attachment", b"queue-operation"})
_LARGE = re.compile(
    rb'\{"parentUuid":(?:null|"[^"]*"),"isSidechain":(?:true|false),(?:"\w+":(?:"[^"]*"|null|true|false|\d+),)*'
    rb'(?:"attachment":\{"type":"(?P<attachment>\w+)"'
    rb'|"type":"user","message":\{"role":"user","content":\[\{"(?:tool_use_id":"[^"]*","type|type)":"(?P<block>\w+)")'
)
_COPY = b'"toolUseResult":'
_BEFORE_COPY = re.compile(rb'"uuid":"[^"]*","timestamp":"[^"]*",\Z')
_DIALOG = (b'{"questions":', b'{"answers":')
_ANSWERS = b'"answers":{'
_TEXT = b'"type":"text"'
_ERROR = b'"is_error":true'
_NEAR = 200
_SECOND = b'{"parentUuid":'
_MOST_LINKS = 2 * MOST_ITEMS


class ClaudeCode:
    """The sessions below one configuration folder of Claude Code."""

    name = NAME

    def __init__(self, config_dir: Path) -> None:
        self._projects = str(config_dir / "projects")

    @property
    def folders(self) -> tuple[str, ...]:
        """Where sessions appear."""
        return (self._projects,)

    def stamps(self, unlisted: Unlisted = unheard, /) -> Iterator[tuple[str, Stamp]]:
        """Path and stamp of every session file, by stat calls only."""
        return find_sessions(self._projects, unlisted)

    def read(self, paths: Sequence[str]) -> Iterator[tuple[str, Stamp, Reading]]:
        """Parse these files; each is answered once, with the stamp it had when it was read."""
        return read_each(paths, parse)


def parse(path: str) -> tuple[Stamp, Reading]:
    """One session file; raises OSError where it can't be read."""
    where = Path(path)
    if where.name.startswith("agent-") or where.parent.name == "subagents":
        return _outline(where)
    lines, reader = _read(path, SessionReader(where.stem))
    if reader.mixed and (others := strangers(_tree(path), where.stem)):
        lines, reader = _read(path, SessionReader(where.stem, others))
    if reader.forked:
        reader.drop(abandoned(_tree(path), reader.typed()))
    left_out = reader.left_out()
    if left_out is LeftOut.SUBAGENT:
        reader.draft.items.clear()
    damaged = lines.damaged + reader.misplaced
    session = reader.draft.session(NAME, where.stem, lines.stamp, damaged=damaged)
    return lines.stamp, Reading(sessions=(Packed.of(session, left_out),))


def _read(path: str, reader: SessionReader) -> tuple[Lines, SessionReader]:
    lines = Lines(path)
    passed: tuple[bytes, int, int] | None = None
    last = b""
    for block, at, end in lines:
        if block is not last:
            last = block
            if reader.is_full():
                lines.pass_rest(block, at)
                reader.draft.saw(lines.last_time())
                return lines, reader
        if block.startswith(_LOOSE, at):
            name = at + len(_LOOSE)
            kind = block[name : block.find(b'"', name, end)]
            if kind not in _READ and is_one(block, at, end, _SECOND):
                continue
        elif end - at > _SMALL and _is_needless(block, at, end) and is_one(block, at, end, _SECOND):
            passed = block, at, end
            continue
        for record in lines.decode(_records, block[at:end], torn=end == len(block)):
            if reader.take(record):
                passed = None
    if passed is not None:
        reader.draft.saw(time_in(*passed))
    return lines, reader


def _outline(path: Path) -> tuple[Stamp, Reading]:
    """A sub-agent's file, which is left out whole: only its place and its times are read."""
    lines = Lines(str(path))
    reader = SessionReader(path.stem)
    for block, at, end in lines:
        found = lines.decode(_records, block[at:end], torn=end == len(block))
        if any(reader.take(record) and record.cwd for record in found):
            reader.draft.saw(lines.last_time())
            break
    reader.draft.items.clear()
    session = reader.draft.session(NAME, path.stem, lines.stamp, damaged=lines.damaged)
    return lines.stamp, Reading(sessions=(Packed.of(session, LeftOut.SUBAGENT),))


def _is_needless(block: bytes, at: int, end: int) -> bool:
    """Whether a large line's bytes show that nothing of it is kept: an attachment, or an uneventful tool result."""
    found = _LARGE.match(block, at, end)
    if found is None:
        return False
    if found["attachment"]:
        return found["attachment"] != b"queued_command"
    if found["block"] != b"tool_result":
        return False
    # What follows the message is a copy of the result and needn't be searched. It starts soon or about half-way.
    begun, middle = found.end(), at + (end - at) * 2 // 5
    copy = block.find(_COPY, begun, begun + 1000)
    if copy < 0:
        copy = block.find(_COPY, middle, end)
    if block.startswith(_DIALOG, copy + len(_COPY)):
        return False
    if copy < 0 or _BEFORE_COPY.search(block, max(copy - 120, begun), copy) is None:
        return all(block.find(sign, begun, end) < 0 for sign in (_TEXT, _ERROR, _ANSWERS))
    # Within a text all quotes are escaped, so what looks like a text block is one. A flag stands before or after
    # the result's own text.
    alone = block.find(_TEXT, begun, copy) < 0
    return alone and block.find(_ERROR, begun, begun + _NEAR) < 0 and block.find(_ERROR, copy - _NEAR, copy) < 0


def _tree(path: str) -> list[Link]:
    """The records' places; of a file that holds too much only so many as were read of it."""
    return list(islice((link for link in _whole_links(Lines(path)) if link.uuid), _MOST_LINKS))


def _whole_links(lines: Lines) -> Iterator[Link]:
    """The links of undamaged lines: a record without its parent's name would look like a new root."""
    for block, at, end in lines:
        damaged = lines.damaged
        found = lines.decode(_links, block[at:end])
        if lines.damaged == damaged:
            yield from found
