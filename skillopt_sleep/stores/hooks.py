"""Exchange small files with the agents' hooks: their notes about sessions, and how many proposals wait.

An unreadable note counts as missing.
"""

import re
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.files import private_dir, write_atomic
from skillopt_sleep.records import Snapshot
from skillopt_sleep.settings import Paths
from skillopt_sleep.stores.sqlite import SqliteStore

_NAME = re.compile(r"(?P<source>[a-z_]+):(?P<session>[A-Za-z0-9_-]+)")
_COMMIT = re.compile(r"[0-9a-f]{40,64}")


class HookSpool:
    """The notes in a folder, as it was when the first note was read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._listed: dict[str, frozenset[str]] = {}

    def ended(self, session: str) -> datetime | None:
        """Return when the agent reported the session's end, or None if it didn't."""
        try:
            return datetime.fromtimestamp(float(self._note(session, ".ended")), UTC)
        except (ValueError, OverflowError, OSError):
            return None

    def snapshot(self, session: str) -> Snapshot | None:
        """Return the repository and the commit at which the session started, or None."""
        root, _, commit = self._note(session, ".started").strip().rpartition("\n")
        if not root or not _COMMIT.fullmatch(commit):
            return None
        return Snapshot(session=session, root=root, commit=commit)

    def _note(self, session: str, ending: str) -> str:
        """Return what the note says, "" if there is none."""
        match = _NAME.fullmatch(session)
        if match is None:
            return ""
        source, name = match["source"], match["session"] + ending
        if name not in self._names(source):
            return ""
        try:
            return (self._folder / source / name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return ""

    def _names(self, source: str) -> frozenset[str]:
        """List the folder of a source, once: a night looks up every session, and most have no note."""
        if source not in self._listed:
            folder = self._folder / source
            paths = folder.iterdir() if folder.is_dir() else ()
            self._listed[source] = frozenset(path.name for path in paths)
        return self._listed[source]


def keep_waiting(paths: Paths, store: SqliteStore, *, at: datetime) -> None:
    """Write how many proposals wait, without those put off, for the hook that reminds the person once a day.

    If it can't be written, the next command tries again.
    """
    current = to_json({"schema_version": 1, "waiting": len(store.bank.to_decide(at))})
    with suppress(OSError):
        file = private_dir(paths.state) / "proposals_waiting.json"
        if not file.exists() or file.read_bytes() != current:
            write_atomic(file, current)
