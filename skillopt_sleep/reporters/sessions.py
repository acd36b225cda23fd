"""Say how many sessions a night saw and used, and what became of them."""

from skillopt_sleep.kit.words import counted
from skillopt_sleep.records import CUT_SHORT, NightReport, left_out


def sessions_in_words(report: NightReport) -> str:
    """Return the night's sessions and the requests they became, without counts of nothing."""
    counts = report.sessions
    if not counts.seen:
        return f"None was new. {_requests(report)}".strip()
    seen = counted(counts.seen, "file")
    omitted = f"; left out: {left_out(counts.skipped)}" if counts.skipped else ""
    if report.verdict in CUT_SHORT:
        unread = f"{counts.used} sessions weren't finished: run again to go on with them"
        if counts.used == 1:
            unread = "1 session wasn't finished: run again to go on with it"
        return f"{seen} seen; {unread}{omitted}."
    became = _requests(report) or "No request to ask again came of that."
    return f"{seen} seen, {counted(counts.used, 'session')} used{omitted}. {became}"


def _requests(report: NightReport) -> str:
    """Count the requests by what they are for, "" if there is none."""
    total = sum(report.tasks.values())
    if not total:
        return ""
    learn, decide, kept, waiting = (report.tasks.get(side, 0) for side in ("train", "val", "test", "waiting"))
    sides = f"{learn} to learn from, {decide} to decide with, {kept} kept back"
    if waiting:
        sides += f", {waiting} waiting for a second session"
    return f"{counted(total, 'request')} to ask again: {sides}."
