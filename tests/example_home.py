"""An example night of a fixed date in a home of its own, and commands run there: the same output on every day."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

NIGHT = datetime(2026, 3, 2, 4, 17, tzinfo=UTC)
MORNING = NIGHT.replace(hour=8, minute=0)
SHOWN_DATA = "/home/you/.local/share/skillopt-sleep"
_DATED = Path(__file__).parent / "dated.py"


class ExampleHome:
    """A home whose example night has run. `show` runs a command in it, each a minute after the one before."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._kept = folder.with_name(f"{folder.name}-kept")
        self._bin = folder.with_name(f"{folder.name}-bin")
        self._minutes = 0
        _write_command(self._bin / "skillopt-sleep")
        folder.mkdir(parents=True)
        self._run("skillopt-sleep run --example", home=folder, store=folder, at=NIGHT)
        shutil.copytree(folder, self._kept)

    @property
    def store(self) -> Path:
        return self.folder / "data" / "example"

    def restore(self) -> None:
        """Bring everything back to how it was after the night."""
        shutil.rmtree(self.folder)
        shutil.copytree(self._kept, self.folder)
        self._minutes = 0

    def show(self, line: str, *, width: int = 80, colours: bool = False) -> subprocess.CompletedProcess[str]:
        """Run a line of shell in the example's home; what it printed has the paths of a person's home."""
        for path in (self.store / "data").rglob("*"):
            os.utime(path, (NIGHT.timestamp(), NIGHT.timestamp()))  # doctor says since when something is kept
        at = MORNING + timedelta(minutes=self._minutes)
        self._minutes += 1
        return self._run(line, home=self.store / "home", store=self.store, at=at, width=width, colours=colours)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start the command in the example's home, in the morning, and leave it running."""
        home = self.store / "home"
        return subprocess.Popen(
            [self._bin / "skillopt-sleep", *arguments],
            env=self._environment(home, self.store, at=MORNING, width=80, colours=False),
            cwd=home,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def _run(
        self, line: str, *, home: Path, store: Path, at: datetime, width: int = 80, colours: bool = False
    ) -> subprocess.CompletedProcess[str]:
        environment = self._environment(home, store, at=at, width=width, colours=colours)
        done = subprocess.run(
            ["sh", "-c", line],
            env=environment,
            cwd=home,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
            timeout=120,
        )
        done.stdout = self._as_shown(done.stdout)
        return done

    def _environment(self, home: Path, store: Path, *, at: datetime, width: int, colours: bool) -> dict[str, str]:
        return {
            "HOME": str(home),
            "SKILLOPT_SLEEP_HOME": str(store),
            "CLAUDE_CONFIG_DIR": str(home / ".claude"),
            "CODEX_HOME": str(home / ".codex"),
            "SKILLOPT_SLEEP_NOTIFY_WHEN": "never",
            "PATH": os.pathsep.join((str(self._bin), "/usr/bin", "/bin")),
            "COLUMNS": str(width),
            # As on a terminal, wrapped at its width; a dumb one has no colours.
            "FORCE_COLOR": "1",
            "TERM": "xterm-256color" if colours else "dumb",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "EXAMPLE_TIME": at.isoformat(),
        }

    def _as_shown(self, text: str) -> str:
        text = text.replace(str(self.folder / "data"), SHOWN_DATA)
        return text.replace(str(self._bin), "/home/you/.local/bin")


@contextmanager
def example_home() -> Generator[ExampleHome]:
    """Run the example night in a temporary folder, whose path is as long as the one shown, for the columns' sake."""
    stem = "example-night-of-a-fixed-date"
    with tempfile.TemporaryDirectory() as outer:
        room = len(SHOWN_DATA) - len(f"{outer}/") - len("/data")
        yield ExampleHome(Path(outer).resolve() / stem[: max(room, 1)])


def _write_command(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -P {_DATED} "$0" "$@"\n', encoding="utf-8")
    path.chmod(0o755)
