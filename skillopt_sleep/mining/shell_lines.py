"""Read a line for a shell as the simple commands that it is, or not at all: nothing is ever handed to a shell."""

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

LONGEST = 400
MOST_WORDS = 40

# What a shell would put something else for. A word that was quoted may hold them; it isn't read either.
_EXPANDED = re.compile(r"[$`\\*?{}~!#\n\r\0]")
_SAME_OUTPUT = re.compile(r"\s*2>&1\s*(?=$|&&)")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=")
# They change how a program looks or waits, not what it finds.
_HARMLESS = frozenset(
    {"CI", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "TERM", "COLUMNS", "LANG", "LC_ALL", "PYTHONUNBUFFERED"}
    | {"PYTHONDONTWRITEBYTECODE", "RUST_BACKTRACE", "PAGER", "GIT_PAGER"}
)
_OPERATOR = frozenset(";&|()<>")
_ACTIVATE = re.compile(r"(?:\./)?\.?venv/bin/activate")


class Line(NamedTuple):
    """One simple command: its words, and the folder it runs in, relative to where the line was given or absolute."""

    words: tuple[str, ...]
    folder: str = ""


def simple_lines(text: str) -> tuple[Line, ...]:
    """Return the simple commands of a line, which run one after the other as long as each succeeds.

    It is empty for a line with anything else: a pipe, a redirection, a variable, a pattern, a background program.
    """
    plain = _SAME_OUTPUT.sub("", text.strip())
    if not plain or len(plain) > LONGEST or _EXPANDED.search(plain):
        return ()
    lines: list[Line] = []
    folder = ""
    for words in _commands(plain):
        match _without_assignments(words):
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


def _commands(line: str) -> Iterator[list[str]]:
    """Yield the words between each `&&`; an empty list stands for what isn't a simple command."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="".join(_OPERATOR))
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        for count, token in enumerate(lexer):
            if count > MOST_WORDS:
                yield []
                return
            if token == "&&":  # noqa: S105 - no password
                yield words
                words = []
            elif token and set(token) <= _OPERATOR:
                yield []
                return
            else:
                words.append(token)
    except ValueError:
        yield []  # a quote that never ends
        return
    yield words


def _without_assignments(words: Sequence[str]) -> list[str]:
    """Return the words without harmless assignments in front; none if another one is made."""
    rest = list(words)
    while rest and (match := _ASSIGNMENT.match(rest[0])):
        if match[1] not in _HARMLESS:
            return []
        rest.pop(0)
    return rest
