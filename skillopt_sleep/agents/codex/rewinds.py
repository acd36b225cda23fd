"""Find the rollouts that a rewound session goes on from.

With a rewind, a session goes on in a new file, `rollout-<time>-<session>_<part>.jsonl`. The new file's first line
names the part that it goes on from, and how many bytes of it still hold; if it names none, the session began anew.
"""

import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.agents.codex.records import HistoryBase, decode_line
from skillopt_sleep.agents.transcripts.files import find_sessions
from skillopt_sleep.agents.transcripts.jsonl import COMPRESSED, Records

FOLDERS = ("sessions", "archived_sessions")
ENDINGS = (".jsonl", f".jsonl{COMPRESSED}")
MOST_PARTS = 64
_UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_NAME = re.compile(rf"(?P<session>{_UUID})(?:_(?P<part>{_UUID}))?$")
_UNDERSCORE = -len("_01a2059e-a986-7c03-84e3-7476c42e00f3.jsonl")
_HEAD = 1024 * 1024


class SessionPart(NamedTuple):
    """A file of a session, and how many of its bytes hold; None for all."""

    path: str
    size: int | None = None


def session_in(path: str) -> str:
    """Return the session's id in the name of a rollout, or the whole name if there is none."""
    stem = _stem(path)
    name = _NAME.search(stem)
    return name["session"] if name else stem


def _stem(path: str) -> str:
    """Return the name of a rollout without its endings."""
    return Path(path.removesuffix(COMPRESSED)).stem


def parts(path: str) -> list[SessionPart]:
    """Return what is left of the rollouts that this one goes on from, in order, and itself as the last."""
    found = [SessionPart(path)]
    if path.removesuffix(COMPRESSED)[_UNDERSCORE : _UNDERSCORE + 1] != "_":
        return found
    name = _NAME.search(_stem(path))
    if name is None or not name["part"]:
        return found
    known = {_stem(path)}
    while len(found) < MOST_PARTS and (earlier := _earlier(found[0].path, name["session"])):
        if _stem(earlier.path) in known:
            break
        known.add(_stem(earlier.path))
        found.insert(0, earlier)
    return found


def _earlier(path: str, session: str) -> SessionPart | None:
    """Return what is left of the part of the same session that this one goes on from, if it is there."""
    with suppress(OSError):
        base = _base(path)
        if base and base.thread_id and base.end_byte_offset is not None:
            ending = session if base.thread_id == session else f"{session}_{base.thread_id}"
            for file in _files(path):
                if _stem(file).endswith(f"-{ending}"):
                    return SessionPart(file, base.end_byte_offset)
    return None


def _base(path: str) -> HistoryBase | None:
    """Return what the first line of a rollout says that it goes on from."""
    first = next(iter(Records(path, decode_line, size=_HEAD)), None)
    return first.payload.history_base if first and first.payload else None


def _files(path: str) -> list[str]:
    """Return the files among which another part of this session can be: all of Codex's, or those beside this one."""
    folder = Path(path).parent
    folders = [folder]
    for parent in (folder, *folder.parents):
        if parent.name in FOLDERS:
            folders = [parent.with_name(name) for name in FOLDERS]
            break
    return sorted(found for one in folders for found, _ in find_sessions(str(one), endings=ENDINGS))
