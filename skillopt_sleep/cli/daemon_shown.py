"""What is said of the daemon: the next night, why one did not run, what is installed."""

from datetime import datetime
from typing import Any

from skillopt_sleep.daemon.state import State
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.clock import shown
from skillopt_sleep.kit.markdown import visible
from skillopt_sleep.settings import Paths, Settings


def daemon_data(paths: Paths, *, now: datetime) -> dict[str, Any]:
    """The daemon's part of `status --json`."""
    state = State(paths.state)
    runs, standing, pause, book = state.daemon_runs(), state.standing(), state.pause(), state.backlog()
    paused = pause if pause is not None and pause.holds(now) else None
    return {
        "running": runs,
        "process": standing.pid if runs and standing else None,
        "next": standing.next if runs and standing else None,
        "settings": (standing.settings or None) if runs and standing else None,
        "paused": {"since": paused.since, "until": paused.until} if paused else None,
        "waiting": {"day": book.pending.slot.day, "because": book.pending.waiting} if book.pending else None,
        "last": {"day": book.last.day, "verdict": book.last.verdict or None, "because": book.last.because}
        if book.last
        else None,
        "missed": {"day": book.missed.day, "because": book.missed.because} if book.missed else None,
    }


def daemon_lines(paths: Paths, *, now: datetime) -> list[str]:
    """The same for people; times are local."""
    said = daemon_data(paths, now=now)
    paused = ""
    if said["paused"]:
        until = said["paused"]["until"]
        paused = f"paused until {f'{shown(until)}, or ' if until else ''}you resume: skillopt-sleep resume"
    if not said["running"]:
        lines = [f"Next night   none by itself: {_not_running(paths)}"]
        lines += [f"             {paused}"] if paused else []
    elif paused:
        lines = [f"Next night   {paused}"]
    elif said["waiting"] and said["waiting"]["because"]:
        waiting = said["waiting"]
        lines = [f"Next night   that of {waiting['day']} waits: {visible(waiting['because'])}"]
    else:
        lines = [f"Next night   {shown(said['next'])}" if said["next"] else "Next night   soon"]
    if said["settings"] and not lines[0].endswith(visible(said["settings"])):
        lines.append(f"Can't begin  {visible(said['settings'])}")
    if said["missed"]:
        missed = said["missed"]
        lines.append(f"Did not run  {missed['day']}: {visible(missed['because'])}")
    return lines


def first_step(paths: Paths, settings: Settings) -> str:
    """What somebody who has had no night yet may try; "" where a backend is named or a daemon waits."""
    if settings.backend.name or State(paths.state).daemon_runs():
        return ""
    return "skillopt-sleep run --now --example"


def installed_says(paths: Paths) -> tuple[str, str]:
    """What is installed and whether a daemon waits, in one line, and what to run where none does."""
    from skillopt_sleep.daemon.installed import installed

    found, state = installed(paths), State(paths.state)
    standing = state.standing()
    runs = state.daemon_runs()
    service = f"installed: {', '.join(found.service)}" if found.service else "no service is installed"
    hooks = f"hooks in {' and '.join(found.hooks)}" if found.hooks else "no hooks"
    waits = f"a daemon waits{f' (process {standing.pid})' if standing else ''}" if runs else "no daemon waits"
    missing = f"; missing: {', '.join(found.missing)}" if found.missing else ""
    start = f"start it: {found.start}" if found.start and not missing else "skillopt-sleep install"
    return f"{service}; {hooks}; {waits}{missing}", start if missing or not runs else ""


def _not_running(paths: Paths) -> str:
    from skillopt_sleep.daemon.installed import installed

    try:
        start = installed(paths).start
    except SleepError as error:
        return f"no daemon waits; {visible(error.message)}"
    if start:
        return f"installed, not started: {start}"
    return "no daemon waits (skillopt-sleep install, or skillopt-sleep daemon)"
