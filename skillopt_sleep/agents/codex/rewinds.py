"""Find the rollouts that a rewound session goes on from.

With a rewind, a session goes on in a new file, `rollout-<time>-<session>_<part>.jsonl`. The new file's first line
names the part that it goes on from, and how many bytes of it still hold; if it names none, the session began anew.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec

from skillopt_sleep.agents.codex.records import RECORD_START, HistoryBase, Line
from skillopt_sleep.agents.transcripts.jsonl import COMPRESSED, Lines

FOLDERS = ("sessions", "archived_sessions")
MOST_PARTS = 64
_UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_NAME = re.compile(rf"(?P<session>{_UUID})(?:_(?P<part>{_UUID}))?$")
_UNDERSCORE = -len("_01a2059e-a986-7c03-84e3-7476c42e00f3.jsonl")
_HEAD = 1024 * 1024
_TIME_DIGITS = 12  # such an id begins with its time, in milliseconds as a hexadecimal number

_lines = msgspec.json.Decoder(Line)


class Part(NamedTuple):
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


def parts(path: str) -> list[Part]:
    """Return what is left of the rollouts that this one goes on from, in order, and itself as the last."""
    found = [Part(path)]
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


def _earlier(path: str, session: str) -> Part | None:
    """Return what is left of the part of the same session that this one goes on from, if it is there."""
    with suppress(OSError):
        base = _base(path)
        if base and base.thread_id and base.end_byte_offset is not None:
            ending = session if base.thread_id == session else f"{session}_{base.thread_id}"
            for file in _candidates(path, base.thread_id):
                if _stem(file).endswith(f"-{ending}"):
                    return Part(file, base.end_byte_offset)
    return None


def _base(path: str) -> HistoryBase | None:
    """Return what the first line of a rollout says that it goes on from."""
    lines = Lines(path, RECORD_START, size=_HEAD)
    for block, at, end in lines:
        for line in lines.decode(_lines, block[at:end]):
            return line.payload.history_base if line.payload else None
    return None


def _candidates(path: str, name: str) -> Iterator[str]:
    """Yield the files in the folders in which the rollout of this name can be: beside this one, or by its day."""
    here = Path(path).parent
    folders = [here]
    for parent in (here, *here.parents):
        if parent.name in FOLDERS:
            roots = [parent.with_name(folder) for folder in FOLDERS]
            folders += [*roots, *(root / day for root in roots for day in _days(name))]
            break
    for folder in dict.fromkeys(folders):
        with suppress(OSError):
            yield from sorted(entry.path for entry in os.scandir(folder))


def _days(name: str) -> list[str]:
    """Return the folders of the day at which an id was made; the day is that of the place, so it may be a day off."""
    try:
        made = datetime.fromtimestamp(int(name.replace("-", "")[:_TIME_DIGITS], 16) / 1000, tz=UTC)
        return [f"{made + timedelta(days=off):%Y/%m/%d}" for off in (0, -1, 1)]
    except (ValueError, OverflowError, OSError):
        return []
