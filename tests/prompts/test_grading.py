"""An item shows a task and its answers as they are, whatever they say."""

from hypothesis import given, strategies as st

from skillopt_sleep.kit.codec import strict_schema
from skillopt_sleep.prompts.grading import (
    ANSWERS_PER_CALL,
    AnswerGrade,
    AnswerToGrade,
    GradesReply,
    batches,
    grading,
    item,
)
from skillopt_sleep.records import Rubric
from tests.builders import a_task
from tests.graded import shown_items

TEXTS = st.text(alphabet="`#\n Item2x{}")


def test_an_item_has_its_number_and_each_answer_its_place() -> None:
    shown = item(3, a_task(reference=Rubric(text="It uses pnpm.")), ["I ran npm.", "I ran pnpm."])
    assert shown.startswith("# Item 3\n## Request\n")
    assert "\n## Demand\n```\nIt uses pnpm.\n```\n" in shown
    assert "\n## Answer 1\n```\nI ran npm.\n```\n## Answer 2\n" in shown


def test_the_persons_words_stand_beside_the_demand_unless_it_quotes_them() -> None:
    said = a_task().feedback.evidence[0].quote
    assert f"## The person's own words\n```\n{said}\n```" in item(
        1, a_task(reference=Rubric(text="It uses pnpm.")), []
    )
    assert "own words" not in item(1, a_task(reference=Rubric(text=f"In their words: «{said}».")), [])
    assert "own words" not in item(1, a_task(evidence=()), [])


def test_what_was_said_before_stands_before_the_request() -> None:
    task = a_task(prompt="Install it.", context="Earlier: a new project.")
    assert shown_items(item(1, task, ["done"])) == [["Earlier: a new project.\nInstall it.", "", "done"]]


@given(TEXTS, TEXTS, st.lists(TEXTS, min_size=1, max_size=3))
def test_no_text_can_end_its_item(request: str, demand: str, answers: list[str]) -> None:
    task = a_task(prompt=request, reference=Rubric(text=demand))
    shown = "\n\n".join(item(number, task, answers) for number in (1, 2))
    assert shown_items(shown) == [[request.strip(), demand, *answers]] * 2


def test_the_schema_asks_for_as_many_grades_as_there_are_answers() -> None:
    answers = [AnswerToGrade(a_task(reference=Rubric(text="is short")), text) for text in "xyz"]
    schema = grading(answers).prompt.schema
    assert schema is not None
    grades = strict_schema(schema)["properties"]["grades"]
    assert (grades["minItems"], grades["maxItems"]) == (3, 3)


def test_equal_answers_to_one_item_are_shown_once_and_share_the_grade() -> None:
    tasks = [a_task(id=f"t{number}", session=f"s{number}", reference=Rubric(text="is short")) for number in range(3)]
    equal, other = [AnswerToGrade(task, "x") for task in tasks], AnswerToGrade(tasks[0], "y")

    asked = grading([*equal, other])

    ((_, _, *texts),) = shown_items(asked.prompt.text)
    assert sorted(texts) == ["x", "y"]
    reply = GradesReply(grades=tuple(AnswerGrade(answer=place, score=place / 2) for place in (1, 2)))
    graded = {answer: grade.score for answer, grade in asked.grades(reply).items()}
    assert graded == {answer: (texts.index(answer.response) + 1) / 2 for answer in (*equal, other)}


def test_the_same_answer_to_another_request_is_shown_with_that() -> None:
    tasks = [a_task(id=prompt, prompt=prompt, reference=Rubric(text="is short")) for prompt in ("a", "b")]
    assert len(shown_items(grading([AnswerToGrade(task, "x") for task in tasks]).prompt.text)) == 2


def test_equal_answers_take_one_place_in_a_call() -> None:
    tasks = [a_task(id=f"t{number}", reference=Rubric(text="is short")) for number in range(2)]
    answers = [AnswerToGrade(task, f"x {number}") for task in tasks for number in range(ANSWERS_PER_CALL)]
    (batch,) = batches(answers)
    assert set(batch) == set(answers)
