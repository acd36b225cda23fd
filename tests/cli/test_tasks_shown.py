from datetime import timedelta

import pytest

from skillopt_sleep.cli.tasks_shown import find, scored_by, short_ids
from skillopt_sleep.cli.text import block
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.words import ago, home_path
from skillopt_sleep.records import Check, Checks, Exact, Op, Rubric
from skillopt_sleep.stores.bank import Banked
from tests.builders import a_task
from tests.fakes import NOON


def entries(*names: str) -> list[Banked]:
    return [Banked(a_task(id=name)) for name in names]


def test_a_task_is_found_by_its_id_or_the_beginning_of_it() -> None:
    known = entries("abc1", "abc12", "xyz")
    assert find(known, "abc1").task.id == "abc1"
    assert find(known, "x").task.id == "xyz"
    with pytest.raises(ConfigError, match="2 task ids start with 'ab'") as caught:
        find(known, "ab")
    assert "abc1, abc12" in caught.value.remedy
    with pytest.raises(ConfigError, match="no task ''"):
        find(known, "")


def test_a_short_id_names_one_task_only() -> None:
    known = entries("0123456789ab", "0123456789xy", "ffffffffffff", "tasks-1", "tasks-12")
    assert list(short_ids(known).values()) == ["0123456789a", "0123456789x", "ffffffff", "tasks-1", "tasks-12"]
    for name, short in short_ids(known).items():
        assert find(known, short).task.id == name


@pytest.mark.parametrize(
    ("past", "said"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=23), "23 hours ago"),
        (timedelta(days=3, hours=23), "4 days ago"),
        (timedelta(days=30), "4 weeks ago"),
        (timedelta(days=100), "3 months ago"),
        (timedelta(days=800), "2 years ago"),
    ],
)
def test_ages_are_words(past: timedelta, said: str) -> None:
    assert ago(NOON - past, NOON) == said


def test_a_block_keeps_lines_wraps_long_ones_and_writes_control_characters_out() -> None:
    shown = block("def f():\n\treturn 1\n" + "word " * 30 + "\x1b[2J")
    assert shown.startswith("    def f():\n        return 1\n    word word")
    assert max(map(len, shown.splitlines())) <= 80
    assert "\\u{1B}" in shown


def test_a_long_path_keeps_its_end() -> None:
    assert home_path("/x" * 100).endswith("/x/x")
    assert len(home_path("/x" * 100)) <= 80


@pytest.mark.parametrize("op", Op)
def test_every_check_is_described_with_its_operand(op: Op) -> None:
    (demand,) = scored_by(Checks(items=(Check(op=op, arg="7", section="Notes"),)))
    assert demand
    assert ("7" in demand) == (op not in {Op.JSON_VALID, Op.NO_REFUSAL})
    assert ("Notes" in demand) == (op is Op.SECTION_CONTAINS)


def test_an_exact_answer_and_a_rubric_are_told() -> None:
    assert "«pnpm»" in scored_by(Exact(answer="pnpm"))[0]
    assert "one line" in scored_by(Rubric(text="one line"))[0]
