"""The commands `daemon` and `pause`: nights that start automatically."""

import signal
import time
from typing import Annotated

import typer

from skillopt_sleep.cli.console import say, say_row
from skillopt_sleep.daemon.loop import Daemon
from skillopt_sleep.daemon.state import Cancel, DaemonState, Pause, end
from skillopt_sleep.daemon.status import daemon_rows
from skillopt_sleep.errors import ConfigError, NightLocked
from skillopt_sleep.kit.clock import to_the_minute, utc_now
from skillopt_sleep.kit.log import log_to
from skillopt_sleep.settings import find_paths, length
from skillopt_sleep.stores.running import held_by, is_running

# How long a night may take to stop: an agent program ends in two seconds, an API call when it is answered.
_CANCEL_SECONDS = 8.0
_TICK = 0.05


def daemon() -> None:
    """Stay in the foreground and start each night at its time. The installed service runs this."""
    paths = find_paths()
    log_to(paths.log)
    say("Waiting for the next night; stop with Ctrl-C. To follow it: skillopt-sleep status, skillopt-sleep logs -f")
    Daemon(paths).run()


def pause(
    for_: Annotated[
        str, typer.Argument(metavar="LENGTH", help="How long, as in 12h or 7d; until `pause --off` by default.")
    ] = "",
    *,
    off: Annotated[bool, typer.Option("--off", help="Start nights automatically again.")] = False,
    now: Annotated[
        bool, typer.Option("--now", help="Stop the running night; pause later ones only for a named length.")
    ] = False,
) -> None:
    """Stop starting nights automatically; --now stops the running one.

    The next night continues from the paid results of a stopped one.
    """
    if off and (now or for_):
        raise ConfigError("--off ends a pause, so nothing else goes with it", remedy="use it alone")
    if off:
        _resume()
        return
    if now:
        _stop_night()
    if for_ or not now:
        _pause(for_)


def _pause(for_: str) -> None:
    """Let no night start by itself, for a length of time or until the pause is ended."""
    now = utc_now()
    until, end = None, "until you end it"
    if for_:
        until = now + length(for_)
        end = f"until {to_the_minute(until)}"
    DaemonState(find_paths().state).write("pause", Pause(since=now, until=until))
    say(f"Paused: no night starts automatically {end}. A running night goes on; stop it: skillopt-sleep pause --now")
    say("End the pause: skillopt-sleep pause --off")


def _resume() -> None:
    """End the pause, and say when the next night is."""
    paths = find_paths()
    if not DaemonState(paths.state).forget("pause"):
        say("Nothing was paused.")
        return
    say("No longer paused.")
    say_row(*daemon_rows(paths, now=utc_now())[0])


def _stop_night() -> None:
    """End the process of the running night."""
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
    DaemonState(paths.state).write("cancelled", Cancel(pid=pid))
    for number in (signal.SIGTERM, signal.SIGKILL):
        end(pid, number)
        deadline = time.monotonic() + _CANCEL_SECONDS
        while held_by(paths.data) == pid and time.monotonic() < deadline:
            time.sleep(_TICK)
        if held_by(paths.data) != pid:
            break
    say("Stopped the night. Paid results are kept, and the next night continues from them.")
