"""skillopt-sleep daemon, pause, resume and cancel: nights that run by themselves."""

import re
import time
from datetime import timedelta
from typing import Annotated

import typer

from skillopt_sleep.cli.console import say
from skillopt_sleep.errors import ConfigError, NightLocked
from skillopt_sleep.kit.clock import shown, utc_now
from skillopt_sleep.settings import find_paths, seconds

_LENGTH = re.compile(r"[1-9][0-9]{0,4}[smhd]")
# How long a night may take to end softly: calls of a program end in two seconds, those of an API when answered.
_CANCEL_SECONDS = 8.0
_TICK = 0.05


def daemon() -> None:
    """Wait in the foreground and run every night; the service calls this."""
    from skillopt_sleep.daemon.loop import Daemon
    from skillopt_sleep.daemon.upgrade import go_on_as_new
    from skillopt_sleep.kit.log import log_to

    paths = find_paths()
    log_to(paths.log)
    say("waiting for the night; Ctrl-C ends it. What it does: skillopt-sleep status, and skillopt-sleep logs -f")
    if Daemon(paths).run():
        go_on_as_new()


def pause(
    length: Annotated[str, typer.Argument(help="For how long: 12h, 7d; until you resume if left out.")] = "",
) -> None:
    """Let no night begin by itself until you resume, or for so long."""
    from skillopt_sleep.daemon.state import Pause, State

    if length and not _LENGTH.fullmatch(length):
        raise ConfigError(f"{length!r} is no length of time", remedy="a number with s, m, h or d, such as 12h or 7d")
    now = utc_now()
    until = now + timedelta(seconds=seconds(length)) if length else None
    State(find_paths().state).write("pause", Pause(since=now, until=until))
    said = f"until {shown(until)}" if until else "until you resume"
    say(f"No night begins by itself {said}; a night that runs goes on (stop it: skillopt-sleep cancel).")
    say("Take it back: skillopt-sleep resume")


def resume() -> None:
    """Let nights begin by themselves again."""
    from skillopt_sleep.daemon.state import State

    was = State(find_paths().state).forget("pause")
    say("Nights begin by themselves again." if was else "Nothing was paused.")


def cancel() -> None:
    """Stop the night that runs; what was paid for is kept, and the next one goes on with it."""
    from skillopt_sleep.daemon.state import Cancel, State, ask_to_end, end_now
    from skillopt_sleep.stores.glance import held_by, is_running

    paths = find_paths()
    pid = held_by(paths.data)
    if pid is None:
        if is_running(paths.data):
            raise NightLocked(
                "the night's lock is held, but its process can't be told: nothing was stopped",
                remedy="try again in a moment",
            )
        say("No night runs.")
        return
    State(paths.state).write("cancelled", Cancel(pid=pid, at=utc_now()))
    for end in (ask_to_end, end_now):
        end(pid)
        until = time.monotonic() + _CANCEL_SECONDS
        while held_by(paths.data) == pid and time.monotonic() < until:
            time.sleep(_TICK)
        if held_by(paths.data) != pid:
            break
    say("The night was stopped. What was paid for is kept, and the next one goes on with it.")
