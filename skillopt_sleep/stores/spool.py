"""The spool: what the agents' hooks noted of sessions. They are notes, so one that can't be read isn't there."""

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
    complete: bool


class HookSpool:
    """The notes in this folder, those that are there when the first one is asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._there: dict[str, frozenset[str]] = {}

    def ended(self, session: str) -> datetime | None:
        """When its agent said that it is over."""
        note = self._note(session, ".ended.json", _Ended)
        return datetime.fromtimestamp(note.at, UTC) if note else None

    def snapshot(self, session: str) -> Snapshot | None:
        """The project as it found it; of a patch that is gone, the commit alone."""
        note = self._note(session, ".started.json", _Started)
        if note is None:
            return None
        patch = self._folder.joinpath(*session.split(":")).with_suffix(".patch")
        size = patch.stat().st_size if patch.is_file() else None
        return Snapshot(
            session=session,
            root=note.root,
            commit=note.commit,
            patch=str(patch) if size else "",
            complete=note.complete and size is not None,
        )

    def _note(self, session: str, ending: str, kind: type[Note]) -> Note | None:
        named = _NAME.fullmatch(session)
        if named is None:
            return None
        folder, name = self._folder / named["source"], named["session"] + ending
        if name not in self._names(folder):
            return None
        try:
            return from_json((folder / name).read_bytes(), kind)
        except (OSError, msgspec.MsgspecError):
            return None

    def _names(self, folder: Path) -> frozenset[str]:
        """What is in the folder, listed once: most sessions have no note, and a night asks for all of them."""
        if folder.name not in self._there:
            found = folder.iterdir() if folder.is_dir() else ()
            self._there[folder.name] = frozenset(path.name for path in found)
        return self._there[folder.name]
