"""Say how many sessions a night saw and used, and what became of them."""

from skillopt_sleep.records import CUT_SHORT, NightReport, left_out


def sessions_in_words(report: NightReport) -> str:
    """Return the night's sessions and the requests they became, without counts of nothing."""
    counts = report.sessions
    if not counts.seen:
        return f"None was new. {_requests(report)}".strip()
    seen = "1 file" if counts.seen == 1 else f"{counts.seen} files"
    omitted = f"; left out: {left_out(counts.skipped)}" if counts.skipped else ""
    if report.verdict in CUT_SHORT:
        unread = f"{counts.used} sessions weren't finished: run again to go on with them"
        if counts.used == 1:
            unread = "1 session wasn't finished: run again to go on with it"
        return f"{seen} seen; {unread}{omitted}."
    requests = _requests(report)
    became = f"They became {requests}" if requests else "No request to ask again came of them."
    used = "1 session" if counts.used == 1 else f"{counts.used} sessions"
    return f"{seen} seen, {used} used{omitted}. {became}"


def _requests(report: NightReport) -> str:
    """Count the requests by what they are for, "" if there is none."""
    total = sum(report.tasks.values())
    if not total:
        return ""
    learn, decide, kept = (report.tasks.get(side, 0) for side in ("train", "val", "test"))
    requests = "1 request" if total == 1 else f"{total} requests"
    return f"{requests} to ask again: {learn} to learn from, {decide} to decide with, {kept} kept back."
