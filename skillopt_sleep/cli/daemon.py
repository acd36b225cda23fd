"""The commands `daemon`, `pause`, `resume` and `cancel`: nights that start automatically."""

import time
from typing import Annotated

import typer

from skillopt_sleep.cli.console import say, say_row
from skillopt_sleep.errors import NightLocked
from skillopt_sleep.kit.clock import shown, utc_now
from skillopt_sleep.settings import find_paths, length

# How long a night may take to stop: an agent program ends in two seconds, an API call when it is answered.
_CANCEL_SECONDS = 8.0
_TICK = 0.05


def daemon() -> None:
    """Stay in the foreground and start each night at its time. The installed service runs this."""
    from skillopt_sleep.daemon.loop import Daemon
    from skillopt_sleep.daemon.upgrade import go_on_as_new
    from skillopt_sleep.kit.log import log_to

    paths = find_paths()
    log_to(paths.log)
    say("Waiting for the next night; stop with Ctrl-C. To follow it: skillopt-sleep status, skillopt-sleep logs -f")
    if Daemon(paths).run():
        go_on_as_new()


def pause(
    for_: Annotated[
        str, typer.Argument(metavar="LENGTH", help="How long, as in 12h or 7d; until you resume by default.")
    ] = "",
) -> None:
    """Stop starting nights automatically, for a given time or until you resume."""
    from skillopt_sleep.daemon.state import Pause, State

    now = utc_now()
    until, end = None, "until you resume"
    if for_:
        until = now + length(for_)
        end = f"until {shown(until)}"
    State(find_paths().state).write("pause", Pause(since=now, until=until))
    say(f"Paused: no night starts automatically {end}. A running night goes on (stop it: skillopt-sleep cancel).")
    say("Undo: skillopt-sleep resume")


def resume() -> None:
    """Start nights automatically again."""
    from skillopt_sleep.daemon.shown import daemon_rows
    from skillopt_sleep.daemon.state import State

    paths = find_paths()
    if not State(paths.state).forget("pause"):
        say("Nothing was paused.")
        return
    say("No longer paused.")
    say_row(*daemon_rows(paths, now=utc_now())[0])


def cancel() -> None:
    """Stop the running night. Paid results are kept, and the next night continues from them."""
    from skillopt_sleep.daemon.state import Cancel, State, ask_to_end, end_now
    from skillopt_sleep.stores.glance import held_by, is_running

    paths = find_paths()
    pid = held_by(paths.data)
    if pid is None:
        if is_running(paths.data):
            raise NightLocked(
                "a night is running, but its process is unknown, so nothing was stopped",
                remedy="try again in a moment",
            )
        say("No night is running.")
        return
    State(paths.state).write("cancelled", Cancel(pid=pid, at=utc_now()))
    for end in (ask_to_end, end_now):
        end(pid)
        deadline = time.monotonic() + _CANCEL_SECONDS
        while held_by(paths.data) == pid and time.monotonic() < deadline:
            time.sleep(_TICK)
        if held_by(paths.data) != pid:
            break
    say("Stopped the night. Paid results are kept, and the next night continues from them.")
