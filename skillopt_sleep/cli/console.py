"""Print to the terminal: answers to stdout, progress and warnings to stderr.

Names, paths and quotes are foreign text. This module escapes every character that would move the cursor, reverse a
line or be invisible. A newline stays a newline, so a name that may contain one needs `spelled` at the call site.

A line is made of parts, each a text or a text with a style of rich. On a terminal it is wrapped at words; elsewhere
it is one line without colours, so that it can be searched and cut.
"""

import os
import sys
import textwrap
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from skillopt_sleep.cli.encoding import printable
from skillopt_sleep.kit.markdown import escaped, visible
from skillopt_sleep.kit.words import WIDTH

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

Part = str | tuple[str, str]
LABEL = 13  # the width of a label and the blanks behind it
NARROWEST = 60
GAP = 2  # blanks between two columns of a table
_UNCUT = 4_000  # the width of what isn't a terminal
BOLD = "bold"
DIM = "dim"
GOOD = "green"
BAD = "red"
CAREFUL = "yellow"
NAME = "cyan"


def say(*parts: Part) -> None:
    """Print one line of the answer."""
    _say(parts, hang=0)


def say_all(lines: Iterable[str]) -> None:
    """Print these lines."""
    for line in lines:
        say(line)


def say_row(label: Part, *parts: Part, width: int = LABEL) -> None:
    """Print a line with a label in front; what is wrapped on a terminal stands below the text, not the label."""
    text, style = (label, DIM) if isinstance(label, str) else label
    _say(((f"{text:{width}}", style), *parts), hang=width)


def say_hanging(line: str) -> None:
    """Print an indented line; what is wrapped on a terminal goes on two columns further in."""
    indent = len(line) - len(line.lstrip())
    _say((line,), hang=indent + GAP if indent else 0)


def say_next(command: str, *, label: str = "Next step") -> None:
    """Print the one command to go on with."""
    say_row(label, (command, BOLD))


def say_drawn(drawn: "RenderableType") -> None:
    """Print what is drawn already, without the blanks that fill its lines."""
    console = stdout()
    with console.capture() as captured:
        console.print(drawn)
    for line in captured.get().splitlines():
        print(line.rstrip())  # noqa: T201 - the CLI prints


def warn(text: str) -> None:
    """Print one line to stderr that isn't part of the answer."""
    print(visible(text), file=sys.stderr)  # noqa: T201 - the CLI prints


def say_json(value: object, *, pretty: bool = True) -> None:
    """Print a value as JSON: indented, or on one line if not `pretty`."""
    from skillopt_sleep.kit.codec import to_json

    end = "" if pretty else "\n"
    text = to_json(value, pretty=pretty).decode()
    sys.stdout.write(escaped(text, keeps=printable) + end)


def is_terminal() -> bool:
    """Return whether answers are printed to a terminal, or to what FORCE_COLOR says is as good as one."""
    return sys.stdout.isatty() or bool(os.environ.get("FORCE_COLOR"))


@cache
def stdout() -> "Console":
    """Return the terminal, or the file or pipe, that answers are printed to."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    if not is_terminal():
        console.width = _UNCUT
    elif console.width < NARROWEST:
        console.width = NARROWEST
    return console


def _say(parts: Sequence[Part], *, hang: int) -> None:
    """Print a line; on a terminal, wrap it, and let the lines after the first begin below its column `hang`."""
    if not is_terminal():
        texts = [part if isinstance(part, str) else part[0] for part in parts]
        print(visible("".join(texts)))  # noqa: T201 - the CLI prints
        return
    console, line = stdout(), _text(parts)
    first, rest = line[:hang], line[hang:]
    wrapped = rest.wrap(console, max(console.width - hang, 1))
    for number, part in enumerate(wrapped or [rest]):
        part.rstrip()
        console.print(_text([" " * hang]) if number else first, part, sep="", soft_wrap=True)


def _text(parts: Iterable[Part]) -> "Text":
    from rich.text import Text

    line = Text()
    for part in parts:
        text, style = (part, "") if isinstance(part, str) else part
        line.append(visible(text), style or None)
    return line


def block(text: str, *, indent: str = "    ") -> str:
    """Return an indented text with its own line breaks kept and long lines wrapped."""
    lines: list[str] = []
    for line in visible(text).expandtabs(4).splitlines():
        wrapped = textwrap.wrap(line, WIDTH - len(indent), replace_whitespace=False, drop_whitespace=False)
        lines += wrapped or [""]
    return "\n".join(f"{indent}{line}".rstrip() for line in lines)
