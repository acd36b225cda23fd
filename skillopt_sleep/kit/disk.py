"""Describe a failure to read or write a file or the store, so that a full disk is named the same way everywhere."""

import errno
import shutil
import sqlite3
from pathlib import Path

ROOM = "make room there, then do the same again"
_FULL = {errno.ENOSPC: "the disk is full", errno.EDQUOT: "your quota of the disk is used up"}
# SQLite doesn't always say why a write failed. If there is less room than this, that was why.
_LEAST_ROOM = 64 * 1024
_UNEXPLAINED = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})


def worded(error: OSError | sqlite3.Error, *, remedy: str, place: Path | None = None) -> tuple[str, str]:
    """Return what happened at the place and what to do about it: `remedy`, unless the disk is full."""
    if isinstance(error, OSError):
        where = str(place or error.filename or "the disk")
        full = _FULL.get(error.errno or 0, "")
        reason = error.strerror or str(error)
    else:
        where = str(place or "the store")
        full = _FULL[errno.ENOSPC] if _has_no_room(error, place) else ""
        reason = str(error)
    if full:
        return f"{where}: {full}", ROOM
    return f"{where}: {reason}", remedy


def _has_no_room(error: sqlite3.Error, place: Path | None) -> bool:
    """Tell whether SQLite failed because the disk is full, by its own message or by the free space."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
    if code not in _UNEXPLAINED or place is None:
        return code == sqlite3.SQLITE_FULL
    for folder in place.parents:
        if folder.is_dir():
            return shutil.disk_usage(folder).free < _LEAST_ROOM
    return False
