"""Read a line for a shell into plain arguments of known runners.

Only options from a list are taken, and paths only if they are in the repository: what a session says never becomes
another option, a path outside or a line for a shell. A line's status is that of its commands, unless the output goes
through a pipe: then only that they ran is known.
"""

import re
from collections import deque
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from skillopt_sleep.kit.shell import launched, read_line
from skillopt_sleep.mining.runners import LONGEST, LOOKS, Checkout, Runner, known_runner

MOST_WORDS = 40
MOST_ARGUMENTS = 20

_VALUE = re.compile(r"[\w.:/@][\w .:/@,=()\[\]+-]{0,199}")
_WORD = re.compile(r"[\w./:@][\w./:@,-]{0,199}")
_OWN_PROGRAM = re.compile(r"(?:.*/)?(?:\.?venv/bin|node_modules/\.bin)/([\w.-]+)")
# What a shell would put something else for. A word that was quoted may hold them; it isn't read either.
_EXPANDED = re.compile(r"[$`\\*?{}~!#\n\r\0]")
_SAME_OUTPUT = re.compile(r"\s*2>&1\s*(?=$|&&|\|)")
_ACTIVATE = re.compile(r"(?:\./)?\.?venv/bin/activate")
_SHOWS = frozenset({"tail", "head", "cat", "less", "grep", "tee"})  # they only show what another program printed


class Line(NamedTuple):
    """One simple command: its words, and the folder it runs in, relative to where the line was given or absolute."""

    words: tuple[str, ...]
    folder: str = ""


class Runnable(NamedTuple):
    """A known runner with its arguments, and the folder it runs in, below the repository's root.

    `words` are those that the command begins with, as they were typed; `paths` are those of its arguments that are
    files or folders, from the root.
    """

    argv: tuple[str, ...]
    folder: str
    runner: Runner
    words: tuple[str, ...]
    paths: tuple[str, ...] = ()

    @property
    def wanted(self) -> str:
        """The words with which a command begins that counts as this one, whatever its options and files."""
        if self.runner.defined_in:
            return " ".join(self.argv)
        return " ".join(self.runner.words).removeprefix("python -m ")

    @property
    def whole(self) -> "Runnable":
        """The same runner without the paths that narrow it."""
        return self._replace(argv=self.words, paths=()) if self.runner.takes == "tests" else self


def runnables(text: str, checkout: Checkout, *, shown: bool = False) -> tuple[Runnable, ...]:
    """Return the known runners of a line whose status is theirs, in order; none if it has anything else.

    If it may be `shown`, its output may go through a pipe: then only that they ran is known.
    """
    found: list[Runnable] = []
    for line in simple_lines(text, shown=shown):
        folder = checkout.inside(line.folder or ".")
        if folder is None or (folder and folder not in checkout.folders):
            return ()
        runnable = read_words(line.words, checkout._replace(folder=folder))
        if runnable is not None:
            found.append(runnable)
    return tuple(found)


def simple_lines(text: str, *, shown: bool = False) -> tuple[Line, ...]:
    """Return the simple commands of a line, which run one after the other as long as each succeeds.

    It is empty for a line with anything else: a redirection, a variable, a pattern, a background program, or a pipe
    unless that only shows the output, as in `pytest | tail`, and the line may be `shown`.
    """
    plain = _SAME_OUTPUT.sub("", text.strip())
    if not plain or len(plain) > LONGEST or _EXPANDED.search(plain):
        return ()
    line = read_line(plain)
    steps = line.steps if line.whole else ()
    while shown and len(steps) > 1 and steps[-1].before == "|" and steps[-1].words[0] in _SHOWS:
        steps = (*steps[:-2], steps[-2]._replace(after=steps[-1].after))
    if sum(len(step.words) for step in steps) > MOST_WORDS or (steps and steps[-1].after):
        return ()
    lines: list[Line] = []
    folder = ""
    for number, step in enumerate(steps):
        follows = step.before == ("&&" if number else "")
        if not follows or step.within or step.redirected or step.assigned:
            return ()
        match step.words:
            case ["cd", path]:
                folder = str(PurePosixPath(folder, path))
            case ["source" | ".", path] if _ACTIVATE.fullmatch(path):
                continue
            case ["cd" | "source" | ".", *_]:
                return ()
            case words:
                lines.append(Line(words, folder))
    return tuple(lines)


def read_words(words: Sequence[str], checkout: Checkout) -> Runnable | None:
    """Return the known runner that these words start, or None if it or one of its arguments isn't known."""
    bare = launched(words)
    if bare and "/" in bare[0]:
        own = _OWN_PROGRAM.fullmatch(bare[0])
        bare[0] = own[1] if own and checkout.inside(bare[0]) is not None else ""
    runner = known_runner(bare)
    if runner is None:
        return None
    of_python = runner.words[0] != "python" and bare[0].startswith("python")
    start = len(runner.words) + (2 if of_python else 0)  # behind `python -m`
    read = _arguments(bare[start:], runner, checkout)
    if read is None or runner.lacks(read[0]):
        return None
    kept, paths = read
    if runner.defined_in and not checkout.defines(runner, kept or runner.words[1:]):
        return None
    begins = tuple(bare[:start])
    return Runnable((*begins, *kept), checkout.folder, runner, begins, paths)


def narrowed(runnable: Runnable, tests: Sequence[str]) -> Runnable | None:
    """Return the runner with these test files alone, or None if it takes none."""
    own = [path for path in tests if PurePosixPath(path).name != "conftest.py"]
    if runnable.runner.takes != "tests" or not own or len(own) > MOST_ARGUMENTS:
        return None
    named = [_seen_from(runnable.folder, path) for path in own]
    if not all(map(_WORD.fullmatch, named)):
        return None
    return runnable._replace(argv=(*runnable.words, *named), paths=tuple(own))


def _arguments(words: Sequence[str], runner: Runner, checkout: Checkout) -> tuple[list[str], tuple[str, ...]] | None:
    """Return the arguments that are kept, and the paths among them; None if one isn't known."""
    kept: list[str] = []
    paths: list[str] = []
    rest = deque(words)
    while rest:
        word = rest.popleft()
        name, equals, value = word.partition("=")
        mark = runner.options.get(name)
        if mark in {"=", "=/"}:
            if not equals:
                value = rest.popleft() if rest else ""
            if not _VALUE.fullmatch(value) or not _is_inside(value):
                return None
            if mark == "=/" and not checkout.has(checkout.inside(value) or ""):
                return None
            kept += [name, value]
        elif word in runner.options:
            kept.append(word)
        elif name not in LOOKS:
            argument, inside = _positional(word, runner, checkout)
            if not argument:
                return None
            kept.append(argument)
            paths += filter(None, [inside])
    return kept, tuple(paths)


def _is_inside(word: str) -> bool:
    return not word.startswith("/") and ".." not in word.split("/")


def _positional(word: str, runner: Runner, checkout: Checkout) -> tuple[str, str]:
    """Return a plain argument, "" if it isn't known; a path as seen from the folder, and also from the root."""
    if word.startswith("-") or runner.takes == "nothing":
        return "", ""
    if runner.takes in {"names", "defined"}:
        return (word, "") if _WORD.fullmatch(word) and _is_inside(word) else ("", "")
    path, colons, test = word.partition("::")
    inside = checkout.inside(path)
    if inside is None or (inside and not checkout.has(inside)) or (test and not _VALUE.fullmatch(test)):
        return "", ""
    seen = _seen_from(checkout.folder, inside)
    return ("", "") if not seen or seen.startswith("-") else (seen + colons + test, inside)


def _seen_from(folder: str, inside: str) -> str:
    """Return a path of the repository as seen from one of its folders, or "" if it isn't below it."""
    if not folder:
        return inside or "."
    if not inside or not PurePosixPath(inside).is_relative_to(folder):
        return ""
    return str(PurePosixPath(inside).relative_to(folder))
