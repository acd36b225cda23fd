"""Show how far a night or a training is: one display that is redrawn, with what is spent and the time left."""

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from skillopt_sleep.cli.console import BOLD, DIM, NARROWEST
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import counted, length
from skillopt_sleep.reporters.underway import cost, spending, time_left
from skillopt_sleep.reporters.words import stage_words
from skillopt_sleep.stores.running import Progress, StageProgress

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from skillopt_sleep.trainer import LiveProgress

MOST_STAGES = 4
_NAME_CHARS = 16
_REDRAWS_A_SECOND = 4


def view(progress: Progress, *, now: datetime) -> "RenderableType":
    """Draw a night: its spending and time on a bar of its calls, and its current stages below."""
    from rich.console import Group
    from rich.text import Text

    head = Text.assemble(
        (f"Night {progress.night}", BOLD),
        f"  {length(now - progress.started)}",
        (f"  {time_left(progress, now=now)}", DIM),
    )
    overall = _rows([(spending(progress), progress.calls, progress.most_calls, "")])
    return Group(head, overall, stages_view(progress.stages))


def training_view(live: "LiveProgress", *, now: datetime) -> "RenderableType":
    """Draw a training: its steps on a bar, its spending, and about how long it still takes."""
    from rich.console import Group
    from rich.text import Text

    name = one_line(live.folder, limit=80)
    name = name if len(name) <= _NAME_CHARS else f"…{name[1 - _NAME_CHARS :]}"
    known = live.left(now)
    left = "" if known is None else f"about {length(known)} left"
    head = Text.assemble(
        (f"Training {name}", BOLD),
        f"  step {live.step} of {live.steps}",
        f"  {length(now - live.started)}",
        (f"  {left}", DIM),
    )
    return Group(head, _rows([(_spent(live), live.step, live.steps, "")]))


def _spent(live: "LiveProgress") -> str:
    spend = live.spend
    calls = counted(spend.calls, "call")
    if live.most_calls:
        calls = f"{spend.calls:,} of at most {live.most_calls:,} calls"
    return ", ".join([calls, *cost(spend.usd, spend.tokens)])


def stages_view(stages: Sequence[StageProgress]) -> "Table":
    """Draw a bar for each current stage, the last begun ones if there are many."""
    rows: list[tuple[str, int, int, str]] = []
    for stage in stages[-MOST_STAGES:]:
        rows.append(
            (one_line(stage_words(stage.label), limit=80), stage.done, stage.total, f"{stage.done}/{stage.total}")
        )
    table = _rows(rows)
    hidden = len(stages) - len(rows)
    if hidden:
        table.add_row(f"and {counted(hidden, 'more stage')}", "", "")
    return table


def _rows(rows: Sequence[tuple[str, int, int, str]]) -> "Table":
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0), expand=False)
    table.add_column(no_wrap=True, overflow="ellipsis", width=NARROWEST - 26)
    table.add_column(width=14)
    table.add_column(justify="right", no_wrap=True)
    for label, done, total, count in rows:
        table.add_row(label, ProgressBar(total=max(total, 1), completed=done, width=14), count)
    return table


@contextmanager
def following(current: Callable[[], Progress | None]) -> Generator[None]:
    """Show a night on stderr while the block runs; nothing if stderr isn't a terminal."""
    if not sys.stderr.isatty():
        yield
        return

    def draw() -> "RenderableType":
        progress = current()
        return "" if progress is None else view(progress, now=utc_now())

    with _live(draw):
        yield


class Stages:
    """The current stages of a training or a scoring, and the training itself once it is known."""

    def __init__(self) -> None:
        self.training: Callable[[], LiveProgress | None] = lambda: None
        self._current: dict[str, StageProgress] = {}

    def advance(self, label: str, done: int, total: int) -> None:
        """Note that so many of a stage's calls are done; a finished stage is left out."""
        if done < total:
            self._current[label] = StageProgress(label=label, done=done, total=total)
        else:
            self._current.pop(label, None)

    def view(self) -> "RenderableType":
        """Draw the training and its stages."""
        from rich.console import Group

        live = self.training()
        current = stages_view(tuple(self._current.values()))
        if live is None:
            return current
        return Group(training_view(live, now=utc_now()), current)


@contextmanager
def stages(*, silent: bool = False) -> Generator[Stages]:
    """Yield the progress of the stages; show it on stderr if that is a terminal and `silent` isn't set."""
    current = Stages()
    if silent or not sys.stderr.isatty():
        yield current
        return
    with _live(current.view):
        yield current


@contextmanager
def _live(draw: "Callable[[], RenderableType]") -> Generator[None]:
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    with Live(get_renderable=draw, console=console, transient=True, refresh_per_second=_REDRAWS_A_SECOND):
        yield
