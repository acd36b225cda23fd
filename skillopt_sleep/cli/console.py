"""What goes to the terminal: answers to stdout, progress to stderr."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

Progress = Callable[[str, int, int], None]


def say(text: str) -> None:
    """One line of the answer."""
    print(text)  # noqa: T201 - the CLI prints


def warn(text: str) -> None:
    """One line that isn't part of the answer."""
    print(text, file=sys.stderr)  # noqa: T201 - the CLI prints


def say_markdown(text: str) -> None:
    """Markdown, rendered on a terminal and as it is elsewhere."""
    if not sys.stdout.isatty():
        say(text.rstrip("\n"))
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))


@contextmanager
def progress() -> Generator[Progress]:
    """A bar per stage with counts, rate and time left; nothing where stderr isn't a terminal."""
    if not sys.stderr.isatty():
        yield lambda _label, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress as Bars, TaskID, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True)) as bars:
        known: dict[str, TaskID] = {}

        def advance(label: str, done: int, total: int) -> None:
            if done == 0 or label not in known:
                known[label] = bars.add_task(label, total=total, rate="")
            speed = bars.tasks[bars.task_ids.index(known[label])].speed
            bars.update(known[label], completed=done, rate=f"{speed:.1f}/s" if speed else "")

        yield advance
