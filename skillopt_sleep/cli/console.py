"""Print to the terminal: answers to stdout, progress and warnings to stderr.

Names, paths and quotes are foreign text. This module escapes every character that would move the cursor, reverse a
line or be invisible. A newline stays a newline, so a name that may contain one needs `spelled` at the call site.
"""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from skillopt_sleep.kit.markdown import escaped, visible

Progress = Callable[[str, int, int], None]


def say(text: str) -> None:
    """Print one line of the answer."""
    print(visible(text))  # noqa: T201 - the CLI prints


def warn(text: str) -> None:
    """Print one line to stderr that isn't part of the answer."""
    print(visible(text), file=sys.stderr)  # noqa: T201 - the CLI prints


def say_json(value: object, *, pretty: bool = True) -> None:
    """Print a value as JSON: indented, or on one line if not `pretty`."""
    from skillopt_sleep.kit.codec import to_json

    end = "" if pretty else "\n"
    sys.stdout.write(escaped(to_json(value, pretty=pretty).decode()) + end)


def say_markdown(text: str) -> None:
    """Print Markdown, rendered on a terminal and as plain text elsewhere."""
    if not sys.stdout.isatty():
        say(text.rstrip("\n"))
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(visible(text)))


@contextmanager
def progress() -> Generator[Progress]:
    """Show a bar per stage with counts, rate and time left; show nothing if stderr isn't a terminal."""
    if not sys.stderr.isatty():
        yield lambda _label, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress as Bars, TaskID, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True)) as bars:
        known: dict[str, TaskID] = {}

        def advance(label: str, done: int, total: int) -> None:
            if done == 0 or label not in known:
                known[label] = bars.add_task(visible(label), total=total, rate="")
            speed = bars.tasks[bars.task_ids.index(known[label])].speed
            bars.update(known[label], completed=done, rate=f"{speed:.1f}/s" if speed else "")

        yield advance
