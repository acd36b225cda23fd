"""The command `logs`: print the log of the nights and the daemon, and follow it."""

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from skillopt_sleep.cli.console import BAD, CAREFUL, Part, say_row, warn
from skillopt_sleep.kit.log import log_files, read_line
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.settings import find_paths

LAST = 100
LOOK_SECONDS = 0.25
_HEAD = frozenset({"at", "level", "event", "process", "traceback"})
_MARKS = {"warning": ("! ", CAREFUL), "error": ("✗ ", BAD), "critical": ("✗ ", BAD)}
TIME = 21  # the width of a time and the blanks behind it


def logs(
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Keep printing new lines as they come.")] = False,
) -> None:
    """Print the last 100 lines of the log."""
    path = find_paths().log
    followed = Followed(path)
    for entry in followed.before[-LAST:]:
        _print(entry)
    try:
        for entry in followed if follow else ():
            _print(entry)
    except KeyboardInterrupt:
        return
    if not followed.before:
        warn(f"The log is empty: {path}")


class Followed:
    """A growing log: `before` has its lines so far; iterating yields every new line, without end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._sizes: dict[int, int] = {}
        self.before = list(self._new())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            yield from self._new()
            time.sleep(LOOK_SECONDS)

    def _new(self) -> Iterator[dict[str, Any]]:
        """Yield the whole lines added since the last look, also those of a file that was rotated since."""
        sizes: dict[int, int] = {}
        for file in log_files(self._path):
            try:
                with file.open("rb") as opened:
                    info = os.fstat(opened.fileno())
                    start = self._sizes.get(info.st_ino, 0)
                    if start > info.st_size:
                        start = 0  # a new file that reuses the inode of a deleted one
                    opened.seek(start)
                    added = opened.read()
            except FileNotFoundError:
                continue
            whole = added[: added.rfind(b"\n") + 1]
            sizes[info.st_ino] = start + len(whole)
            for text in whole.splitlines():
                entry = read_line(text)
                if entry is not None:
                    yield entry
        self._sizes = sizes


def _print(entry: Mapping[str, Any]) -> None:
    for label, parts in lines(entry):
        say_row(label, *parts, width=TIME)
    sys.stdout.flush()


def lines(entry: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[Part]]]:
    """Yield one log entry: its local time, what happened, and the other fields; a traceback goes below."""
    mark, style = _MARKS.get(str(entry.get("level")), ("", ""))
    fields = [f"{name}: {value}" for name, value in entry.items() if name not in _HEAD and value not in (None, "")]
    try:
        at = f"{datetime.fromisoformat(str(entry.get('at'))).astimezone():%Y-%m-%d %H:%M:%S}"
    except ValueError:
        at = "(no time)"
    yield (
        at,
        [
            (f"{mark}{one_line(str(entry['event']), limit=400)}", style),
            f"  {one_line('; '.join(fields), limit=2_000)}",
        ],
    )
    for part in str(entry.get("traceback") or "").splitlines():
        yield "", [one_line(part, limit=400)]
