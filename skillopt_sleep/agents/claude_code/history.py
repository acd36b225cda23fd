"""Claude Code's own list of prompts, <config dir>/history.jsonl: which parts of a turn were pasted, what has no file.

In a session's file a paste is part of the prompt, without any mark. A line of this list holds the prompt as it was
shown, with a placeholder for each larger paste, and beside it what was pasted; from 1,025 characters on that is in
paste-cache/, in a file named after its hash. A line counts only if it gives exactly the text of the session's turn.
"""

import hashlib
import re
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from skillopt_sleep.agents.claude_code.program import PROMPT_LIST
from skillopt_sleep.agents.transcripts.files import find_sessions, stamp_of
from skillopt_sleep.agents.transcripts.jsonl import Records
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.kit.files import read_plain, readable
from skillopt_sleep.kit.words import counted
from skillopt_sleep.records import Note, Stamp

Spans = tuple[tuple[int, int], ...]
Pastes = Mapping[str, Spans]
NO_PASTES: Pastes = MappingProxyType({})

# Of a longer list only the last prompts with pastes are kept: so many characters.
MOST_KEPT = 16 * 1024 * 1024
LONGEST_PROMPT = 4_000_000
_YEAR_10000 = 253_402_300_800_000  # in milliseconds; no date is later
_MOST_SETTINGS = 16 * 1024 * 1024

_PLACEHOLDER = re.compile(r"\[Pasted text #(\d{1,9})(?: \+\d{1,9} lines)?\.*\]")
_HASH = re.compile(r"[0-9a-f]{16}")


class PromptHistory(NamedTuple):
    """The list of prompts in a configuration folder, as it was when it was looked at."""

    folder: str
    stamp: Stamp

    @classmethod
    def of(cls, folder: Path) -> "PromptHistory":
        """Return the list of this folder as it is now; whether there is one shows when it is read."""
        return cls(str(folder), stamp_of(_list_in(str(folder))))


class Paste(msgspec.Struct, rename="camel", gc=False):
    """Something that was pasted into a prompt: its text, or the hash of a longer one."""

    type: str = ""
    content: str | None = None
    content_hash: str | None = None


class PromptHistoryLine(msgspec.Struct, rename="camel", gc=False):
    """One line of the list: a prompt as it was shown, and what was pasted into it, by number.

    `timestamp` is in milliseconds, `project` the folder; an old version wrote no session.
    """

    display: str = ""
    timestamp: float = 0.0
    project: str = ""
    pasted_contents: dict[str, Paste] = {}
    session_id: str = ""


class _Settings(msgspec.Struct):
    """The setting that says how many days Claude Code keeps a session's file."""

    cleanup: int = msgspec.field(default=30, name="cleanupPeriodDays")


decode_prompt = msgspec.json.Decoder(PromptHistoryLine).decode


def pastes_of(session: str, history: PromptHistory) -> Pastes:
    """Return what was pasted in the prompts of a session, by the prompt's text without blanks at its ends.

    Two prompts that give the same text in different ways tell nothing.
    """
    known: dict[str, Spans] = {}
    unclear: set[str] = set()
    for prompt in _by_session(history).get(session, ()):
        text, spans = expanded(prompt, Path(history.folder))
        if spans and known.setdefault(text, spans) != spans:
            unclear.add(text)
    return {text: spans for text, spans in known.items() if text not in unclear}


def pasted_in(text: str, pastes: Pastes) -> Spans:
    """Return the parts of a typed text that were pasted, or none if that isn't known."""
    spans = pastes.get(text.strip(), ()) if pastes else ()
    before = len(text) - len(text.lstrip())
    return tuple((start + before, end + before) for start, end in spans)


@lru_cache(maxsize=1)
def _by_session(history: PromptHistory) -> Mapping[str, Sequence[PromptHistoryLine]]:
    """Return the prompts into which something was pasted, by session; those that can't be read are passed over."""
    kept: deque[tuple[int, PromptHistoryLine]] = deque()
    size = 0
    try:
        for prompt in Records(_list_in(history.folder), decode_prompt):
            if not prompt.session_id or not prompt.pasted_contents:
                continue
            length = len(prompt.display) + sum(len(paste.content or "") for paste in prompt.pasted_contents.values())
            kept.append((length, prompt))
            size += length
            while size > MOST_KEPT:
                size -= kept.popleft()[0]
    except OSError:
        pass  # what is missing is guessed, as it is for a session without a list
    found: dict[str, list[PromptHistoryLine]] = {}
    for _, prompt in kept:
        found.setdefault(prompt.session_id, []).append(prompt)
    return found


def lost(home: Path) -> Iterator[Note]:
    """Yield a note on the sessions that were deleted for their age, and one on newer ones without a file."""
    typed: dict[str, list[float]] = {}
    days = _Settings().cleanup
    with suppress(OSError):
        for prompt in Records(_list_in(str(home)), decode_prompt):
            # A command such as /exit alone makes no session.
            if prompt.session_id and not prompt.display.startswith("/"):
                when = prompt.timestamp if 0 < prompt.timestamp < _YEAR_10000 else 0.0
                typed.setdefault(prompt.session_id, []).append(when)
    with suppress(msgspec.DecodeError):
        days = from_json(readable(home / "settings.json", most=_MOST_SETTINGS), _Settings).cleanup
    saved = {Path(path).stem for path, _ in find_sessions(str(home / "projects"))} if typed else set[str]()
    last_saved = max((max(times) for name, times in typed.items() if name in saved), default=0.0)
    missing = [times for name, times in typed.items() if name not in saved]
    cut = (time.time() - days * 86_400) * 1000
    if len(missing) > 1 and not saved and min(map(min, missing)) > 0 and max(map(max, missing)) < cut:
        cut = 0.0  # saving may be switched off, however old they are
    deleted = [times for times in missing if max(times) < cut]
    others = [times for times in missing if max(times) >= cut]
    if deleted:
        gone = f"{counted(len(deleted), 'session')} in your history without a file"
        summary = f"{gone}; Claude Code deletes them after {counted(days, 'day')}, and only what you typed is read"
        remedy = f"to keep them longer, raise cleanupPeriodDays in {home / 'settings.json'}"
        yield Note(stage="harvest", summary=summary, remedy=remedy, expected=True)
    if others:
        summary = f"{_typed_since(others)}: of {counted(len(others), 'session')} without a file"
        remedy = "unless you deleted them, unset CLAUDE_CODE_CHILD_SESSION where you start it"
        unsaved = [times for times in others if min(times) > last_saved]
        # A single one may well have been deleted by hand.
        yield Note(stage="harvest", summary=summary, remedy=remedy, expected=len(unsaved) <= 1)


def _typed_since(sessions: Sequence[Sequence[float]]) -> str:
    """Count the prompts of these sessions, each given by its times, with the day of the first."""
    since = f"{datetime.fromtimestamp(min(map(min, sessions)) / 1000, tz=UTC):%d %b %Y}"
    return f"{counted(sum(map(len, sessions)), 'prompt')} typed in Claude Code since {since}"


def _list_in(folder: str) -> str:
    return str(Path(folder, PROMPT_LIST))


def expanded(prompt: PromptHistoryLine, folder: Path) -> tuple[str, Spans]:
    """Return the prompt with its pastes in place of the placeholders, without blanks at its ends, and where they are.

    Placeholders are looked for in what was shown only, never in what was pasted. Without the contents of one of them
    nothing is known.
    """
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    at = 0
    size = 0
    for match in _PLACEHOLDER.finditer(prompt.display):
        paste = prompt.pasted_contents.get(match[1])
        if paste is None or paste.type != "text":
            continue
        content = _content(paste, folder)
        start = size + match.start() - at
        size = start + len(content)
        if not content or size > LONGEST_PROMPT:
            return "", ()
        parts += [prompt.display[at : match.start()], content]
        spans.append((start, size))
        at = match.end()
    return _stripped("".join((*parts, prompt.display[at:])), spans)


def _stripped(text: str, spans: Sequence[tuple[int, int]]) -> tuple[str, Spans]:
    """Return the text without blanks at its ends, and the spans in it that are left."""
    bare = text.strip()
    before = len(text) - len(text.lstrip())
    left: list[tuple[int, int]] = []
    for start, end in spans:
        inner = max(start - before, 0), min(end - before, len(bare))
        if inner[0] < inner[1]:
            left.append(inner)
    return bare, tuple(left)


def _content(paste: Paste, folder: Path) -> str:
    """Return the text of a paste, or "" if it isn't there any more or isn't the one that was pasted."""
    if paste.content or not paste.content_hash or not _HASH.fullmatch(paste.content_hash):
        return paste.content or ""
    file = folder / "paste-cache" / f"{paste.content_hash}.txt"
    try:
        data = read_plain(file, most=4 * LONGEST_PROMPT, inside=folder)
        is_it = hashlib.sha256(data).hexdigest().startswith(paste.content_hash)
        return data.decode() if is_it else ""
    except (OSError, UnicodeDecodeError):
        return ""
