"""Answers of known worth, made of what is known of a task."""

from skillopt_sleep.records import AnswerKind
from skillopt_sleep.replay.judges.known_answers import LONG_CHARS, controls_of, longer
from tests.replay.judges.test_controls import RUBRIC, known


def test_longer_answers_and_echoes_miss_the_demand_as_the_answer_does_that_they_are_made_of() -> None:
    found = controls_of([known(1)])
    for control in found[AnswerKind.LONGER]:
        assert control.response.startswith("npm ci 1")
        assert len(control.response) >= LONG_CHARS
    for control in found[AnswerKind.ECHO]:
        assert "npm ci 1" in control.response
        assert RUBRIC.text in control.response
    assert len(longer("x" * 1_000)) >= 4_000


def test_each_task_has_its_first_answer_before_any_has_its_second() -> None:
    echoes = controls_of([known(1), known(2)])[AnswerKind.ECHO]
    assert [control.task.id for control in echoes] == ["t1", "t2", "t1", "t2"]
