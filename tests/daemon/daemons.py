"""Real daemons in processes of their own, with a night owed at once."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, time as time_of_day, timedelta
from pathlib import Path
from typing import Any

from skillopt_sleep.daemon.backlog import Backlog
from skillopt_sleep.daemon.conditions import local_zone
from skillopt_sleep.daemon.schedule import Served, newest_slot
from skillopt_sleep.daemon.state import DaemonState
from skillopt_sleep.settings import find_paths
from tests.command import ASKS, Home

PATIENCE = 300.0
# The same daemon, that looks more often.
EAGER = """
from skillopt_sleep.daemon.loop import Daemon
from skillopt_sleep.kit.log import log_to
from skillopt_sleep.settings import find_paths
log_to(find_paths().log)
Daemon(find_paths(), look_seconds=0.1).run()
"""
# On its battery; and one that reads every change at once.
ON_BATTERY = EAGER.replace("look_seconds=0.1", "look_seconds=0.1, battery=lambda: True")
AT_ONCE = EAGER.replace("look_seconds=0.1", "look_seconds=0.1, changes=AtOnce()").replace(
    "log_to(find",
    """
from skillopt_sleep.daemon.watcher import FolderChanges


class AtOnce(FolderChanges):
    def take(self):
        seen, self._changed = self._changed, False
        return seen


log_to(find""",
    1,
)


class Sleeper(Home):
    """A home whose settings let a night run by itself."""

    more: dict[str, str]

    def setting(self, **variables: str) -> "Sleeper":
        """With these variables set, `daemon_at="05:00"`."""
        self.more = {f"SKILLOPT_SLEEP_{name.upper()}": value for name, value in variables.items()}
        return self

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {"TZ": "UTC"} | getattr(self, "more", {})

    def had_sessions_in(self, project: Path, asks: Sequence[tuple[str, str]] = ASKS, *, days_ago: float = 3) -> None:
        """The same sessions, last written to an hour ago: nobody is at work."""
        super().had_sessions_in(project, asks, days_ago=days_ago)
        self.written_to(minutes_ago=60)

    def written_to(self, *, minutes_ago: float) -> None:
        """The agents last wrote to their sessions so long ago."""
        at = time.time() - 60 * minutes_ago
        for agent in (".claude", ".codex"):
            for session in (self.folder / agent).rglob("*.jsonl"):
                os.utime(session, (at, at))

    @property
    def state(self) -> DaemonState:
        return DaemonState(find_paths(self.environment).state)

    @property
    def told(self) -> list[dict[str, Any]]:
        """The log."""
        log = find_paths(self.environment).log
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []

    def begun(self) -> int:
        """How many nights a daemon began."""
        return [line["event"] for line in self.told].count("daemon starts a night")

    def owes_a_night(self) -> None:
        """The last night was two days ago."""
        now = datetime.now(UTC)
        before = newest_slot(now - timedelta(days=2), time_of_day(4, 17), local_zone())
        self.state.write("schedule", Backlog(served=Served(slot=before)))

    @contextmanager
    def daemon(self, script: str = EAGER, *, eager: bool = True) -> Generator["subprocess.Popen[str]"]:
        """A daemon that is stopped at the end."""
        command = [sys.executable, "-c", script] if eager else [sys.executable, "-m", "skillopt_sleep", "daemon"]
        with self.daemon_of(command) as process:
            yield process

    @contextmanager
    def daemon_of(self, command: list[str]) -> Generator["subprocess.Popen[str]"]:
        """A daemon by another command line."""
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=self.environment, cwd=Path.cwd())
        try:
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE)

    def openai(self, base_url: str) -> "Sleeper":
        """Nights that ask the scripted server."""
        return self.setting(
            backend_name="openai",
            backend_model="scripted-1",
            backend_base_url=base_url,
            backend_confirmed="true",
        )

    def simulated(self, **more: str) -> "Sleeper":
        """Nights with the simulated model."""
        return self.setting(backend_name="simulated", **more)


def until(holds: Callable[[], Any], *, seconds: float = PATIENCE) -> Any:
    """Wait for what another process does, as it shows in its files."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end, "it didn't happen"
        time.sleep(0.02)
    return found
