"""Describe the daemon: when the next night is, why one did not run, what is installed."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from skillopt_sleep import __version__
from skillopt_sleep.daemon.service.service_file import installed, start_by_hand
from skillopt_sleep.daemon.state import DaemonState
from skillopt_sleep.kit.markdown import visible
from skillopt_sleep.kit.words import when
from skillopt_sleep.settings import Paths, Settings

NEXT = "Next night"
_MISSED = timedelta(days=7)  # so long a day whose night didn't run is told


def daemon_data(paths: Paths, *, now: datetime) -> dict[str, Any]:
    """Return the daemon's part of `status --json`."""
    state = DaemonState(paths.state)
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
        return f"paused until {when(until, now)}, or until you end it: skillopt-sleep pause --off"
    return "paused until you end it: skillopt-sleep pause --off"


def first_step(paths: Paths, settings: Settings) -> str:
    """Return what to try before the first night, "" if a backend is chosen or a daemon is running."""
    if settings.backend.name or DaemonState(paths.state).daemon_runs():
        return ""
    return "skillopt-sleep init   (or look first: skillopt-sleep run --example)"


def installed_says(paths: Paths, environ: Mapping[str, str], *, now: datetime) -> tuple[str, str]:
    """Return one line on what is installed and whether the daemon is running, and the command to run if it isn't."""
    file = installed(paths, environ)
    state = DaemonState(paths.state)
    runs = state.daemon_runs()
    standing = state.standing()
    says = f"installed: {file}" if file else "no service is installed"
    if not runs:
        start = f"start it: {start_by_hand(file)}" if file else "skillopt-sleep install"
        return f"{says}; no daemon is running", start
    if standing and standing.next <= now:
        return f"{says}; {_unaware(standing.pid)}", _to_wake(standing.pid)
    number = f" (process {standing.pid})" if standing else ""
    if standing and standing.version != __version__:
        restart = "skillopt-sleep install" if file else "restart it to have the new version"
        return f"{says}; the daemon{number} is still version {standing.version}", restart
    return f"{says}; the daemon is running{number}", ""


def _not_running(paths: Paths) -> str:
    file = installed(paths)
    if file:
        return f"The service is installed, but not started: {start_by_hand(file)}"
    return "Turn it on: skillopt-sleep install"
