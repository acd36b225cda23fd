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
from skillopt_sleep.mining.runners import LONGEST, LOOKS, Grounds, Kind, Runner, Takes, known_runner

MOST_WORDS = 40
MOST_ARGUMENTS = 20

_VALUE = re.compile(r"[\w.:/@][\w .:/@,=()\[\]+-]{0,199}")
_WORD = re.compile(r"[\w./:@][\w./:@,-]{0,199}")
_CHECKING = re.compile(
    r"(?:.*[-_:.])?(?:test|tests|check|checks|lint|linters?|types?|typecheck|verify|build|compile|ci|spec|specs|unit"
    r"|integration|e2e|format|fmt|style|quality|all|tsc|mypy|ruff|eslint|pytest|jest|vitest)(?:[-_:.].*)?"
)
_KINDS = (
    (re.compile(r"lint|style|format|fmt|ruff|eslint|quality"), Kind.LINT),
    (re.compile(r"type|tsc|mypy"), Kind.TYPE),
    (re.compile(r"test|spec|unit|e2e|integration|check|verify|ci|all"), Kind.TEST),
)
_OWN_PROGRAM = re.compile(r"(?:.*/)?(?:\.?venv|node_modules|vendor)/(?:\.?bin)/([\w.-]+)")
_OF_THE_SYSTEM = re.compile(r"(?:/usr/local|/usr|/opt/homebrew)?/bin/([\w.-]+)")
# What a shell would put something else for. A word that was quoted may hold them; it isn't read either.
_EXPANDED = re.compile(r"[$`\\*?{}~!#\n\r\0]")
_SAME_OUTPUT = re.compile(r"\s*2>&1\s*(?=$|&&|\|)")
# They change how a program looks or waits, not what it finds.
_HARMLESS = frozenset(
    {"CI", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "TERM", "COLUMNS", "LANG", "LC_ALL", "PYTHONUNBUFFERED"}
    | {"PYTHONDONTWRITEBYTECODE", "RUST_BACKTRACE", "PAGER", "GIT_PAGER"}
)
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
    def kind(self) -> Kind:
        """What the command tells; that of a target or script is in its name, if anywhere."""
        if self.runner.defined_in:
            for pattern, kind in _KINDS:
                if pattern.search(self.argv[-1]):
                    return kind
        return self.runner.kind

    @property
    def wanted(self) -> str:
        """The words with which a command begins that counts as this one, whatever its options and files."""
        if self.runner.defined_in:
            return " ".join(self.argv)
        return " ".join(self.runner.words).removeprefix("python -m ")

    @property
    def whole(self) -> "Runnable":
        """The same runner without the paths that narrow it."""
        return self._replace(argv=self.words, paths=()) if self.paths and self.runner.narrows else self


class Place(NamedTuple):
    """Where lines are given: the repository's root as an absolute path, and the folder below it."""

    root: str
    folder: str = ""


def runnables(text: str, place: Place, grounds: Grounds, *, shown: bool = False) -> tuple[Runnable, ...]:
    """Return the known runners of a line whose status is theirs, in order; none if it has anything else.

    If it may be `shown`, its output may go through a pipe: then only that they ran is known.
    """
    found: list[Runnable] = []
    for line in simple_lines(text, shown=shown):
        folder = inside_of(line.folder or ".", place)
        if folder is None or (folder and folder not in grounds.folders):
            return ()
        runnable = read_words(line.words, Place(place.root, folder), grounds)
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
        if not follows or step.within or step.redirected or not _HARMLESS.issuperset(step.assigned):
            return ()
        match step.bare:
            case ["cd", path]:
                folder = str(PurePosixPath(folder, path))
            case ["source" | ".", path] if _ACTIVATE.fullmatch(path):
                continue
            case ["cd" | "source" | ".", *_] | []:
                return ()
            case rest:
                lines.append(Line(tuple(rest), folder))
    return tuple(lines)


def read_words(words: Sequence[str], place: Place, grounds: Grounds) -> Runnable | None:
    """Return the known runner that these words start, or None if it or one of its arguments isn't known."""
    bare = launched(words)
    if not bare:
        return None
    bare[0] = _program(bare[0], place)
    runner = known_runner(bare)
    if runner is None:
        return None
    of_python = runner.words[0] != "python" and bare[0].startswith("python")
    start = len(runner.words) + (2 if of_python else 0)  # behind `python -m`
    read = _arguments(bare[start:], runner, place, grounds)
    if read is None or not _is_there(read[0], runner, place.folder, grounds):
        return None
    kept, paths = read
    begins = tuple(bare[:start])
    return Runnable((*begins, *kept), place.folder, runner, begins, paths)


def narrowed(runnable: Runnable, tests: Sequence[str]) -> Runnable | None:
    """Return the runner with these test files alone, or None if it takes none."""
    own = [path for path in tests if PurePosixPath(path).name != "conftest.py"]
    if not runnable.runner.narrows or not own or len(own) > MOST_ARGUMENTS:
        return None
    inside = [_seen_from(runnable.folder, path) for path in own]
    named = [path for path in inside if path and _WORD.fullmatch(path)]
    if len(named) < len(own):
        return None
    return runnable._replace(argv=(*runnable.words, *named), paths=tuple(own))


def inside_of(path: str, place: Place) -> str | None:
    """Return a path below the repository's root, "" for the root itself, or None for one outside."""
    if path.startswith("/"):
        if not PurePosixPath(path).is_relative_to(place.root):
            return None
        path = str(PurePosixPath(path).relative_to(place.root))
    else:
        path = str(PurePosixPath(place.folder, path))
    parts: list[str] = []
    for part in PurePosixPath(path).parts:
        if part == ".git" or (part == ".." and not parts):
            return None
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _program(word: str, place: Place) -> str:
    """Return a program's bare name, or "" for one of another place than the repository's and the system's own."""
    if "/" not in word:
        return word
    if system := _OF_THE_SYSTEM.fullmatch(word):
        return system[1]
    own = _OWN_PROGRAM.fullmatch(word)
    return own[1] if own and inside_of(word, place) is not None else ""


def _arguments(
    words: Sequence[str], runner: Runner, place: Place, grounds: Grounds
) -> tuple[list[str], tuple[str, ...]] | None:
    """Return the arguments that are kept, and the paths among them; None if one isn't known."""
    kept: list[str] = []
    paths: list[str] = []
    rest = deque(words)
    while rest:
        word = rest.popleft()
        name, equals, value = word.partition("=")
        if name in runner.valued:
            if not equals:
                value = rest.popleft() if rest else ""
            if not _VALUE.fullmatch(value) or not _is_inside(value):
                return None
            if name in runner.placed and not grounds.has(inside_of(value, place) or ""):
                return None
            kept += [name, value]
        elif word in runner.flags:
            kept.append(word)
        elif name in LOOKS:
            continue
        else:
            argument, inside = _positional(word, runner, place, grounds)
            if not argument:
                return None
            kept.append(argument)
            paths += filter(None, [inside])
    if len(kept) > MOST_ARGUMENTS or (runner.needs and runner.needs.isdisjoint(kept)):
        return None
    return kept, tuple(paths)


def _is_inside(word: str) -> bool:
    return not word.startswith("/") and ".." not in word.split("/")


def _positional(word: str, runner: Runner, place: Place, grounds: Grounds) -> tuple[str, str]:
    """Return a plain argument, "" if it isn't known; a path as seen from the folder, and also from the root."""
    if word.startswith("-") or runner.takes is Takes.NOTHING:
        return "", ""
    if runner.takes is not Takes.PATHS:
        return (word, "") if _WORD.fullmatch(word) and _is_inside(word) else ("", "")
    path, colons, test = word.partition("::")
    inside = inside_of(path, place)
    if inside is None or (inside and not grounds.has(inside)) or (test and not _VALUE.fullmatch(test)):
        return "", ""
    seen = _seen_from(place.folder, inside)
    return ("", "") if seen is None or seen.startswith("-") else (seen + colons + test, inside)


def _is_there(kept: Sequence[str], runner: Runner, folder: str, grounds: Grounds) -> bool:
    """Tell whether what the runner is to run is defined in the repository, and named like a check."""
    if not runner.defined_in:
        return True
    paths = [str(PurePosixPath(folder, name)) for name in runner.defined_in]
    defined = next((grounds.defined[path] for path in paths if path in grounds.defined), frozenset[str]())
    names = [word for word in kept if not word.startswith("-")] or runner.words[1:]
    return bool(names) and all(name in defined and _CHECKING.fullmatch(name) for name in names)


def _seen_from(folder: str, inside: str) -> str | None:
    """Return a path of the repository as seen from one of its folders, or None if it isn't below it."""
    if not folder:
        return inside or "."
    if not inside or not PurePosixPath(inside).is_relative_to(folder):
        return None
    return str(PurePosixPath(inside).relative_to(folder))
