"""Read the notes that the agents' hooks leave about sessions; an unreadable note counts as missing."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.records import Snapshot

_NAME = re.compile(r"(?P<source>[a-z_]+):(?P<session>[A-Za-z0-9_-]+)")

Note = TypeVar("Note", bound=msgspec.Struct)
Moment = Annotated[float, Meta(ge=0, le=2**33)]


class _Ended(msgspec.Struct, frozen=True):
    at: Moment


class _Started(msgspec.Struct, frozen=True):
    root: str
    commit: str


class HookSpool:
    """The notes in a folder, as it was when the first note was read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._listed: dict[str, frozenset[str]] = {}

    def ended(self, session: str) -> datetime | None:
        """Return when the agent reported the session's end, or None if it didn't."""
        note = self._note(session, ".ended.json", _Ended)
        if note is None:
            return None
        return datetime.fromtimestamp(note.at, UTC)

    def snapshot(self, session: str) -> Snapshot | None:
        """Return the project's state at the session's start, only its commit if the patch file is gone, or None."""
        note = self._note(session, ".started.json", _Started)
        if note is None:
            return None
        patch = self._folder.joinpath(*session.split(":")).with_suffix(".patch")
        kept = str(patch) if patch.is_file() and patch.stat().st_size else ""
        return Snapshot(session=session, root=note.root, commit=note.commit, patch=kept)

    def _note(self, session: str, ending: str, kind: type[Note]) -> Note | None:
        match = _NAME.fullmatch(session)
        if match is None:
            return None
        source, name = match["source"], match["session"] + ending
        if name not in self._names(source):
            return None
        try:
            return from_json((self._folder / source / name).read_bytes(), kind)
        except (OSError, msgspec.MsgspecError):
            return None

    def _names(self, source: str) -> frozenset[str]:
        """List the folder of a source, once: a night looks up every session, and most have no note."""
        if source not in self._listed:
            folder = self._folder / source
            paths = folder.iterdir() if folder.is_dir() else ()
            self._listed[source] = frozenset(path.name for path in paths)
        return self._listed[source]
