"""Know the programs that test, build, lint and check types, and read a command of theirs into plain arguments.

Only options from a list are taken, and paths only if they are in the repository: what a session says never becomes
another option, a path outside or a line for a shell.
"""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from skillopt_sleep.kit.shell import launched
from skillopt_sleep.mining.grounds import Grounds
from skillopt_sleep.mining.runner_table import RUNNERS, Kind, Runner, Takes
from skillopt_sleep.mining.shell_lines import Line, shown_lines, simple_lines

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
_BIN = re.compile(r"(?:.*/)?(?:\.?venv|node_modules|vendor)/(?:\.?bin)/([\w.-]+)")
_SYSTEM = re.compile(r"(?:/usr/local|/usr|/opt/homebrew)?/bin/([\w.-]+)")
_PYTHON = re.compile(r"python(?:3(?:\.\d+)?)?")
_TEST_FILE = re.compile(
    r"(?:.*/)?(?:test_[^/]*\.py|[^/]*_test\.(?:py|go|rb)|conftest\.py|[^/]*[.-](?:test|spec)\.[cm]?[jt]sx?"
    r"|[^/]*_spec\.rb|__tests__/.*|[^/]*Test\.(?:java|php|kt))"
)


class Runnable(NamedTuple):
    """A known runner with its arguments, and the folder it runs in, below the repository's root.

    `paths` are those of its arguments that are files or folders, from the root.
    """

    argv: tuple[str, ...]
    folder: str
    kind: Kind
    runner: Runner
    paths: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The command as a person would type it."""
        return " ".join(self.argv)

    @property
    def words(self) -> tuple[str, ...]:
        """The words that the command begins with, as they were typed."""
        return (self.argv[0], *self.runner.words[1:])

    @property
    def whole(self) -> "Runnable":
        """The same runner without the paths that narrow it."""
        if not self.paths or not self.runner.narrows:
            return self
        return self._replace(argv=self.words, paths=())


class Place(NamedTuple):
    """Where lines are given: the repository's root as an absolute path, and the folder below it."""

    root: str
    folder: str = ""


def is_test(path: str) -> bool:
    """Tell whether a file's name says that it holds tests, or what they share."""
    return _TEST_FILE.fullmatch(path) is not None


def runnables(text: str, place: Place, grounds: Grounds) -> tuple[Runnable, ...]:
    """Return the known runners of a line whose status is theirs, in order; none if it has anything else."""
    return _of_lines(simple_lines(text), place, grounds)


def runnables_shown(text: str, place: Place, grounds: Grounds) -> tuple[Runnable, ...]:
    """Return the known runners of a line that may show their output through a pipe: that they ran is all it tells."""
    return _of_lines(shown_lines(text), place, grounds)


def _of_lines(lines: Sequence[Line], place: Place, grounds: Grounds) -> tuple[Runnable, ...]:
    found: list[Runnable] = []
    for line in lines:
        folder = inside_of(line.folder or ".", place)
        if folder is None or (folder and folder not in grounds.folders):
            return ()
        runnable = read_words(line.words, Place(place.root, folder), grounds)
        if runnable is not None:
            found.append(runnable)
    return tuple(found)


def starts_runner(text: str) -> bool:
    """Tell whether a text begins like a command of a known runner."""
    return any(tuple(text.split()[: len(runner.words)]) == runner.words for runner in RUNNERS)


def read_words(words: Sequence[str], place: Place, grounds: Grounds) -> Runnable | None:
    """Return the known runner that these words start, or None if it or one of its arguments isn't known."""
    bare = _bare(words, place)
    if not bare:
        return None
    program = "python" if _PYTHON.fullmatch(bare[0]) else bare[0]
    for runner in RUNNERS:
        count = len(runner.words)
        if (program, *bare[1:count]) == runner.words:
            read = _Arguments(runner, place, grounds).read(bare[count:])
            return read and read._replace(argv=(bare[0], *read.argv[1:]))
    return None


def narrowed(runnable: Runnable, tests: Sequence[str]) -> Runnable | None:
    """Return the runner with these test files alone, or None if it takes none."""
    own = [path for path in tests if PurePosixPath(path).name != "conftest.py"]
    if not runnable.runner.narrows or not own or len(own) > MOST_ARGUMENTS:
        return None
    inside: list[str] = []
    for path in own:
        if runnable.folder and not PurePosixPath(path).is_relative_to(runnable.folder):
            return None
        inside.append(str(PurePosixPath(path).relative_to(runnable.folder or ".")))
    if not all(map(_WORD.fullmatch, inside)):
        return None
    return runnable._replace(argv=(*runnable.words, *inside), paths=tuple(own))


def _bare(words: Sequence[str], place: Place) -> list[str]:
    """Return the words without what only finds the program, and the program by its bare name."""
    rest = launched(words)
    if rest:
        rest[0] = _program(rest[0], place)
    return rest


def _program(word: str, place: Place) -> str:
    """Return a program's bare name, or "" for one of another place than the repository's and the system's own."""
    if "/" not in word:
        return word
    if system := _SYSTEM.fullmatch(word):
        return system[1]
    own = _BIN.fullmatch(word)
    if own and inside_of(word, place) is not None:
        return own[1]
    return ""


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
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part == ".git":
            return None
        else:
            parts.append(part)
    return "/".join(parts)


class _Arguments:
    """Reads the arguments of one runner."""

    def __init__(self, runner: Runner, place: Place, grounds: Grounds) -> None:
        self._runner = runner
        self._place = place
        self._grounds = grounds
        self._paths: list[str] = []

    def read(self, words: Sequence[str]) -> Runnable | None:
        """Return the command, or None if one of its arguments isn't known."""
        runner = self._runner
        rest = list(words)
        kept: list[str] = []
        while rest:
            word = rest.pop(0)
            taken = self._take(word, rest)
            if taken is None:
                return None
            kept += taken
        if len(kept) > MOST_ARGUMENTS or not self._is_there(kept):
            return None
        if runner.needs and runner.needs.isdisjoint(kept):
            return None
        argv = (*runner.words, *kept)
        return Runnable(argv, self._place.folder, _kind(runner, argv), runner, tuple(self._paths))

    def _take(self, word: str, rest: list[str]) -> list[str] | None:
        """Return what is kept of a word, with its value taken from the rest, or None for an unknown one."""
        runner = self._runner
        name, _, value = word.partition("=")
        if word in runner.looks or name in runner.looks:
            return []
        if word in runner.flags:
            return [word]
        if name in runner.valued or word in runner.valued:
            if "=" not in word:
                value = rest.pop(0) if rest else ""
            return self._with_value(name, value)
        if word == "--" and runner.after_dashes:
            return self._after_dashes(rest)
        return None if word.startswith("-") else self._positional(word)

    def _with_value(self, name: str, value: str) -> list[str] | None:
        if not _VALUE.fullmatch(value) or value.startswith("/") or ".." in value.split("/"):
            return None
        if name in self._runner.paths_valued:
            inside = inside_of(value, self._place)
            if inside is None or not self._grounds.has(inside):
                return None
        return [name, value]

    def _after_dashes(self, rest: list[str]) -> list[str] | None:
        after = tuple(rest)
        rest.clear()
        return ["--", *after] if after in self._runner.after_dashes else None

    def _positional(self, word: str) -> list[str] | None:
        if self._runner.takes is Takes.PATHS:
            return self._path(word)
        if self._runner.takes is Takes.NOTHING or not _WORD.fullmatch(word) or word.startswith("/"):
            return None
        return None if ".." in word.split("/") else [word]

    def _path(self, word: str) -> list[str] | None:
        """Return a path as it is seen from the folder, if it is in the repository; a test's name may follow it."""
        path, colons, test = word.partition("::")
        inside = inside_of(path, self._place)
        if inside is None or (inside and not self._grounds.has(inside)) or (test and not _VALUE.fullmatch(test)):
            return None
        if inside:
            self._paths.append(inside)
        seen = _seen_from(self._place.folder, inside)
        return None if seen is None or seen.startswith("-") else [seen + colons + test]

    def _is_there(self, kept: Sequence[str]) -> bool:
        """Tell whether what the runner is to run is defined in the repository."""
        takes = self._runner.takes
        if takes not in {Takes.TARGETS, Takes.RECIPES, Takes.SCRIPTS}:
            return True
        folder = self._place.folder
        by_folder = {
            Takes.TARGETS: self._grounds.targets,
            Takes.RECIPES: self._grounds.recipes,
            Takes.SCRIPTS: self._grounds.scripts,
        }[takes]
        names = [word for word in kept if not word.startswith("-")] or list(self._runner.implied)
        defined = by_folder.get(folder, frozenset())
        return bool(names) and all(name in defined and _CHECKING.fullmatch(name) for name in names)


def _kind(runner: Runner, argv: Sequence[str]) -> Kind:
    """Return what a command tells; that of a target or script is in its name, if anywhere."""
    if runner.takes not in {Takes.TARGETS, Takes.RECIPES, Takes.SCRIPTS}:
        return runner.kind
    name = argv[-1]
    for pattern, kind in _KINDS:
        if pattern.search(name):
            return kind
    return runner.kind


def _seen_from(folder: str, inside: str) -> str | None:
    """Return a path of the repository as seen from one of its folders, or None if it isn't below it."""
    if not folder:
        return inside or "."
    if not inside or not PurePosixPath(inside).is_relative_to(folder):
        return None
    return str(PurePosixPath(inside).relative_to(folder))
