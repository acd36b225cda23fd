import json
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import ConfigError, ItemError
from skillopt_sleep.records import Purpose, Split
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.code_tasks import CodeTasks, check_command, task_of
from tests.fakes import FakeBackend
from tests.sealing import seal_or_skip

pytestmark = pytest.mark.seal

HUMANEVAL = {
    "task_id": "HumanEval/900",
    "prompt": "from typing import List\n\ndef half(n):\n    return n / 2\n\n\ndef halves(xs: List[float]) -> List[float]:\n"
    '    """ Halve each number.\n    >>> halves([2.0])\n    [1.0]\n    """\n',
    "entry_point": "halves",
    "canonical_solution": "    return [half(x) for x in xs]\n",
    "test": "\n\nMETADATA = {}\n\n\ndef check(candidate):\n    assert candidate([4.0, 1.0]) == [2.0, 0.5]\n"
    "    assert half(8) == 4\n",
}
MBPP = {
    "task_id": 700,
    "text": "Write a function to count vowels.",
    "code": "…",
    "test_list": ["assert vowels('aba') == 2", "assert vowels('') == 0"],
    "test_setup_code": "",
    "challenge_test_list": [],
}
OWN = {
    "id": "own",
    "prompt": "Mend it.",
    "files": {"lib/shop.py": "def price(n):\n    return n\n"},
    "answer_file": "lib/shop.py",
    "tests": {"test_it.py": "from lib.shop import price\nassert price(2) == 20, 'it is 20'\n"},
    "command": "python3 test_it.py",
}


def items(folder: Path, *rows: object) -> list[Item]:
    seal_or_skip()
    for name in ("train", "val"):
        named = [{**row, "id": f"{name} {n}"} for n, row in enumerate(rows) if isinstance(row, dict)]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, named)), encoding="utf-8")
    return list(CodeTasks(path=str(folder)).items(Split.TRAIN))


def answered(item: Item, program: str) -> Result:
    return CodeTasks(seconds=10).rollout_one(
        item, "", FakeBackend({Purpose.ROLLOUT: f"Here:\n```python\n{program}\n```\n"}), sample=0
    )


def test_humanevals_function_is_tested_by_its_own_check(tmp_path: Path) -> None:
    [item] = items(tmp_path, HUMANEVAL)
    assert "def halves" in item.text
    assert "candidate" not in item.text
    assert "canonical" not in json.dumps(item.data)
    right = answered(item, "def halves(xs: List[float]) -> List[float]:\n    return [half(x) for x in xs]")
    assert (right.hard, right.soft, right.why) == (1, 1, "")
    wrong = answered(item, "def halves(xs):\n    return xs")
    assert (wrong.hard, wrong.why) == (0, "an assertion failed")


def test_mbpps_function_is_tested_by_all_its_assertions_and_shown_one(tmp_path: Path) -> None:
    [item] = items(tmp_path, MBPP)
    assert "vowels('aba') == 2" in item.text
    assert "vowels('')" not in item.text
    assert answered(item, "def vowels(t):\n    return sum(c in 'aeiou' for c in t)").hard == 1
    assert answered(item, "def vowels(t):\n    return 2").why == "an assertion failed"
    assert answered(item, "def vowel(t):\n    return 2").why.startswith("it failed with NameError")


@pytest.mark.parametrize("early", ["import sys; sys.exit(0)", "import os; os._exit(0)", "raise SystemExit"])
def test_a_program_that_ends_before_its_tests_has_not_passed_them(tmp_path: Path, early: str) -> None:
    [item] = items(tmp_path, MBPP)
    assert answered(item, early).hard == 0


def test_tests_of_ones_own_are_run_by_their_command_on_the_answer_and_the_files(tmp_path: Path) -> None:
    [item] = items(tmp_path, OWN)
    assert "def price(n):" in item.text
    assert "Your file is `lib/shop.py`." in item.text
    assert "20" not in item.text
    assert answered(item, "def price(n):\n    return 10 * n").hard == 1
    wrong = answered(item, "def price(n):\n    return n")
    assert (wrong.hard, wrong.why) == (0, "an assertion failed")


def test_half_a_character_in_a_program_is_its_own_fault(tmp_path: Path) -> None:
    [item] = items(tmp_path, OWN)
    assert answered(item, "def price(n):\n    return 10 * n  # \ud83d").hard == 1


def test_a_reply_without_a_program_is_not_run(tmp_path: Path) -> None:
    [item] = items(tmp_path, OWN)
    reply = CodeTasks().rollout_one(item, "", FakeBackend({Purpose.ROLLOUT: "I can't."}), sample=0)
    assert (reply.hard, reply.why) == (0, "it gives no code block")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"command": []}, "no 'command'"),
        ({"command": 42}, "'command' is an int, not a text or a list"),
        ({"tests": {}}, "no 'tests'"),
        ({"tests": ""}, "no 'tests'"),
        ({"tests": {"test_it.py": " "}}, "no 'tests'"),
        ({"answer_file": "../x.py"}, "leads out"),
        ({"answer_file": "test_it.py"}, "is one of its tests"),
        ({"tests": {"/etc/x": "y"}}, "'/etc/x' leads out"),
        ({"files": ["a"]}, "'files' is not an object"),
        ({"prompt": ""}, "'prompt'"),
        ({"base_commit": "abc"}, "a whole repository"),
    ],
)
def test_a_row_that_can_not_be_used_is_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        task_of({**OWN, **changed}, "x")


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"command": "nosuchcmd"}, "row 1: its 'command' runs 'nosuchcmd'"), ({"tests": {"test_it.py": "("}}, "Python")],
)
def test_a_row_whose_tests_can_not_run_is_refused_before_it_is_asked(
    tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        items(tmp_path, {**OWN, **changed})


def test_an_answer_for_which_no_test_ran_has_no_score(tmp_path: Path) -> None:
    fails = {"command": "sh -c 'exit 5' pytest"}
    [item] = items(tmp_path, {**OWN, **fails})
    with pytest.raises(ItemError, match="found no test to run"):
        answered(item, "def price(n):\n    return 10 * n")


def test_an_unusable_row_is_named_with_its_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"train\.jsonl: row 1: it has no 'command'"):
        items(tmp_path, {"prompt": "Write."})


HALF_TEST = "from solution import half\n\nassert half(4) == 2\n"


def checked(command: str, tests: dict[str, str]) -> None:
    seal_or_skip()
    check_command(command.split(), tests, {*tests, "solution.py"})


@pytest.mark.parametrize(
    ("command", "tests"),
    [
        ("python3 test_it.py", {"test_it.py": HALF_TEST}),
        ("python3 ./test_it.py", {"test_it.py": HALF_TEST}),
        ("python3 -m unittest -q test_it", {"test_it.py": f"import unittest\n{HALF_TEST}"}),
        ("python3 test_it.py", {"test_it.py": "import helpers\n", "tests/helpers.py": ""}),
        ("python3 test_it.py", {"test_it.py": "try:\n    import numpie\nexcept ImportError:\n    pass\n"}),
        ("python3 -W ignore test_it.py --only=other.py", {"test_it.py": HALF_TEST}),
        ("sh run.sh", {"run.sh": "python3 solution.py\n", "test_it.py": "no Python ("}),
        ("./run.sh", {"run.sh": "python3 solution.py\n"}),
        ("python3 test_it.py python3", {"test_it.py": HALF_TEST}),
        ("./pytest", {"pytest": "", "test_it.py": "import numpie\n"}),
    ],
)
def test_what_can_run_is_let_through(command: str, tests: dict[str, str]) -> None:
    checked(command, tests)


@pytest.mark.parametrize(
    ("command", "tests", "said"),
    [
        ("nosuchcmd test_it.py", {"test_it.py": HALF_TEST}, "'command' runs 'nosuchcmd', which isn't there"),
        ("./run.sh", {"test_it.py": HALF_TEST}, "'command' names './run.sh', which isn't among"),
        ("python3 test_is.py", {"test_it.py": HALF_TEST}, "names 'test_is.py', which isn't among"),
        ("python3 -m numpie", {"test_it.py": HALF_TEST}, "needs the module 'numpie', which isn't there"),
        ("python3 test_it.py", {"test_it.py": "def test(:\n"}, "'test_it.py' isn't Python"),
        ("./pytest", {"pytest": "", "test_it.py": "def test(:\n"}, "'test_it.py' isn't Python"),
        (
            "python3 test_it.py",
            {"test_it.py": "import numpie.core\n"},
            "needs the module 'numpie', which isn't there",
        ),
    ],
)
def test_what_can_not_run_is_named(command: str, tests: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        checked(command, tests)
