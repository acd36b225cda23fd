import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.records import Exact
from skillopt_sleep.replay.judges.exact import score_exact
from tests.builders import a_trajectory


@pytest.mark.parametrize("answer", ["pnpm install", " PNPM  Install\n", "pnpm\ninstall"])
def test_case_and_white_space_make_no_difference(answer: str) -> None:
    score = score_exact(Exact(answer="pnpm install"), a_trajectory(answer))
    assert (score.hard, score.soft, score.why) == (1.0, 1.0, "")


@pytest.mark.parametrize("answer", ["npm install", "pnpm install.", "Run pnpm install", ""])
def test_any_other_difference_does(answer: str) -> None:
    score = score_exact(Exact(answer="pnpm install"), a_trajectory(answer))
    assert (score.hard, score.soft) == (0.0, 0.0)
    assert [(result.name, result.passed, result.arg) for result in score.checks] == [("exact", False, "pnpm install")]


@given(st.text(alphabet="абвгд", min_size=1))
def test_why_never_tells_the_answer(answer: str) -> None:
    why = score_exact(Exact(answer=answer), a_trajectory("something else")).why
    assert why
    assert answer not in why


@given(st.text())
def test_a_text_is_equal_to_itself(text: str) -> None:
    assert score_exact(Exact(answer=text), a_trajectory(text)).hard == 1
