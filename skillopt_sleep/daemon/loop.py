"""Wait for the next slot, and start a night when one is due and nothing stands in its way."""

import logging
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime, time as time_of_day, timedelta, tzinfo
from queue import Empty, SimpleQueue
from types import FrameType
from typing import NamedTuple

from skillopt_sleep import __version__
from skillopt_sleep.daemon.backlog import (
    Backlog,
    Pending,
    after_night,
    upcoming,
    update,
    with_reason,
    without_delay,
)
from skillopt_sleep.daemon.child import Child, night_command
from skillopt_sleep.daemon.conditions import LONGEST_WAIT, in_use, lacking, on_battery
from skillopt_sleep.daemon.schedule import Slot
from skillopt_sleep.daemon.state import Cancel, Standing, State
from skillopt_sleep.daemon.timer import Timer
from skillopt_sleep.daemon.upgrade import Upgrade
from skillopt_sleep.daemon.watcher import Changes, Refresh, Watcher
from skillopt_sleep.daemon.zone import local_zone
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.log import tell
from skillopt_sleep.records import Outcome
from skillopt_sleep.settings import DaemonSettings, Paths, Settings, load, seconds
from skillopt_sleep.stores.glance import held_by, last_finished
from skillopt_sleep.wiring import session_folders

LOOK_SECONDS = 60.0
# If the wall clock and the monotonic clock differ by more, the clock was set or the machine slept.
JUMP_SECONDS = 5.0
# A retry that is further away than this was planned while the clock was wrong.
_LONGEST_RETRY = timedelta(days=1)
_STOP_SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)]


class Obstacle(NamedTuple):
    """An obstacle that a night waits for; `kind` stays the same while only the times in the message change."""

    kind: str
    message: str


class Daemon:
    """One user's daemon; the optional arguments replace, in tests, what it would ask the machine for."""

    def __init__(
        self,
        paths: Paths,
        *,
        environ: Mapping[str, str] = os.environ,
        clock: Callable[[], datetime] = utc_now,
        zone: Callable[[], tzinfo] = local_zone,
        battery: Callable[[], bool] = on_battery,
        command: Sequence[str] = (),
        changes: Changes | None = None,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._paths = paths
        self._environ = environ
        self._clock = clock
        self._zone = zone
        self._battery = battery
        self._command = command or night_command()
        self._look_seconds = look_seconds
        self._state = State(paths.state)
        self._since = clock()
        self._wakes: SimpleQueue[None] = SimpleQueue()  # the one way to wake a thread that a signal handler may use
        self._stopping = False
        self._night: tuple[Child, Slot] | None = None
        self._timer = Timer(self._wake)
        self._timer_set_to: tuple[time_of_day, tzinfo] | None = None
        self._wall_time = clock()
        self._monotonic_time = time.monotonic()
        self._upgrade = Upgrade()
        self._changes = changes or Changes()
        self._settings = Settings()
        self._lacking = ""
        self._obstacle_kind = ""
        self._standing: Standing | None = None
        self._backlog = Backlog()

    def run(self) -> bool:
        """Wait and run nights until stopped; return True if the program was upgraded and must be restarted.

        Raises NightLocked if another daemon is running.
        """
        with ExitStack() as stack:
            stack.enter_context(self._state.only_daemon())
            for number in _STOP_SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP
                    signal.signal(number, self._stop)
            self._backlog = self._state.backlog()
            self._timer.start()
            stack.callback(self._timer.stop)
            watcher = Watcher(session_folders(self._load() or Settings(), self._environ), self._changes)
            stack.callback(watcher.stop)
            refresh = Refresh(self._paths.state, self._environ)
            stack.callback(refresh.stop)
            tell("daemon started", version=__version__)
            while not self._stopping:
                try:
                    if self._look(watcher, refresh):
                        tell("daemon restarts as the new version")
                        return True
                except Exception as error:  # noqa: BLE001 - the boundary: a bug spoils one look, not all to come
                    tell("a bug", level=logging.ERROR, error=error)
                self._rest()
            self._stop_night()
        tell("daemon stopped")
        return False

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stopping = True
        self._wakes.put(None)

    def _wake(self) -> None:
        self._wakes.put(None)

    def _rest(self) -> None:
        """Wait for an event, but not for long: no timer notices a suspend or a clock that was set."""
        try:
            self._wakes.get(timeout=self._look_seconds)
            while True:
                self._wakes.get_nowait()
        except Empty:
            return

    def _look(self, watcher: Watcher, refresh: Refresh) -> bool:
        """Check clock, files and the running night once; return True if the program was upgraded."""
        now = self._clock()
        settings_before = self._settings
        lacking_before = self._lacking
        settings = self._load()
        at = time_of_day.fromisoformat(self._settings.daemon.at)
        zone = self._zone()
        self._set_timer(at, zone, now)
        self._finish_night(now)
        if self._night is None:
            finished = lambda: last_finished(self._paths.database, now=now)  # noqa: E731 - asked only if it matters
            self._keep(update(self._backlog, now=now, at=at, zone=zone, finished=finished))
            if self._settings != settings_before or self._lacking != lacking_before:
                self._keep(without_delay(self._backlog))
            if settings is None:
                self._keep(with_reason(self._backlog, self._lacking))
            elif self._backlog.pending is not None:
                self._consider(self._backlog.pending, settings.daemon, now)
        self._publish(upcoming(self._backlog, now=now, at=at, zone=zone))
        watcher.look()
        if self._night is None and self._changes.take():
            refresh.start()
        return self._night is None and not refresh.runs() and self._upgrade.is_ready()

    def _load(self) -> Settings | None:
        """Load the settings, which may have changed; return None, and keep the old ones, if they can't be used."""
        settings = None
        try:
            settings = load(self._paths, environ=self._environ)
            self._settings = settings
            because = lacking(settings)
        except SleepError as error:
            because = error.message
            if error.remedy:
                because = f"{error.message} → {error.remedy}"
        if because and because != self._lacking:
            tell("settings prevent the night", level=logging.ERROR, because=because)
        self._lacking = because
        return settings

    def _set_timer(self, at: time_of_day, zone: tzinfo, now: datetime) -> None:
        """Set the timer again if the time of day, the zone or the clock changed."""
        wall_seconds = (now - self._wall_time).total_seconds()
        monotonic = time.monotonic()
        jump = wall_seconds - (monotonic - self._monotonic_time)
        self._wall_time = now
        self._monotonic_time = monotonic
        if abs(jump) > JUMP_SECONDS:
            tell("clock was set, or the machine slept", seconds=round(jump))
        elif self._timer_set_to == (at, zone):
            return
        self._timer_set_to = (at, zone)
        self._timer.set(at, zone)

    def _consider(self, pending: Pending, settings: DaemonSettings, now: datetime) -> None:
        """Start the night that is due, or note why it has to wait."""
        obstacle = self._obstacle(pending, settings, now)
        if obstacle:
            if obstacle.kind != self._obstacle_kind:
                tell("daemon's night waits", day=pending.slot.day, because=obstacle.message)
            self._obstacle_kind = obstacle.kind
            self._keep(with_reason(self._backlog, obstacle.message))
            return
        self._obstacle_kind = ""
        child = Child(self._command, folder=self._paths.state, environ=self._environ, ended=self._wake)
        self._night = (child, pending.slot)
        self._keep(with_reason(self._backlog, ""))
        tell("daemon starts a night", day=pending.slot.day, night_process=child.pid)

    def _obstacle(self, pending: Pending, settings: DaemonSettings, now: datetime) -> Obstacle | None:
        """Return what the night has to wait for, or None."""
        pause = self._state.pause()
        if pause is not None and pause.holds(now):
            return Obstacle("pause", "paused; to go on: skillopt-sleep resume")
        if self._lacking:
            return Obstacle(self._lacking, self._lacking)
        if pending.not_before and now < pending.not_before <= now + _LONGEST_RETRY:
            return Obstacle(f"retry {pending.not_before}", pending.waiting)
        other = held_by(self._paths.data)
        if other is not None:
            return Obstacle(f"lock {other}", f"another night is running (process {other})")
        if settings.mains_power and self._battery():
            return Obstacle("battery", "on battery (daemon.mains_power)")
        return self._busy(pending, settings, now)

    def _busy(self, pending: Pending, settings: DaemonSettings, now: datetime) -> Obstacle | None:
        """Return an obstacle while the user's agents are at work, but not for longer than LONGEST_WAIT."""
        idle = timedelta(seconds=seconds(settings.idle))
        if not idle or abs(now - pending.since) >= LONGEST_WAIT:
            return None
        if not in_use(session_folders(self._settings, self._environ), idle=idle, now=now):
            return None
        # No time of day: whoever reads this may be in another zone than the daemon.
        hours = f"{LONGEST_WAIT.total_seconds() / 3600:.0f} hours"
        return Obstacle(
            "idle",
            f"a session was written to within the last {settings.idle}; waiting for at most {hours} (daemon.idle)",
        )

    def _finish_night(self, now: datetime) -> None:
        """Record the result of the night's process once it has ended."""
        if self._night is None:
            return
        child, slot = self._night
        result = child.result()
        if result is None:
            return
        self._night = None
        cancel = self._state.read("cancelled", Cancel)
        cancelled = cancel is not None and cancel.pid == child.pid and result.verdict in ("", Outcome.INTERRUPTED)
        self._state.forget("cancelled")
        tell("daemon's night ended", day=slot.day, verdict=result.verdict, because=result.because)
        self._keep(after_night(self._backlog, slot, result, now=now, cancelled=cancelled))

    def _stop_night(self) -> None:
        """Stop the running night; it stays due and resumes when the daemon is back."""
        if self._night is None:
            return
        child, slot = self._night
        tell("daemon stops its night, which resumes later", day=slot.day)
        child.stop()
        self._night = None

    def _keep(self, backlog: Backlog) -> None:
        if backlog != self._backlog:
            self._backlog = backlog
            self._state.write("schedule", backlog)

    def _publish(self, following: Slot) -> None:
        """Write the daemon's status for the other commands, if it changed."""
        standing = Standing(
            pid=os.getpid(),
            since=self._since,
            version=__version__,
            next=following.at,
            settings=self._lacking,
        )
        if standing != self._standing:
            self._standing = standing
            self._state.write("daemon", standing)
