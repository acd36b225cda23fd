"""Programs to write, judged by tests that run in a seal; reads HumanEval's and MBPP's own files."""

import ast
import hashlib
import shlex
import sys
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import ClassVar, NamedTuple, cast

from skillopt_sleep.errors import ItemError
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.trainer.env import Item, Result, kind_of
from skillopt_sleep.trainer.envs.dataset import ask
from skillopt_sleep.trainer.envs.datasets import AtLeastOne, DataEnv
from skillopt_sleep.trainer.envs.programs import NO_PROGRAM, of_several, program_of, run_sealed, why_failed
from skillopt_sleep.trainer.envs.reading import Row, kind_of_row, optional, text_of, texts_of

FORM = """\
Think as long as you need to. Then give the whole file in one code block between ``` and ```: nothing else is run, and
there is no network."""
SOLUTION = "solution.py"
CHECKS = "checks.py"
RUNNER = "run_checks.py"
# The solution is no program of its own here: one that ends early hasn't passed. The last line is printed by no test.
_RUNNER = """\
import runpy
from pathlib import Path

space = runpy.run_path("{solution}", run_name="solution")
exec(compile(Path("{checks}").read_text(), "{checks}", "exec"), space)
print("\\n{passed}")
"""
_RUNNERS = ("pytest", "unittest")
_NO_TEST_RAN = 5  # their status then, of unittest from Python 3.12 on
_QUESTION_SECONDS = 5
# Whether a program is there, and of a Python whether it has a module.
_HAS_PROGRAM = ("sh", "-c", 'command -v "$1"', "sh")
_HAS_MODULE = "import sys, importlib.util as u; sys.exit(u.find_spec(sys.argv[1]) is None)"


class Tested(NamedTuple):
    """A program to write: the request, the file it goes to and what stands before it, and how it is tested."""

    request: str
    files: Mapping[str, str]
    tests: Mapping[str, str]
    argv: Sequence[str]
    answer_file: str = SOLUTION
    before: str = ""
    passed: str = ""


class CodeTasks(DataEnv, frozen=True, kw_only=True, dict=True):
    """Rows with `prompt`, `tests` (texts by path) and `command`, perhaps `files` and `answer_file`; HumanEval, MBPP.

    The target answers with one file. It is put beside the `files`, then the tests are, and the command decides by its
    exit status. Each run may take so many `seconds` of a processor.
    """

    name: ClassVar[str] = "code_tasks"

    seconds: AtLeastOne = 20

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """Ask for one file and test it; hard and soft are 1 if the tests pass.

        Raises SealBroken if it wasn't run, ItemError if no test was.
        """
        reply = ask(target, item.text, skill=skill, form=FORM, sample=sample)
        program = program_of(reply)
        if not program.strip():
            return Result(response=reply, why=NO_PROGRAM)
        data = item.data
        files = {**data["files"], data["answer_file"]: data["before"] + program, **data["tests"]}
        ended = run_sealed(data["argv"], files, seconds=self.seconds)
        if ended.status == _NO_TEST_RAN and any(word.rpartition("/")[2] in _RUNNERS for word in data["argv"]):
            raise ItemError(f"{shlex.join(data['argv'])} found no test to run")
        reached = not data["passed"] or data["passed"] in ended.stdout.splitlines()
        passed = ended.status == 0 and reached
        why = ""
        if not passed:
            why = "it ended before its tests did" if ended.status == 0 else why_failed(ended)
            why += of_several(reply)
        return Result(hard=float(passed), soft=float(passed), response=reply, why=why)

    def item(self, row: Row, name: str, path: Path) -> Item:
        """Return a task; raise ValueError also if it couldn't be tested here, whatever the answer is."""
        del path
        name = optional(row, "id", "task_id", "uid") or name
        tested = task_of(row, name)
        check_command(tested.argv, tested.tests, {*tested.tests, *tested.files, tested.answer_file})
        return Item(
            id=name,
            text=tested.request,
            kind=kind_of_row(row, "type", "category", "difficulty"),
            data={**tested._asdict(), "argv": list(tested.argv)},
        )


def task_of(row: Row, name: str) -> Tested:
    """Return what a row asks for; raise ValueError if it has none of the known forms."""
    if "entry_point" in row and "test" in row:  # HumanEval
        text_of(row, "prompt")
        start = str(row["prompt"]).rstrip()
        checks = f"{row['test']}\n\ncheck({text_of(row, 'entry_point')})\n"
        request = f"Complete this Python file:\n\n```python\n{start}\n```"
        # What stands before the function may be needed, and its first definition is replaced.
        return _by_python(request, checks, name, before=f"{start}\n\n\n")
    if "test_list" in row:  # MBPP
        tests = texts_of(row["test_list"])
        setup = "\n".join([*texts_of(row.get("test_imports") or ()), optional(row, "test_setup_code")])
        request = f"{text_of(row, 'prompt', 'text')}\n\nWrite it in Python. This must hold:\n\n{tests[0]}"
        return _by_python(request, "\n".join([setup, *tests]), name)
    if "base_commit" in row or "FAIL_TO_PASS" in row:
        raise ValueError("it asks for a change of a whole repository, as SWE-bench does, which isn't supported")
    return _own(row)


def _by_python(request: str, checks: str, name: str, *, before: str = "") -> Tested:
    passed = f"passed {hashlib.blake2b(name.encode(), digest_size=8).hexdigest()}"
    runner = _RUNNER.format(solution=SOLUTION, checks=CHECKS, passed=passed)
    tests = {CHECKS: checks, RUNNER: runner}
    return Tested(request, {}, tests, ("python3", RUNNER), before=before, passed=passed)


def _own(row: Row) -> Tested:
    argv = _command(row)
    files, tests = _texts(row, "files"), _texts(row, "tests")
    if not any(text.strip() for text in tests.values()):
        raise ValueError("it has no 'tests', so nothing would tell a right answer")
    answer_file = optional(row, "answer_file") or SOLUTION
    if not _is_inside(answer_file) or answer_file in tests:
        raise ValueError(f"its 'answer_file' {answer_file!r} leads out of the folder, or is one of its tests")
    request = text_of(row, "prompt", "question")
    shown = "\n\n".join(f"`{path}`:\n\n```\n{text}\n```" for path, text in files.items())
    if shown:
        request += f"\n\nThese files are there:\n\n{shown}"
    return Tested(f"{request}\n\nYour file is `{answer_file}`.", files, tests, argv, answer_file)


def _command(row: Row) -> list[str]:
    """Return the program that runs the tests, with its arguments; raise ValueError if it is none."""
    command: object = row.get("command")
    if command is not None and not isinstance(command, str | list):
        raise ValueError(f"its 'command' is {kind_of(command)}, not a text or a list of texts")
    argv = shlex.split(command) if isinstance(command, str) else list(texts_of(cast("object", command)))
    if not argv:
        raise ValueError("it has no 'command' that runs its tests")
    return argv


def _texts(row: Row, name: str) -> dict[str, str]:
    """Return a field with texts by path; raise ValueError if it is anything else, or a path leads out."""
    raw: object = row.get(name) or {}
    if not isinstance(raw, Mapping):
        raise ValueError(f"its {name!r} is not an object with the text of each file by its path")  # noqa: TRY004 - the row's value is wrong
    texts: dict[str, str] = {}
    for path, text in cast("Mapping[str, object]", raw).items():
        if not isinstance(text, str) or not _is_inside(path):
            raise ValueError(f"in its {name!r} {path!r} leads out of the folder, or has no text")
        texts[path] = text
    return texts


def _is_inside(relative: str) -> bool:
    """Return whether a path stays in the folder that it is relative to."""
    path = PurePosixPath(relative)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def check_command(argv: Sequence[str], tests: Mapping[str, str], present: Collection[str]) -> None:
    """Raise ValueError if the command or the tests couldn't run beside these files."""
    program, *words = argv
    named = [word for word in words if word.endswith(".py") and not word.startswith(("-", "/")) and " " not in word]
    if "/" in program and not program.startswith("/"):
        named.append(program)
    elif not _is_there(*_HAS_PROGRAM, program):
        raise ValueError(f"its 'command' runs {program!r}, which isn't there where tests are run")
    for word in named:
        if str(PurePosixPath(word)) not in present:
            raise ValueError(f"its 'command' names {word!r}, which isn't among its tests and files")
    runner = program.rpartition("/")[2]
    if runner not in {"python", "python3", "pytest"}:
        return
    parts = {part.removesuffix(".py") for path in present for part in PurePosixPath(path).parts}
    modules = [module for path, text in tests.items() if path.endswith(".py") for module in _imported(path, text)]
    if "-m" in words[:-1]:
        modules.append(words[words.index("-m") + 1])
    for module in sorted({module.partition(".")[0] for module in modules} - parts - sys.stdlib_module_names):
        # pytest may have a Python of its own, whose modules aren't known.
        if runner != "pytest" and not _is_there(program, "-c", _HAS_MODULE, module):
            raise ValueError(f"it needs the module {module!r}, which isn't there where tests are run")


@cache
def _is_there(*question: str) -> bool:
    """Return whether a question that is put to the seal ends well."""
    return run_sealed(question, {}, seconds=_QUESTION_SECONDS).status == 0


def _imported(path: str, text: str) -> Iterator[str]:
    """Yield the modules that a test imports in any case; raise ValueError if it isn't Python."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of odd escapes, which are the author's own
            tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"its test {path!r} isn't Python: {error}") from error
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            yield from (name.name for name in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            yield statement.module
