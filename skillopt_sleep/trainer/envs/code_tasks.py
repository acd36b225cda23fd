"""Programs to write, judged by tests that run in a seal; reads HumanEval's and MBPP's own files."""

import hashlib
import shlex
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NamedTuple, cast

from skillopt_sleep.errors import ItemError
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.trainer.env import Item, Result, kind_of
from skillopt_sleep.trainer.envs.dataset import ask
from skillopt_sleep.trainer.envs.datasets import AtLeastOne, DataEnv
from skillopt_sleep.trainer.envs.programs import NO_PROGRAM, Runnable, no_test_ran, of_several, program_of, why_failed
from skillopt_sleep.trainer.envs.reading import Row, kind_of_row, optional, text_of, texts_of
from skillopt_sleep.trainer.envs.sealed_runs import SealedRuns, is_inside, usual_seal

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

    @cached_property
    def runs(self) -> SealedRuns:
        """Return what runs the tests; raise ConfigError if nothing can be sealed on this machine."""
        return SealedRuns(usual_seal(), seconds=self.seconds)

    @cached_property
    def _runnable(self) -> Runnable:
        return Runnable(self.runs)

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
        ended = self.runs.run(data["argv"], files)
        if no_test_ran(data["argv"], ended.status):
            raise ItemError(f"{shlex.join(data['argv'])} found no test to run")
        reached = not data["passed"] or data["passed"] in ended.stdout.splitlines()
        passed = ended.status == 0 and reached
        why = ""
        if not passed:
            why = "it ended before its tests did" if ended.status == 0 else why_failed(ended)
            why += of_several(reply)
        return Result(hard=float(passed), soft=float(passed), response=reply, why=why)

    def item(self, row: Row, name: str, path: Path) -> Item:
        """Return a task; raise ValueError also if it couldn't be tested here."""
        del path
        name = optional(row, "id", "task_id", "uid") or name
        tested = task_of(row, name)
        self._runnable.check(tested.argv, tested.tests, {*tested.tests, *tested.files, tested.answer_file})
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
    if not is_inside(answer_file) or answer_file in tests:
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
        if not isinstance(text, str) or not is_inside(path):
            raise ValueError(f"in its {name!r} {path!r} leads out of the folder, or has no text")
        texts[path] = text
    return texts
