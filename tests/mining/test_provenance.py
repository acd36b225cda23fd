import pytest

from skillopt_sleep.mining.provenance import authors, is_copied
from skillopt_sleep.mining.requests import own_turn
from skillopt_sleep.records import Origin, ToolEvent
from tests.builders import a_session, a_turn

SESSION = a_session(
    "fix this:\n\n> a quoted line",
    a_turn("I ran the tests", origin=Origin.ASSISTANT),
    tools=(ToolEvent(turn=1, name="Bash", brief="pytest -q"),),
)


def test_a_quotation_an_answer_and_a_command_are_not_the_persons() -> None:
    own, foreign = authors(SESSION)
    assert "fix this" in own
    assert "quoted" not in own
    assert all(words in foreign for words in ("a quoted line", "I ran the tests", "pytest -q"))


@pytest.mark.parametrize("turn", [-1, 1, 9])
def test_where_the_person_typed_nothing_there_are_no_words_of_theirs(turn: int) -> None:
    assert own_turn(SESSION, turn) == ""


@pytest.mark.parametrize(
    ("text", "copied"),
    [
        ("use pnpm here", False),
        ("run the whole thing", True),
        ("run the tests", False),
        ("", False),
    ],
)
def test_three_words_in_a_row_are_copied_unless_the_person_wrote_them_too(text: str, copied: bool) -> None:
    foreign = "see Example.org and run the whole thing, then run the tests"
    assert is_copied(text, own="please RUN the tests", foreign=foreign) is copied
