"""Start a night when its slot has come and nothing stands in its way."""

import logging
import os
import signal
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime, time as time_of_day, timedelta, tzinfo
from socket import socket, socketpair

from msgspec.structs import replace

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
from skillopt_sleep.daemon.conditions import LONGEST_WAIT, in_use, lacking, local_zone, on_battery
from skillopt_sleep.daemon.jobs import Jobs, NightTrigger
from skillopt_sleep.daemon.schedule import Slot, corrected, newest_slot
from skillopt_sleep.daemon.state import Cancel, DaemonState, DaemonStatus
from skillopt_sleep.daemon.watcher import FolderChanges, Refresh, Watcher
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.log import tell
from skillopt_sleep.records import Outcome
from skillopt_sleep.settings import DaemonSettings, Paths, Settings, load
from skillopt_sleep.stores.running import held_by
from skillopt_sleep.stores.summary import last_finished
from skillopt_sleep.wiring import session_folders

LOOK_SECONDS = 60.0
# If the wall clock and the monotonic clock differ by more, the clock was set or the machine slept.
JUMP_SECONDS = 5.0
# A retry that is further away than this was planned while the clock was wrong.
_LONGEST_RETRY = timedelta(days=1)
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


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
        changes: FolderChanges | None = None,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._paths = paths
        self._environ = environ
        self._clock = clock
        self._zone = zone
        self._battery = battery
        self._command = command or night_command()
        self._state = DaemonState(paths.state)
        self._since = clock()
        self._jobs = Jobs(self._look, self._slot_came, every=look_seconds)
        self._planned: tuple[time_of_day, tzinfo] | None = None
        self._night: tuple[Child, Slot] | None = None
        self._wall_time = clock()
        self._monotonic_time = time.monotonic()
        self._changes = changes or FolderChanges()
        self._settings = Settings()
        self._lacking = ""
        self._obstacle = ""
        self._standing: DaemonStatus | None = None
        self._backlog = Backlog()
        self._watcher: Watcher
        self._refresh: Refresh

    def run(self) -> None:
        """Run nights at their time until stopped by a signal; raise NightLocked if another daemon is running."""
        with ExitStack() as stack:
            stack.enter_context(self._state.only_daemon())
            stopped = stack.enter_context(_stop_signals())
            self._backlog = self._state.backlog()
            self._watcher = Watcher(session_folders(self._load() or Settings(), self._environ), self._changes)
            stack.callback(self._watcher.stop)
            self._refresh = Refresh(self._paths.state, self._environ)
            stack.callback(self._refresh.stop)
            tell("daemon started", version=__version__)
            self._jobs.start()
            stopped.recv(1)
            self._jobs.stop()
            self._stop_night()
        tell("daemon stopped")

    def _slot_came(self) -> None:
        """Note that a night is due, and start it if nothing stands in its way."""
        try:
            if self._night is None:
                self._update()
            self._check()
        except Exception as error:  # noqa: BLE001 - the boundary: a bug spoils one night, not all to come
            tell("a bug", level=logging.ERROR, error=error)

    def _look(self) -> None:
        """Look at the clock, and at what a night that is due still waits for."""
        try:
            self._check()
            self._watcher.look()
            if self._night is None and self._changes.take():
                self._refresh.start()
        except Exception as error:  # noqa: BLE001 - the boundary: a bug spoils one look, not all to come
            tell("a bug", level=logging.ERROR, error=error)

    def _check(self) -> None:
        """Check settings, clock and the running night once; consider the night that is due."""
        now = self._clock()
        before = self._settings, self._lacking
        settings = self._load()
        has_ended = self._finish_night(now)
        if self._clock_jumped(now) or has_ended or self._planned != (self._at, self._zone()):
            self._plan(now)
        if self._night is None and self._backlog.pending is not None:
            self._update()
            if before != (self._settings, self._lacking):
                self._keep(without_delay(self._backlog))
            self._consider(settings, now)
        self._publish(upcoming(self._backlog, now=now, at=self._at, zone=self._zone()))

    @property
    def _at(self) -> time_of_day:
        return time_of_day.fromisoformat(self._settings.daemon.at)

    def _update(self) -> None:
        """Bring up to date which night is due, and which was missed."""
        now = self._clock()
        finished = lambda: last_finished(self._paths.database, now=now)  # noqa: E731 - asked only if it matters
        self._keep(update(self._backlog, now=now, at=self._at, zone=self._zone(), finished=finished))

    def _plan(self, now: datetime) -> None:
        """Have the slots held from now on, as the time of day, the zone and the clock are now."""
        at, zone = self._at, self._zone()
        self._planned = at, zone
        served = corrected(self._backlog.served, newest_slot(now, at, zone), now)
        self._keep(replace(self._backlog, served=served))
        self._jobs.plan(NightTrigger(served, at, zone, now=now))

    def _clock_jumped(self, now: datetime) -> bool:
        """Return whether the clock was set, or the machine slept, since the last time."""
        monotonic = time.monotonic()
        jump = (now - self._wall_time).total_seconds() - (monotonic - self._monotonic_time)
        self._wall_time = now
        self._monotonic_time = monotonic
        if abs(jump) <= JUMP_SECONDS:
            return False
        tell("clock was set, or the machine slept", seconds=round(jump))
        return True

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

    def _consider(self, settings: Settings | None, now: datetime) -> None:
        """Start the night that is due, or note why it has to wait."""
        pending = self._backlog.pending
        if pending is None:
            return
        because = self._lacking
        if settings is not None:
            because = self._obstacles(pending, settings.daemon, now)
        if because and because != self._obstacle:
            tell("daemon's night waits", day=pending.slot.day, because=because)
        self._obstacle = because
        self._keep(with_reason(self._backlog, because))
        if because:
            return
        child = Child(self._command, folder=self._paths.state, environ=self._environ, ended=self._jobs.look_now)
        self._night = (child, pending.slot)
        tell("daemon starts a night", day=pending.slot.day, night_process=child.pid)

    def _obstacles(self, pending: Pending, settings: DaemonSettings, now: datetime) -> str:
        """Return what the night has to wait for, or ""."""
        pause = self._state.pause()
        if pause is not None and pause.holds(now):
            return "paused; to go on: skillopt-sleep pause --off"
        if self._lacking:
            return self._lacking
        if pending.not_before and now < pending.not_before <= now + _LONGEST_RETRY:
            return pending.waiting
        other = held_by(self._paths.data)
        if other is not None:
            return f"another night is running (process {other})"
        if settings.mains_power and self._battery():
            return "on battery (daemon.mains_power)"
        return self._busy(pending, now)

    def _busy(self, pending: Pending, now: datetime) -> str:
        """Say that the user's agents are at work, but not for longer than LONGEST_WAIT."""
        if abs(now - pending.since) >= LONGEST_WAIT:
            return ""
        if not in_use(session_folders(self._settings, self._environ), now=now):
            return ""
        # No time of day: whoever reads this may be in another zone than the daemon.
        hours = f"{LONGEST_WAIT.total_seconds() / 3600:.0f} hours"
        return f"a session was written to within the last ten minutes; waiting for at most {hours}"

    def _finish_night(self, now: datetime) -> bool:
        """Record the result of the night's process once it has ended; return whether it has."""
        if self._night is None:
            return False
        child, slot = self._night
        result = child.result()
        if result is None:
            return False
        self._night = None
        cancel = self._state.read("cancelled", Cancel)
        cancelled = cancel is not None and cancel.pid == child.pid and result.verdict in ("", Outcome.INTERRUPTED)
        self._state.forget("cancelled")
        tell("daemon's night ended", day=slot.day, verdict=result.verdict, because=result.because)
        self._keep(after_night(self._backlog, slot, result, now=now, cancelled=cancelled))
        return True

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
        standing = DaemonStatus(
            pid=os.getpid(),
            since=self._since,
            version=__version__,
            next=following.at,
            settings=self._lacking,
        )
        if standing != self._standing:
            self._standing = standing
            self._state.write("daemon", standing)


@contextmanager
def _stop_signals() -> Generator[socket]:
    """Yield a socket that holds a byte for each signal to stop.

    A signal that comes just before a thread waits for a lock or a queue doesn't wake it; a byte in a socket stays.
    """
    receiving, sending = socketpair()
    sending.settimeout(0)
    with receiving, sending:
        signal.set_wakeup_fd(sending.fileno(), warn_on_full_buffer=False)
        for number in _STOP_SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP
                signal.signal(number, lambda _number, _frame: None)
        try:
            yield receiving
        finally:
            signal.set_wakeup_fd(-1)
