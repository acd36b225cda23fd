"""Tell what an agent did in an attempt: which commands it ran and which files it changed."""

import re
import shlex
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import dropwhile

from skillopt_sleep.records import Trajectory

_SHELLS = frozenset({"sh", "bash", "zsh", "dash"})
_RUNS_LINE = re.compile(r"-\w*c")  # `bash -lc LINE`
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
# What may stand before the program that is meant.
_BEFORE = (
    ("uv", "run"),
    ("poetry", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("pnpm", "exec"),
    ("npm", "exec", "--"),
    ("npx",),
    ("bunx",),
    ("uvx",),
    ("time",),
    ("env",),
    ("python", "-m"),
    ("python3", "-m"),
)
_MOST_DEPTH = 3


def ran(trajectory: Trajectory, wanted: str) -> bool:
    """Return whether the command was run: its words begin one of the simple commands of a line that ran."""
    words = wanted.split()
    for command in trajectory.commands:
        for simple in simple_commands(command.text):
            if simple[: len(words)] == words or _bare(simple)[: len(words)] == words:
                return True
    return False


def changed(trajectory: Trajectory, pattern: str) -> bool:
    """Return whether a file was changed that the pattern names: a file, a folder with all below it, or a glob."""
    return any(names(pattern, path) for path in trajectory.changed_files)


def names(pattern: str, path: str) -> bool:
    """Return whether the pattern names this path, both relative to the repository's root."""
    plain = pattern.removeprefix("./").rstrip("/")
    return path == plain or path.startswith(f"{plain}/") or fnmatchcase(path, plain)


def simple_commands(line: str, *, depth: int = 0) -> Iterator[list[str]]:
    """Yield the simple commands of a shell line as lists of words; what can't be read as one is left out.

    `cd gen && FOO=1 make lint | tail` has three: `cd gen`, `make lint` and `tail`.
    """
    for part in _parts(line):
        words = list(dropwhile(_ASSIGNMENT.match, part))
        inner = _line_for_a_shell(words)
        if inner is not None and depth < _MOST_DEPTH:
            yield from simple_commands(inner, depth=depth + 1)
        elif words:
            yield words


def _line_for_a_shell(words: Sequence[str]) -> str | None:
    """Return the line that these words hand to a shell, as `bash -lc LINE` does, or None."""
    match words:
        case [shell, flag, line, *_] if shell.rpartition("/")[2] in _SHELLS and _RUNS_LINE.fullmatch(flag):
            return line
        case _:
            return None


def _parts(line: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|()<>\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    skip_next = False
    try:
        for token in lexer:
            if set(token) <= set("<>&|") and set(token) & set("<>"):
                # A redirection: the number before it and the file after it are no words of the command.
                if words and words[-1].isdigit():
                    words.pop()
                skip_next = True
            elif token and set(token) <= set(";&|()\n"):
                yield words
                words = []
                skip_next = False
            elif skip_next:
                skip_next = False
            else:
                words.append(token)
    except ValueError:
        pass  # a quote that never ends
    yield words


def _bare(words: Sequence[str]) -> list[str]:
    """Return the words without what only starts the program that is meant, and the program without its folder."""
    rest = list(words)
    again = True
    while again:
        again = False
        for before in _BEFORE:
            if tuple(rest[: len(before)]) == before and len(rest) > len(before):
                rest = rest[len(before) :]
                again = True
    if rest:
        rest[0] = rest[0].rpartition("/")[2]
    return rest
