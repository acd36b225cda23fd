"""Find the commands that proved a session's work, and read lines for a shell into plain arguments of known runners.

Only options from a list are taken, and paths only if they are in the repository: what a session says never becomes
another option, a path outside or a line for a shell. A line with a pipe isn't read, as its status is another one's.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from posixpath import relpath
from typing import NamedTuple

from skillopt_sleep.agents import AGENTS, SHELLS, WRITERS
from skillopt_sleep.kit.shell import launched, read_line
from skillopt_sleep.mining.runners import LONGEST, LOOKS, Checkout, Runner, is_test, known_runner
from skillopt_sleep.records import Command, Session

MOST_COMMANDS = 4
MOST_TESTS = 100
MOST_ARGUMENTS = 20

_OF_CLAUDE = AGENTS["claude"].tools.shells  # they report a code only if a command failed
# Files by which pytest can be told to pass over tests, wherever they are.
_COLLECTS = ("conftest.py", "*/conftest.py", "pytest.ini", "*/pytest.ini")
_VALUE = re.compile(r"[\w.:/@][\w .:/@,=()\[\]+-]{0,199}")
_WORD = re.compile(r"[\w./:@][\w./:@,-]{0,199}")
_OWN_PROGRAM = re.compile(r"(?:.*/)?(?:\.?venv/bin|node_modules/\.bin)/([\w.-]+)")
# What a shell would put something else for. A word that was quoted may hold them; it isn't read either.
_EXPANDED = re.compile(r"[$`\\*?{}~!#\n\r\0]")
_SAME_OUTPUT = re.compile(r"\s*2>&1\s*(?=$|&&)")
_ACTIVATE = re.compile(r"(?:\./)?\.?venv/bin/activate")


class RunnerCommand(NamedTuple):
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
    def whole(self) -> "RunnerCommand":
        """The same runner without the paths that narrow it."""
        return self._replace(argv=self.words, paths=()) if self.runner.takes == "tests" else self


def turned_commands(
    session: Session, turns: range, first: int, checkout: Checkout
) -> Iterator[tuple[Command, Command | None]]:
    """Yield the commands that turned from failing to passing in these turns, each with its whole if it is narrowed.

    They passed after the `first` correction. Those of tests come also with the files alone that the agent wrote.
    """
    found = {(one.argv, one.folder): one for one in _turned(session, turns, first, checkout)}
    written = _tests_written(session, turns, checkout)
    tried: set[tuple[str, ...]] = set()
    for one in list(found.values())[-MOST_COMMANDS:]:
        whole = _command(one.whole, checkout)
        yield _command(one, checkout), whole if one.paths else None
        argv = _narrowed(one, written)
        if argv and argv not in tried:
            tried.add(argv)
            kept = tuple(path for path in _COLLECTS if path not in written) if "pytest" in argv else ()
            yield Command(argv=argv, folder=one.folder, tests=kept, given=written), whole


def _turned(session: Session, turns: range, first: int, checkout: Checkout) -> Iterator[RunnerCommand]:
    """Yield the commands that passed after the first correction, and that had failed before."""
    failed: set[str] = set()
    for event in session.tools:
        known = event.exit_code is not None or event.name in _OF_CLAUDE
        if event.name not in SHELLS or event.rejected or not known or event.turn not in turns:
            continue
        for one in runnables(event.brief, checkout):
            if event.exit_code or (event.exit_code is None and event.error):
                failed.add(one.wanted)
            elif event.turn >= first - 1 and one.wanted in failed:
                yield one


def _tests_written(session: Session, turns: range, checkout: Checkout) -> tuple[str, ...]:
    """Return the test files that the agent wrote for this request, from the repository's root."""
    files: dict[str, None] = {}
    for event in session.tools:
        if event.name not in WRITERS or event.error or event.rejected or event.turn not in turns:
            continue
        for path in event.brief.split(", "):
            inside = checkout.inside(path)
            if inside and is_test(inside):
                files[inside] = None
    return tuple(files)


def _command(one: RunnerCommand, checkout: Checkout) -> Command:
    """Return the reference, with the files that an attempt may not change as they decide what is checked."""
    deciding = [str(PurePosixPath(one.folder, name)) for name in one.runner.defined_in]
    deciding = [path for path in deciding if path in checkout.files]
    if "pytest" in one.argv:
        deciding += _COLLECTS
    tests: list[str] = []
    for path in filter(is_test, sorted(checkout.files)):
        if any(PurePosixPath(path).is_relative_to(folder or ".") for folder in one.paths or (one.folder,)):
            tests.append(path)
    return Command(argv=one.argv, folder=one.folder, tests=(*deciding, *tests[:MOST_TESTS]))


def _narrowed(one: RunnerCommand, written: Sequence[str]) -> tuple[str, ...]:
    """Return the command for these test files alone, () if it takes none."""
    named = [relpath(path, one.folder or ".") for path in written if PurePosixPath(path).name != "conftest.py"]
    fits = one.runner.takes == "tests" and len(named) <= MOST_ARGUMENTS and all(map(_WORD.fullmatch, named))
    return (*one.words, *named) if named and fits else ()


def runnables(text: str, checkout: Checkout) -> tuple[RunnerCommand, ...]:
    """Return the known runners of a line that runs one command after the other as long as each succeeds.

    It is empty for a line with anything else: a pipe, a redirection, a variable, a pattern, a background program.
    """
    plain = _SAME_OUTPUT.sub("", text.strip())
    line = read_line(plain)
    if len(plain) > LONGEST or _EXPANDED.search(plain) or not line.whole:
        return ()
    found: list[RunnerCommand] = []
    folder: str | None = checkout.folder
    for step in line.steps:
        if not {step.before, step.after} <= {"", "&&"} or step.within or step.redirected or step.assigned:
            return ()
        match step.words:
            case ["cd", path]:
                folder = checkout._replace(folder=folder).inside(path)
                if folder is None or (folder and folder not in checkout.folders):
                    return ()
            case ["source" | ".", path] if _ACTIVATE.fullmatch(path):
                continue
            case ["cd" | "source" | ".", *_]:
                return ()
            case words:
                one = read_words(words, checkout._replace(folder=folder))
                found += [one] if one else []
    return tuple(found)


def read_words(words: Sequence[str], checkout: Checkout) -> RunnerCommand | None:
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
    if runner.defined_in and not checkout.may_define(runner, kept or runner.words[1:]):
        return None
    begins = tuple(bare[:start])
    return RunnerCommand((*begins, *kept), checkout.folder, runner, begins, paths)


def _arguments(words: Sequence[str], runner: Runner, checkout: Checkout) -> tuple[list[str], tuple[str, ...]] | None:
    """Return the arguments that are kept, and the paths among them; None if one isn't known."""
    kept: list[str] = []
    paths: list[str] = []
    rest = deque(words)
    while rest:
        word = rest.popleft()
        name, equals, value = word.partition("=")
        mark = runner.options.get(name)
        if mark == "=":
            if not equals:
                value = rest.popleft() if rest else ""
            if not _VALUE.fullmatch(value) or checkout.inside(value) is None:
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


def _positional(word: str, runner: Runner, checkout: Checkout) -> tuple[str, str]:
    """Return a plain argument, "" if it isn't known; a path as seen from the folder, and also from the root."""
    path, colons, test = word.partition("::")
    inside = checkout.inside(path)
    if word.startswith("-") or runner.takes == "nothing" or inside is None:
        return "", ""
    if runner.takes in {"names", "defined"}:
        return (word if _WORD.fullmatch(word) else ""), ""
    if (inside and not checkout.has(inside)) or (test and not _VALUE.fullmatch(test)):
        return "", ""
    seen = relpath(inside or ".", checkout.folder or ".")
    return ("", "") if seen.startswith("-") else (seen + colons + test, inside)
