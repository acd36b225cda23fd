"""Tell which part of a crontab is the user's, even if lines were lost since we added ours."""

import os

from skillopt_sleep.daemon.service import cron
from skillopt_sleep.daemon.service.manifest import Item, Ledger
from skillopt_sleep.proposals.paths import digest


def users(item: Item, now: bytes | None, ledger: Ledger) -> bytes | None:
    """Return the table without our line, or the saved one if what is there is only the rest of a failed write."""
    if digest(now) == item.before:
        return now
    if digest(now) in item.ours or _is_torn(item, now, ledger):
        return ledger.saved(item.before)
    rest = os.fsencode(cron.remove_line(os.fsdecode(now or b"")))
    if not item.before and not rest.strip():
        return None
    return rest


def losses(item: Item, now: bytes | None, *, then: bytes | None, ledger: Ledger) -> str:
    """Return a message about lines that the table lost since the install, or "" if it lost none.

    `now` is there, and `then` is the user's part of it; if that lacks lines, the old table is saved in a file.
    """
    if not item.before or not ledger.copy(item.before).exists() or digest(now) in {item.before, *item.ours}:
        return ""
    before = ledger.copy(item.before).read_bytes()
    if digest(then) == item.before:
        return f"the crontab had lost lines since the install: they are restored from {ledger.copy(item.before)}"
    if set(_lines(before)) <= set(_lines(then or b"")):
        return ""
    copy = ledger.set_aside(f"crontab-before-{item.before[:8]}", before)
    return f"the crontab lost lines since the install; the old table is saved in {copy}"


def _is_torn(item: Item, now: bytes | None, ledger: Ledger) -> bool:
    """Return whether the table is empty, or stops within a line of what it was or should be: no person edits so."""
    data = now or b""
    if not data.strip():
        return True
    if data.endswith(b"\n"):
        return False
    for name in (item.before, *item.ours):
        if name and ledger.copy(name).exists() and ledger.copy(name).read_bytes().startswith(data):
            return True
    return False


def _lines(data: bytes) -> list[bytes]:
    return [line for line in data.splitlines() if line.strip()]
