"""Describe the daemon: when the next night is, why one did not run, what is installed."""

from datetime import datetime, timedelta
from typing import Any

from skillopt_sleep.daemon.state import State
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.markdown import visible
from skillopt_sleep.kit.words import when
from skillopt_sleep.settings import Paths, Settings

NEXT = "Next night"
_MISSED = timedelta(days=7)  # so long a day whose night didn't run is told


def daemon_data(paths: Paths, *, now: datetime) -> dict[str, Any]:
    """Return the daemon's part of `status --json`."""
    state = State(paths.state)
    runs, standing, pause, book = state.daemon_runs(), state.standing(), state.pause(), state.backlog()
    data: dict[str, Any] = {
        "running": runs,
        "process": None,
        "next": None,
        "settings": None,
        "paused": None,
        "waiting": None,
        "last": None,
        "missed": None,
    }
    if runs and standing:
        data["process"] = standing.pid
        data["next"] = standing.next if standing.next > now else None
        data["settings"] = standing.settings or None
    if pause is not None and pause.holds(now):
        data["paused"] = {"since": pause.since, "until": pause.until}
    if book.pending:
        data["waiting"] = {"day": book.pending.slot.day, "because": book.pending.waiting}
    if runs and standing and standing.next <= now:
        because = f"{_unaware(standing.pid)}; {_to_wake(standing.pid)}"
        data["waiting"] = {"day": standing.next.astimezone().date(), "because": because}
    if book.last:
        data["last"] = {
            "day": book.last.day,
            "verdict": book.last.verdict or None,
            "because": book.last.because,
        }
    if book.missed and book.missed.day > (now - _MISSED).date():
        data["missed"] = {"day": book.missed.day, "because": book.missed.because}
    return data


def daemon_rows(paths: Paths, *, now: datetime) -> list[tuple[str, str]]:
    """Return the same as rows of `status`, each a label and a text with local times."""
    data = daemon_data(paths, now=now)
    rows = _next_night(paths, data, now=now)
    settings = visible(data["settings"] or "")
    if settings and not rows[0][1].endswith(settings):
        rows.append(("Can't start", settings))
    if data["missed"]:
        rows.append(("Did not run", f"{data['missed']['day']}: {visible(data['missed']['because'])}"))
    return rows


def _next_night(paths: Paths, data: dict[str, Any], *, now: datetime) -> list[tuple[str, str]]:
    paused = _paused(data, now=now)
    if not data["running"]:
        rows = [(NEXT, f"not scheduled. {_not_running(paths)}")]
        if paused:
            rows.append(("", paused))
        return rows
    if paused:
        return [(NEXT, paused)]
    waiting = data["waiting"]
    if waiting and waiting["because"]:
        return [(NEXT, f"that of {waiting['day']} is waiting: {visible(waiting['because'])}")]
    if data["next"]:
        return [(NEXT, when(data["next"], now))]
    return [(NEXT, "soon")]


def _unaware(pid: int) -> str:
    return f"the daemon (process {pid}) hasn't noticed yet that it is time"


def _to_wake(pid: int) -> str:
    return f"if that stays so, let it go on (kill -CONT {pid}) or restart it"


def _paused(data: dict[str, Any], *, now: datetime) -> str:
    if not data["paused"]:
        return ""
    until = data["paused"]["until"]
    if until:
        return f"paused until {when(until, now)}, or until you resume: skillopt-sleep resume"
    return "paused until you resume: skillopt-sleep resume"


def first_step(paths: Paths, settings: Settings) -> str:
    """Return what to try before the first night, "" if a backend is chosen or a daemon is running."""
    if settings.backend.name or State(paths.state).daemon_runs():
        return ""
    return "skillopt-sleep init   (or look first: skillopt-sleep run --example)"


def installed_says(paths: Paths, *, now: datetime) -> tuple[str, str]:
    """Return one line on what is installed and whether the daemon is running, and the command to run if it isn't."""
    from skillopt_sleep.daemon.installed import installed

    status = installed(paths)
    state = State(paths.state)
    runs = state.daemon_runs()
    standing = state.standing()
    parts = ["no service is installed"]
    if status.service:
        parts = [f"installed: {', '.join(status.service)}"]
    parts.append(f"hooks in {' and '.join(status.hooks)}" if status.hooks else "no hooks")
    if not runs:
        parts.append("no daemon is running")
    elif standing and standing.next <= now:
        parts.append(_unaware(standing.pid))
    elif standing:
        parts.append(f"the daemon is running (process {standing.pid})")
    else:
        parts.append("the daemon is running")
    if status.missing:
        parts.append(f"missing: {', '.join(status.missing)}")
    text = "; ".join(parts)
    if runs and standing and standing.next <= now:
        return text, _to_wake(standing.pid)
    if runs and not status.missing:
        return text, ""
    if status.start and not status.missing:
        return text, f"start it: {status.start}"
    return text, "skillopt-sleep install"


def _not_running(paths: Paths) -> str:
    from skillopt_sleep.daemon.installed import installed

    try:
        start = installed(paths).start
    except SleepError as error:
        return f"No daemon is running; {visible(error.message)}"
    if start:
        return f"The service is installed, but not started: {start}"
    return "Turn it on: skillopt-sleep install"
