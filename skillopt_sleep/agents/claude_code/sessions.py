"""Claude Code's sessions: <config dir>/projects/**/*.jsonl, one session a file.

What was pasted in them is in <config dir>/history.jsonl and paste-cache/ (history.py).
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec

from skillopt_sleep.agents.claude_code.history import NO_PASTES, History, load_history, pastes_of
from skillopt_sleep.agents.claude_code.reader import SessionReader
from skillopt_sleep.agents.claude_code.records import (
    CONVERSATION,
    INSTRUCTIONS,
    KINDS,
    MOST_RECORDS,
    QUEUE,
    RECORD_START,
    Link,
    Record,
)
from skillopt_sleep.agents.claude_code.tree import strangers
from skillopt_sleep.agents.claude_code.written import CHANGED_ON_DISK, USER_MODIFIED
from skillopt_sleep.agents.transcripts.files import find_sessions, ignore, read_each
from skillopt_sleep.agents.transcripts.jsonl import Lines, is_whole, time_in
from skillopt_sleep.protocols import Unlisted
from skillopt_sleep.records import Hear, LeftOut, Packed, Reading, Stamp

NAME = "claude_code"

_records = msgspec.json.Decoder(Record)
_links = msgspec.json.Decoder(Link)

# Up to this size a line is decoded whatever it is; the bytes of a larger one are looked at first.
_SMALL = 4096
_LOOSE = b'{"type":"'
_READ = frozenset(kind.encode() for kind in (*CONVERSATION, QUEUE))
_KINDS = frozenset(kind.encode() for kind in KINDS)
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
_NEAR_THE_END = 2_000
_USED_ATTACHMENTS = frozenset((b"queued_command", *(kind.encode() for kind in (CHANGED_ON_DISK, *INSTRUCTIONS))))
_LINE_START = b'{"parentUuid":'


class ClaudeCode:
    """The sessions in one configuration folder of Claude Code."""

    name = NAME

    def __init__(self, config_dir: Path) -> None:
        self._projects = str(config_dir / "projects")
        self._home = config_dir

    @property
    def folders(self) -> tuple[str, ...]:
        """Return the folders in which sessions appear."""
        return (self._projects,)

    def stamps(self, unlisted: Unlisted = ignore, /) -> Iterator[tuple[str, Stamp]]:
        """Yield path and stamp of every session file, by stat calls only."""
        return find_sessions(self._projects, unlisted)

    def read(self, paths: Sequence[str], hear: Hear | None = None, /) -> Iterator[tuple[str, Stamp, Reading]]:
        """Parse these files, each once; the stamp is the one the file had when it was read."""
        history = History.of(self._home)
        if paths:
            load_history(history)
        return read_each(paths, partial(parse, history=history), hear)


def parse(path: str, history: History | None = None) -> tuple[Stamp, Reading]:
    """Parse one session file, with what the list of prompts says was pasted; raises OSError if it can't be read."""
    file = Path(path)
    if file.name.startswith("agent-") or file.parent.name == "subagents":
        return _outline(file)
    pastes = pastes_of(file.stem, history) if history else NO_PASTES
    lines, reader = _read(path, SessionReader(file.stem, pastes=pastes))
    if reader.mixed and (others := strangers(_tree(path), file.stem)):
        lines, reader = _read(path, SessionReader(file.stem, others, pastes))
    if reader.forked:
        reader.drop(_tree(path))
    sessions: list[Packed] = []
    for number, draft in enumerate(reader.drafts, start=1):
        left_out = reader.left_out(draft)
        if left_out is LeftOut.SUBAGENT:
            draft.items.clear()
        name = file.stem if number == 1 else f"{file.stem}#{number}"
        damaged = lines.damaged + reader.misplaced if number == 1 else 0
        session = draft.session(NAME, name, lines.stamp, damaged=damaged, torn=lines.torn)
        if number == 1:
            session = lines.with_unknown(session, reader.unknown, reader.version)
        sessions.append(Packed.of(session, left_out))
    return lines.stamp, Reading(sessions=tuple(sessions))


def _read(path: str, reader: SessionReader) -> tuple[Lines, SessionReader]:
    lines = Lines(path, RECORD_START)
    skipped: tuple[bytes, int, int] | None = None
    block = b""
    for line_block, at, end in lines:
        if line_block is not block:
            block = line_block
            if reader.is_full():
                lines.skip_rest(block, at)
                reader.draft.saw(lines.last_time())
                return lines, reader
        if block.startswith(_LOOSE, at):
            if _is_of_no_interest(reader, block, at, end):
                continue
        elif end - at > _SMALL and _is_needless(block, at, end) and is_whole(block, at, end, _LINE_START):
            skipped = block, at, end
            continue
        for record in lines.decode(_records, block[at:end], torn=end == len(block)):
            if reader.take(record):
                skipped = None
    if skipped is not None:
        reader.draft.saw(time_in(*skipped))
    return lines, reader


def _is_of_no_interest(reader: SessionReader, block: bytes, at: int, end: int) -> bool:
    """Return whether a line that begins with its kind is one whole record of a kind that is never used."""
    start = at + len(_LOOSE)
    kind = block[start : block.find(b'"', start, end)]
    if kind in _READ or not is_whole(block, at, end, _LINE_START):
        return False
    if kind not in _KINDS:
        reader.unknown[kind.decode("utf-8", "replace")] += 1
    return True


def _outline(path: Path) -> tuple[Stamp, Reading]:
    """Read only the folder and times of a sub-agent's file: its content is left out."""
    lines = Lines(str(path), RECORD_START)
    reader = SessionReader(path.stem)
    for block, at, end in lines:
        records = lines.decode(_records, block[at:end], torn=end == len(block))
        if any(reader.take(record) and record.cwd for record in records):
            reader.draft.saw(lines.last_time())
            break
    reader.draft.items.clear()
    session = reader.draft.session(NAME, path.stem, lines.stamp, damaged=lines.damaged)
    return lines.stamp, Reading(sessions=(Packed.of(session, LeftOut.SUBAGENT),))


def _is_needless(block: bytes, at: int, end: int) -> bool:
    """Return whether a large line's bytes show that nothing of it is kept: an attachment, or an uneventful result."""
    head = _LARGE.match(block, at, end)
    if head is None:
        return False
    if head["attachment"]:
        return head["attachment"] not in _USED_ATTACHMENTS
    if head["block"] != b"tool_result":
        return False
    if block.rfind(USER_MODIFIED, max(end - _NEAR_THE_END, at), end) >= 0:
        return False
    # After the message comes a copy of the result, which needn't be searched. It starts soon or about half-way.
    start = head.end()
    middle = at + (end - at) * 2 // 5
    copy = block.find(_COPY, start, start + 1000)
    if copy < 0:
        copy = block.find(_COPY, middle, end)
    if block.startswith(_DIALOG, copy + len(_COPY)):
        return False
    if copy < 0 or _BEFORE_COPY.search(block, max(copy - 120, start), copy) is None:
        return all(block.find(sign, start, end) < 0 for sign in (_TEXT, _ERROR, _ANSWERS))
    return _is_uneventful(block, start, copy)


def _is_uneventful(block: bytes, start: int, copy: int) -> bool:
    """Return whether the result between here and its copy is no error and has no text blocks."""
    # Within a text all quotes are escaped, so what looks like a text block is one. A flag is written before or after
    # the result's own text.
    if block.find(_TEXT, start, copy) >= 0:
        return False
    return block.find(_ERROR, start, start + _NEAR) < 0 and block.find(_ERROR, copy - _NEAR, copy) < 0


def _tree(path: str) -> list[Link]:
    """Return the records' places in the tree, of at most as many records as a session can hold."""
    links = (link for link in _whole_links(Lines(path, RECORD_START)) if link.uuid)
    return list(islice(links, MOST_RECORDS))


def _whole_links(lines: Lines) -> Iterator[Link]:
    """Yield the links of undamaged lines: a record without its parent's name would look like a new root."""
    for block, at, end in lines:
        damaged = lines.damaged
        links = lines.decode(_links, block[at:end])
        if lines.damaged == damaged:
            yield from links
