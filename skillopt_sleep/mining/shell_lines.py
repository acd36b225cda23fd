"""Read a line for a shell as plain commands that run one after the other, or not at all.

What such a line ended with is what its commands ended with. Of a line whose output goes through a pipe only that its
commands ran is known: its status is that of the program which shows their output.
"""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from skillopt_sleep.kit.shell import Step, read_line

LONGEST = 400
MOST_WORDS = 40

# What a shell would put something else for. A word that was quoted may hold them; it isn't read either.
_EXPANDED = re.compile(r"[$`\\*?{}~!#\n\r\0]")
_SAME_OUTPUT = re.compile(r"\s*2>&1\s*(?=$|&&|\|)")
# They change how a program looks or waits, not what it finds.
_HARMLESS = frozenset(
    {"CI", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "TERM", "COLUMNS", "LANG", "LC_ALL", "PYTHONUNBUFFERED"}
    | {"PYTHONDONTWRITEBYTECODE", "RUST_BACKTRACE", "PAGER", "GIT_PAGER"}
)
_ACTIVATE = re.compile(r"(?:\./)?\.?venv/bin/activate")
# They only show what another program printed.
_SHOWS = frozenset({"tail", "head", "cat", "less", "grep", "tee"})


class Line(NamedTuple):
    """One simple command: its words, and the folder it runs in, relative to where the line was given or absolute."""

    words: tuple[str, ...]
    folder: str = ""


def simple_lines(text: str) -> tuple[Line, ...]:
    """Return the simple commands of a line, which run one after the other as long as each succeeds.

    It is empty for a line with anything else: a pipe, a redirection, a variable, a pattern, a background program.
    """
    return _lines(_steps(text))


def shown_lines(text: str) -> tuple[Line, ...]:
    """Return the simple commands of a line that may show its output through a pipe, as `pytest | tail` does.

    Nothing is known of how they ended.
    """
    steps = _steps(text)
    while len(steps) > 1 and steps[-1].before == "|" and steps[-1].words[0] in _SHOWS:
        steps = (*steps[:-2], steps[-2]._replace(after=steps[-1].after))
    return _lines(steps)


def _steps(text: str) -> tuple[Step, ...]:
    plain = _SAME_OUTPUT.sub("", text.strip())
    if not plain or len(plain) > LONGEST or _EXPANDED.search(plain):
        return ()
    line = read_line(plain)
    return line.steps if line.whole else ()


def _lines(steps: Sequence[Step]) -> tuple[Line, ...]:
    if sum(len(step.words) for step in steps) > MOST_WORDS or (steps and steps[-1].after):
        return ()
    lines: list[Line] = []
    folder = ""
    for number, step in enumerate(steps):
        if not _is_plain(step, first=number == 0):
            return ()
        match step.bare:
            case ["cd", path]:
                folder = str(PurePosixPath(folder, path))
            case ["source" | ".", path] if _ACTIVATE.fullmatch(path):
                continue
            case ["cd" | "source" | ".", *_]:
                return ()
            case [_, *_] as rest:
                lines.append(Line(tuple(rest), folder))
            case _:
                return ()
    return tuple(lines)


def _is_plain(step: Step, *, first: bool) -> bool:
    """Tell whether the command follows from the one before it, has no brackets, and assigns nothing of weight."""
    follows = step.before == ("" if first else "&&")
    return follows and not step.within and not step.redirected and _HARMLESS.issuperset(step.assigned)
