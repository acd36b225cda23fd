"""Find the program in a reply, tell if its tests can run here, and say in words how it failed."""

import ast
import re
import sys
import warnings
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath

from skillopt_sleep.trainer.envs.sealed_runs import Ended, SealedRuns

MOST_SAID = 200
NO_PROGRAM = "it gives no code block"
_FENCE = re.compile(
    r"^ {0,3}(?P<ticks>`{3,})[^\n`]*\n(?P<code>.*?)(?:^ {0,3}(?P=ticks)`*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_ERROR = re.compile(
    r"^(?P<name>(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit|Iteration))(?P<said>:.*)?$", re.MULTILINE
)
# Whether a program is there, and of a Python whether it has a module.
_HAS_PROGRAM = ("sh", "-c", 'command -v "$1"', "sh")
_HAS_MODULE = "import sys, importlib.util as u; sys.exit(u.find_spec(sys.argv[1]) is None)"
_RUNNERS = ("pytest", "unittest")
# Those whose tests our own Python can read.
_PYTHONS = frozenset({"python", "python3", f"python3.{sys.version_info.minor}", "pytest"})
NO_TEST_RAN = 5  # the status of pytest, and of unittest from Python 3.12 on


def program_of(reply: str) -> str:
    """Return the content of the last code block, closed or not; "" if there is none."""
    blocks = _blocks(reply)
    return blocks[-1] if blocks else ""


def of_several(reply: str) -> str:
    """Say, behind why a program failed, that it was the last of several code blocks; "" if it was the only one."""
    count = len(_blocks(reply))
    return f"; it was the last of {count} code blocks, of which only that is run" if count > 1 else ""


def _blocks(reply: str) -> list[str]:
    return [found["code"] for found in _FENCE.finditer(reply)]


def why_failed(ended: Ended) -> str:
    """Say how a program or its tests failed; of a failed assertion nothing but that, as it holds what is right."""
    if ended.status is None:
        return "it was ended: it took too long, or more than it may"
    errors = list(_ERROR.finditer(ended.printed))
    if not errors:
        return f"the tests ended with status {ended.status}"
    last = errors[-1]
    if last["name"].endswith("AssertionError"):
        return "a test failed"
    return f"it failed with {last['name']}{(last['said'] or '')[:MOST_SAID]}"


class Runnable:
    """Asks the seal what is there to run tests with; each question is asked once."""

    def __init__(self, runs: SealedRuns) -> None:
        self._runs = runs
        self._known: dict[tuple[str, ...], bool] = {}

    def check(self, argv: Sequence[str], tests: Mapping[str, str], present: Collection[str]) -> None:
        """Raise ValueError if the command or the tests couldn't run beside these files, whatever the answer is."""
        self._check_command(argv, present)
        name = argv[0].rpartition("/")[2]
        is_python = name != "pytest"  # which may have a Python of its own, whose modules aren't known
        if name not in _PYTHONS:
            return
        if is_python and "-m" in argv[:-1]:
            self._check_module(argv[0], argv[argv.index("-m") + 1], "its 'command' runs", present)
        for path, text in tests.items():
            modules = _imported(path, text) if path.endswith(".py") else ()
            if is_python:
                for module in modules:
                    self._check_module(argv[0], module, f"its test {path!r} imports", present)

    def _check_command(self, argv: Sequence[str], present: Collection[str]) -> None:
        """Raise ValueError if the program, or a Python file among its arguments, isn't there."""
        program = argv[0]
        is_ours = "/" in program and not program.startswith("/")
        if is_ours and str(PurePosixPath(program)) not in present:
            raise ValueError(f"its 'command' runs {program!r}, which isn't among its tests and files")
        if not is_ours and not self._has(*_HAS_PROGRAM, program):
            raise ValueError(f"its 'command' runs {program!r}, which isn't there where tests are run")
        for word in argv[1:]:
            is_file = word.endswith(".py") and not word.startswith(("-", "/")) and " " not in word
            if is_file and str(PurePosixPath(word)) not in present:
                raise ValueError(f"its 'command' names {word!r}, which isn't among its tests and files")

    def _check_module(self, program: str, module: str, said: str, present: Collection[str]) -> None:
        """Raise ValueError if a Python has no such module and none of these files is one."""
        first = module.partition(".")[0]
        parts = {part.removesuffix(".py") for path in present for part in PurePosixPath(path).parts}
        if first in parts or first in sys.stdlib_module_names:
            return
        if not self._has(program, "-c", _HAS_MODULE, first):
            raise ValueError(f"{said} {first!r}, which isn't there where tests are run")

    def _has(self, *question: str) -> bool:
        """Return whether a question that is put to the seal ends well."""
        if question not in self._known:
            self._known[question] = self._runs.run(question, {}).status == 0
        return self._known[question]


def no_test_ran(argv: Sequence[str], status: int | None) -> bool:
    """Return whether a test runner says that there was no test to run."""
    return status == NO_TEST_RAN and any(word.rpartition("/")[2] in _RUNNERS for word in argv)


def _imported(path: str, text: str) -> Sequence[str]:
    """Return the modules that a test imports in any case; raise ValueError if it isn't Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes, which are the author's own
            tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"its test {path!r} isn't Python: {error}") from error
    modules: list[str] = []
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            modules += [name.name for name in statement.names]
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            modules.append(statement.module)
    return modules
