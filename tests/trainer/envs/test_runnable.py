"""What a row's tests lack is said before an answer is asked for, as every answer would fail them."""

import pytest

from skillopt_sleep.trainer.envs.programs import Runnable, no_test_ran
from skillopt_sleep.trainer.envs.sealed_runs import SealedRuns
from tests.sealing import seal_or_skip

pytestmark = pytest.mark.seal

TEST = "from solution import half\n\nassert half(4) == 2\n"


def checked(command: str, tests: dict[str, str]) -> None:
    runnable = Runnable(SealedRuns(seal_or_skip(), seconds=5))
    for _ in range(2):  # the second time from what is known
        runnable.check(command.split(), tests, {*tests, "solution.py"})


@pytest.mark.parametrize(
    ("command", "tests"),
    [
        ("python3 test_it.py", {"test_it.py": TEST}),
        ("python3 ./test_it.py", {"test_it.py": TEST}),
        ("python3 -m unittest -q test_it", {"test_it.py": f"import unittest\n{TEST}"}),
        ("python3 test_it.py", {"test_it.py": "import helpers\n", "tests/helpers.py": ""}),
        ("python3 test_it.py", {"test_it.py": "try:\n    import numpie\nexcept ImportError:\n    pass\n"}),
        ("python3 -W ignore test_it.py --only=other.py", {"test_it.py": TEST}),
        ("sh run.sh", {"run.sh": "python3 solution.py\n", "test_it.py": "no Python ("}),
        ("./run.sh", {"run.sh": "python3 solution.py\n"}),
    ],
)
def test_what_can_run_is_let_through(command: str, tests: dict[str, str]) -> None:
    checked(command, tests)


@pytest.mark.parametrize(
    ("command", "tests", "said"),
    [
        ("nosuchcmd test_it.py", {"test_it.py": TEST}, "'command' runs 'nosuchcmd', which isn't there"),
        ("./run.sh", {"test_it.py": TEST}, "'command' runs './run.sh', which isn't among"),
        ("python3 test_is.py", {"test_it.py": TEST}, "names 'test_is.py', which isn't among"),
        ("python3 -m numpie", {"test_it.py": TEST}, "'command' runs 'numpie', which isn't there"),
        ("python3 test_it.py", {"test_it.py": "def test(:\n"}, "'test_it.py' isn't Python"),
        ("python3 test_it.py", {"test_it.py": "import numpie.core\n"}, "'test_it.py' imports 'numpie'"),
    ],
)
def test_what_can_not_run_is_named(command: str, tests: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        checked(command, tests)


def test_a_runner_that_found_no_test_is_told_from_a_program_that_ends_so() -> None:
    assert no_test_ran(["pytest", "-q"], 5)
    assert no_test_ran(["python3", "-m", "unittest"], 5)
    assert not no_test_ran(["python3", "test_it.py"], 5)
    assert not no_test_ran(["pytest"], 1)
