"""What an edit changes is told on one line, whatever it holds."""

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.records import EditOp
from skillopt_sleep.reporters.tried import change
from tests.builders import an_edit

texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)))


@given(texts, texts)
def test_a_change_is_one_line_whatever_it_holds(content: str, target: str) -> None:
    for op in EditOp:
        assert len(change(an_edit(content, op=op, target=target)).splitlines()) == 1


@pytest.mark.parametrize(
    ("op", "said"),
    [
        (EditOp.APPEND, "add «new»"),
        (EditOp.INSERT_AFTER, "add «new» after «old»"),
        (EditOp.REPLACE, "replace «old» with «new»"),
        (EditOp.DELETE, "remove «old»"),
    ],
)
def test_every_kind_of_change_is_told_in_words(op: EditOp, said: str) -> None:
    assert change(an_edit("- new", op=op, target="old")) == said


def test_a_long_rule_is_cut_where_it_is_asked_for() -> None:
    assert change(an_edit("x" * 99), limit=10) == f"add «{'x' * 9}…»"
