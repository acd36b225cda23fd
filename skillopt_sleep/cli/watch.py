"""Show the progress of a running night, once or until it ends."""

import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from skillopt_sleep.cli.console import warn
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.stores.progress import EVERY, Progress, read_progress

_IN_SECONDS = 120  # shorter times are shown in seconds


def watch_night(data: Path) -> None:
    """Show the running night on stderr until it ends or the user presses Ctrl-C."""
    progress = read_progress(data)
    if progress is None:
        warn("No night is running.")
        return
    try:
        if sys.stderr.isatty():
            _redraw(_updates(data, progress))
        else:
            _print_changes(_updates(data, progress))
    except KeyboardInterrupt:
        warn("The night goes on. To stop it: skillopt-sleep cancel")


def shown(progress: Progress, *, now: datetime) -> list[str]:
    """Return the night in a few lines: how long it has run, what it has spent, and its current stages."""
    tokens = "" if progress.tokens is None else f", {progress.tokens:,} tokens"
    duration = _duration(now - progress.started)
    lines = [f"Night {progress.night}, {duration}: {progress.calls} of at most {progress.most_calls} calls{tokens}"]
    return lines + [f"             {stage}" for stage in stages(progress)]


def stages(progress: Progress) -> list[str]:
    """Return a line for each stage in progress."""
    return [f"{one_line(stage.label, limit=80)}  {stage.done}/{stage.total}" for stage in progress.stages]


def _updates(data: Path, first: Progress) -> Iterator[Progress]:
    """Yield the night's progress until it ends, reading the file as often as it is written."""
    current: Progress | None = first
    while current is not None and current.night == first.night:
        yield current
        time.sleep(EVERY)
        current = read_progress(data)


def _redraw(updates: Iterator[Progress]) -> None:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
        for progress in updates:
            live.update(Text("\n".join(shown(progress, now=utc_now()))), refresh=True)


def _print_changes(updates: Iterator[Progress]) -> None:
    """Print a line for each change, for an output that can't be redrawn."""
    previous: Progress | None = None
    for progress in updates:
        if progress != previous:
            current = "; ".join(stages(progress)) or "between two stages"
            warn(f"{progress.night}  {progress.calls} of at most {progress.most_calls} calls  {current}")
        previous = progress


def _duration(passed: timedelta) -> str:
    seconds = max(int(passed.total_seconds()), 0)
    if seconds < _IN_SECONDS:
        return f"{seconds} s"
    hours, minutes = divmod(seconds // 60, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min"
