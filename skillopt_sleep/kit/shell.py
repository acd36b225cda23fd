"""Read a line for a shell as the simple commands in it, and how they are connected; nothing is handed to a shell."""

import re
import shlex
from collections.abc import Sequence
from itertools import dropwhile
from typing import NamedTuple

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=")
_OPERATOR = frozenset(";&|()<>\n")
_MARK = re.compile(r"&&|\|\||\|&|;;|[;&|()\n]")
_DOCUMENT = re.compile(r"(<<-?[ \t]*(['\"]?)(\w+)\2[^\n]*)\n.*?^[ \t]*\3[ \t]*$", re.DOTALL | re.MULTILINE)
_SHELLS = frozenset({"sh", "bash", "zsh", "dash"})
_RUNS_LINE = re.compile(r"-\w*c")  # `bash -lc LINE`
# What only finds or times the program that is meant; some need a network for it.
_LAUNCHERS = (
    ("uv", "run"),
    ("poetry", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("pipenv", "run"),
    ("rye", "run"),
    ("pnpm", "exec"),
    ("npm", "exec", "--"),
    ("yarn", "exec"),
    ("npx", "--no-install"),
    ("npx",),
    ("bunx",),
    ("uvx",),
    ("bundle", "exec"),
    ("time",),
    ("env",),
)


class ShellCommand(NamedTuple):
    """One simple command of a line: its words, assignments in front of it included, and what stands around it.

    `before` and `after` are the operators that connect it with its neighbours, "" at an end of the line. `within` has
    the operator before each bracket that it stands in.
    """

    words: tuple[str, ...]
    before: str = ""
    after: str = ""
    within: tuple[str, ...] = ()
    redirected: bool = False

    @property
    def bare(self) -> list[str]:
        """The words without the assignments in front."""
        return list(dropwhile(_ASSIGNMENT.match, self.words))

    @property
    def assigned(self) -> tuple[str, ...]:
        """The names that are assigned in front of the command, for it alone."""
        found: list[str] = []
        for word in self.words:
            match = _ASSIGNMENT.match(word)
            if match is None:
                break
            found.append(match[1])
        return tuple(found)


class ShellLine(NamedTuple):
    """The simple commands of a line in order; `whole` unless a quote never ends."""

    steps: tuple[ShellCommand, ...]
    whole: bool = True


def read_line(line: str) -> ShellLine:
    """Return the simple commands of a line; the text of here-documents and comments is left out."""
    lexer = shlex.shlex(_DOCUMENT.sub(r"\1", line), posix=True, punctuation_chars="".join(sorted(_OPERATOR)))
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    reader = _Reader()
    try:
        for token in lexer:
            reader.take(token)
    except ValueError:
        reader.end()
        return ShellLine(tuple(reader.steps), whole=False)
    reader.end()
    return ShellLine(tuple(reader.steps))


def launched(words: Sequence[str]) -> list[str]:
    """Return the words without what only starts the program that is meant: `uv run`, `npx`, `time`."""
    rest = list(words)
    again = True
    while again:
        again = False
        for launcher in _LAUNCHERS:
            if tuple(rest[: len(launcher)]) == launcher and len(rest) > len(launcher):
                rest = rest[len(launcher) :]
                again = True
    return rest


def line_for_a_shell(words: Sequence[str]) -> str | None:
    """Return the line that these words hand to a shell, as `bash -lc LINE` does, or None."""
    match words:
        case [shell, flag, line, *_] if shell.rpartition("/")[2] in _SHELLS and _RUNS_LINE.fullmatch(flag):
            return line
        case _:
            return None


class _Reader:
    """Puts the tokens of a line together."""

    def __init__(self) -> None:
        self.steps: list[ShellCommand] = []
        self._words: list[str] = []
        self._before = ""
        self._within: list[str] = []
        self._redirected = False
        self._skips_next = False
        self._in_comment = False

    def take(self, token: str) -> None:
        """Take the next token."""
        if not token or not set(token) <= _OPERATOR:
            self._word(token)
        elif set(token) & set("<>"):
            # A redirection: the number before it and the file after it are no words of the command.
            if self._words and self._words[-1].isdigit():
                self._words.pop()
            self._skips_next = self._redirected = True
        else:
            for mark in _MARK.findall(token):
                self._mark(mark)

    def end(self) -> None:
        """Take the end of the line."""
        self._close("")

    def _word(self, word: str) -> None:
        if self._in_comment or word.startswith("#"):
            self._in_comment = True
        elif self._skips_next:
            self._skips_next = False
        else:
            self._words.append(word)

    def _mark(self, mark: str) -> None:
        if self._in_comment and mark != "\n":
            return
        self._in_comment = False
        had_words = bool(self._words)
        self._close(mark)
        if mark == "(":
            self._within.append("" if had_words else self._before)
        elif mark == ")":
            self._within = self._within[:-1]
        elif had_words or mark != "\n":
            self._before = mark
            if self.steps:
                self.steps[-1] = self.steps[-1]._replace(after=mark)

    def _close(self, mark: str) -> None:
        """End the command, if there is one, before this operator."""
        if self._words:
            within = tuple(self._within)
            self.steps.append(ShellCommand(tuple(self._words), self._before, mark, within, self._redirected))
        self._words = []
        self._redirected = self._skips_next = False
