"""What is said where a file or the store can't be used: in one place, so that a full disk is called one each time."""

import errno
import shutil
import sqlite3
from pathlib import Path

ROOM = "make room there, then do the same again"
_FULL = {errno.ENOSPC: "the disk is full", errno.EDQUOT: "your quota of the disk is used up"}
# SQLite doesn't always tell why a write failed. With less than this it was for want of room.
_LEAST = 64 * 1024
_UNSAID = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})


def worded(error: OSError | sqlite3.Error, *, remedy: str, place: Path | None = None) -> tuple[str, str]:
    """What happened at the place and what to do about it; `remedy` is for all but a full disk."""
    if isinstance(error, OSError):
        where = place or error.filename or "the disk"
        full = _FULL.get(error.errno or 0, "")
        return f"{where}: {full or error.strerror or error}", ROOM if full else remedy
    full = _FULL[errno.ENOSPC] if _has_no_room(error, place) else ""
    return f"{place or 'the store'}: {full or error}", ROOM if full else remedy


def _has_no_room(error: sqlite3.Error, place: Path | None) -> bool:
    """Whether SQLite failed for want of room, as it says or as the disk shows."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
    if code not in _UNSAID or place is None:
        return code == sqlite3.SQLITE_FULL
    above = next((folder for folder in place.parents if folder.is_dir()), None)
    return above is not None and shutil.disk_usage(above).free < _LEAST
