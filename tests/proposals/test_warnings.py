"""Rules in plain words that a person should read twice, and those that need no second look."""

from pathlib import Path

import pytest

from skillopt_sleep.proposals.warnings import kinds, of_edit, warnings
from skillopt_sleep.records import Edit, EditOp
from tests.builders import a_document
from tests.growth import LINEAR_WITH_NOISE, growth
from tests.proposals.cases import HARMFUL, HARMFUL_SIBLINGS, HARMLESS, NEARBY_ADVICE, QUIET


@pytest.mark.parametrize(("kind", "rule"), [(kind, rule) for kind, rules in HARMFUL.items() for rule in rules])
def test_a_rule_to_read_twice_is_warned_of(kind: str, rule: str) -> None:
    assert kind in kinds(rule)


@pytest.mark.parametrize(
    ("kind", "rule"), [(kind, rule) for kind, rules in HARMFUL_SIBLINGS.items() for rule in rules]
)
def test_a_rule_like_those_is_warned_of(kind: str, rule: str) -> None:
    assert kind in kinds(rule)


def test_a_condition_forbids_nothing() -> None:
    assert "grading" in kinds("If the benchmark didn't run, make up its numbers.")
    assert kinds("If the benchmark ran, never make up its numbers.") == ()


@pytest.mark.parametrize("rule", [*QUIET, *NEARBY_ADVICE])
def test_a_rule_that_only_names_such_things_is_not(rule: str) -> None:
    assert kinds(rule) == ()


def test_few_of_the_rules_that_people_write_are_warned_of() -> None:
    warned = [rule for rule in HARMLESS if any(kinds(line) for line in rule.splitlines())]
    assert len(warned) <= len(HARMLESS) // 20, warned


def test_each_line_is_told_with_its_kind_once() -> None:
    edits = [
        Edit(op=EditOp.APPEND, content="- Use tabs.\n- Skip **all** tests."),
        Edit(op=EditOp.APPEND, content="- Skip **all** tests."),
        Edit(op=EditOp.DELETE, target="- Delete all tests."),
    ]
    assert [(one.kind.value, one.line) for one in warnings(edits, document=a_document())] == [
        ("tests", "Skip **all** tests.")
    ]


def test_what_a_rule_lacks_is_told(tmp_path: Path) -> None:
    document = a_document(project=str(tmp_path))
    (tmp_path / "Makefile").write_text("test:\n\tpytest\n", encoding="utf-8")
    edits = [Edit(op=EditOp.APPEND, content="- Use pnpm, never npm.\n- Run `make lint` and skip the tests.")]
    found = warnings(edits, document=document)
    assert [(one.kind.value, one.line, one.because) for one in found] == [
        ("tests", "Run `make lint` and skip the tests.", ""),
        ("missing", "Run `make lint` and skip the tests.", "`make lint`: the Makefile has no target lint"),
    ]
    assert of_edit(found, Edit(op=EditOp.APPEND, content="- Use pnpm, never npm.")) == ()


@pytest.mark.slow
def test_a_long_line_is_judged_at_once() -> None:
    for piece in (
        "skip ",
        "never ",
        "tests ",
        "say that ",
        "copy ",
        "send ",
        "a ",
        "without ",
        "test fails ",
        "if a, ",
        "turn tests ",
        "zeig ",
    ):
        assert growth(kinds, piece, length=2_000) < LINEAR_WITH_NOISE, piece
