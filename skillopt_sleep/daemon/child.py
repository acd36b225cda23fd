"""Run a night in a process of its own: the daemon stays small, and a night that crashes takes only itself down."""

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Thread

import msgspec

from skillopt_sleep.daemon.backlog import NightResult
from skillopt_sleep.errors import Exit
from skillopt_sleep.kit.files import PRIVATE_FILE, private_dir

# A night needs about two seconds to stop; whoever stops the daemon may allow it no more than ten.
STOP_SECONDS = 7.0
_FINISHED = frozenset({Exit.DONE, Exit.PARTIAL, Exit.BUDGET, Exit.PENDING})
_STDERR_CHARS = 4000
_PREFIX = "skillopt-sleep: "


class _Answer(msgspec.Struct):
    """The part of `run --json` that the daemon needs."""

    verdict: str | None = None
    because: str = ""


class Child:
    """A night in a process of its own; `ended` is called from another thread when it is over."""

    def __init__(
        self, command: Sequence[str], *, folder: Path, environ: Mapping[str, str], ended: Callable[[], None]
    ) -> None:
        private_dir(folder)
        self._stdout = folder / "night.out"
        self._stderr = folder / "night.err"
        for file in (self._stdout, self._stderr):
            file.unlink(missing_ok=True)
            file.touch(mode=PRIVATE_FILE)
        with self._stdout.open("wb") as stdout, self._stderr.open("wb") as stderr:
            # A session of its own, so that Ctrl-C in the daemon's terminal reaches the daemon only.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                cwd=folder,
                env=dict(environ),
                start_new_session=True,
            )
        self.pid = self._process.pid
        Thread(target=self._wait, args=(ended,), daemon=True).start()

    def result(self) -> NightResult | None:
        """Return how the night ended, or None while it is running."""
        code = self._process.poll()
        if code is None:
            return None
        stdout = self._stdout.read_text(encoding="utf-8", errors="replace")
        stderr = self._stderr.read_text(encoding="utf-8", errors="replace")
        return read_result(code, stdout, stderr)

    def stop(self) -> None:
        """Terminate the night, and kill it if it doesn't end within seconds; paid answers are kept either way."""
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _wait(self, ended: Callable[[], None]) -> None:
        self._process.wait()
        ended()


def night_command() -> list[str]:
    """Return the command line of a night, run by this very interpreter and package."""
    return [sys.executable, "-P", "-m", "skillopt_sleep", "run", "--json"]


def read_result(code: int, stdout: str, stderr: str) -> NightResult:
    """Combine a night's exit code, its JSON answer and its last error message."""
    answer = _Answer()
    if stdout.strip():
        try:
            answer = msgspec.json.decode(stdout, type=_Answer)
        except msgspec.DecodeError:
            answer = _Answer()
    because = answer.because or _last_error(stderr[-_STDERR_CHARS:]) or f"it ended with {code}"
    if code == Exit.LOCKED:
        return NightResult("", because, finished=False, locked=True)
    return NightResult(answer.verdict or "", because, finished=code in _FINISHED, refused=code == Exit.USAGE)


def _last_error(stderr: str) -> str:
    """Return the last error message with its remedy, without the program's name, or the last line without one."""
    _, named, message = stderr.rpartition(_PREFIX)
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return " ".join(lines[:2] if named else lines[-1:])
