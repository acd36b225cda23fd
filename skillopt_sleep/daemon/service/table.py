"""What of a crontab is the user's, also where lines of it were lost since we put ours in."""

import os

from skillopt_sleep.daemon.service import cron
from skillopt_sleep.daemon.service.manifest import Item, Ledger
from skillopt_sleep.proposals.paths import digest


def users(item: Item, now: bytes | None, ledger: Ledger) -> bytes | None:
    """The table without our line; the one of before where what is there is only the rest of a write that failed."""
    if digest(now) == item.before:
        return now
    if digest(now) in item.ours or _is_torn(item, now, ledger):
        return ledger.kept(item.before)
    rest = os.fsencode(cron.removed(os.fsdecode(now or b"")))
    return None if not item.before and not rest.strip() else rest


def losses(item: Item, now: bytes | None, *, then: bytes | None, ledger: Ledger) -> str:
    """What to tell of lines that the table had before the install; a table that isn't put back is kept in a file.

    `now` is there, and `then` is what is left of it to the user; "" where nothing was lost.
    """
    if not item.before or not ledger.copy(item.before).exists() or digest(now) in {item.before, *item.ours}:
        return ""
    before = ledger.copy(item.before).read_bytes()
    if digest(then) == item.before:
        return f"the crontab had lost lines of before the install: they are back, from {ledger.copy(item.before)}"
    if set(_lines(before)) <= set(_lines(then or b"")):
        return ""
    copy = ledger.set_aside(f"crontab-before-{item.before[:8]}", before)
    return f"the crontab has no longer all lines of before the install, which stay in {copy}"


def _is_torn(item: Item, now: bytes | None, ledger: Ledger) -> bool:
    """Whether it is empty, or breaks off within a line of what it was or was to be: a person's edit doesn't."""
    data = now or b""
    if not data.strip():
        return True
    copies = [ledger.copy(name) for name in (item.before, *item.ours) if name]
    whole = [copy.read_bytes() for copy in copies if copy.exists()]
    return not data.endswith(b"\n") and any(one.startswith(data) for one in whole)


def _lines(data: bytes) -> list[bytes]:
    return [line for line in data.splitlines() if line.strip()]
