"""Show the progress of a running night, once or until it ends."""

import sys
import time
from collections import deque
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from skillopt_sleep.cli.console import warn
from skillopt_sleep.cli.progress import following
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import length
from skillopt_sleep.reporters.underway import spending, time_left
from skillopt_sleep.reporters.words import stage_words
from skillopt_sleep.stores.events import EVERY, EventKind, read_events
from skillopt_sleep.stores.progress import Progress, read_progress


def watch_night(data: Path) -> None:
    """Show the running night on stderr until it ends or the user presses Ctrl-C."""
    progress = read_progress(data)
    if progress is None:
        warn("No night is running.")
        return
    try:
        if sys.stderr.isatty():
            with following(lambda: read_progress(data), lambda: verdicts(data, progress.night)):
                deque(_updates(data, progress), maxlen=0)
        else:
            _print_changes(_updates(data, progress), data)
    except KeyboardInterrupt:
        warn("The night goes on. To stop it: skillopt-sleep cancel")


def shown(progress: Progress, *, now: datetime) -> list[str]:
    """Return the night in a few lines: how long it has run, what it has spent, and its current stages."""
    left = time_left(progress, now=now)
    time = length(now - progress.started) + (f", {left}" if left else "")
    return [f"Night {progress.night}, {time}: {spending(progress)}", *stages(progress)]


def stages(progress: Progress) -> list[str]:
    """Return a line for each stage in progress."""
    return [
        f"{one_line(stage_words(stage.label), limit=80)}  {stage.done}/{stage.total}" for stage in progress.stages
    ]


def _updates(data: Path, first: Progress) -> Iterator[Progress]:
    """Yield the night's progress until it ends, reading its log as often as it is written."""
    current: Progress | None = first
    while current is not None and current.night == first.night:
        yield current
        time.sleep(EVERY)
        current = read_progress(data)


def verdicts(data: Path, night: str) -> list[str]:
    """Return a line for each document of a night on which it has decided."""
    lines: list[str] = []
    for event in read_events(data / "nights" / night):
        if event.kind is EventKind.VERDICT:
            lines.append(f"{event.document}: {event.says}")
    return lines


def _print_changes(updates: Iterator[Progress], data: Path) -> None:
    """Print a line for each change, for an output that can't be redrawn."""
    previous: Progress | None = None
    told = 0
    for progress in updates:
        decided = verdicts(data, progress.night)
        for line in decided[told:]:
            warn(f"{progress.night}  {one_line(line, limit=400)}")
        told = len(decided)
        if progress != previous:
            current = "; ".join(stages(progress)) or "between two stages"
            warn(f"{progress.night}  {spending(progress)}  {current}")
        previous = progress
