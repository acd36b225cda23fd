"""Known answers try a rubric: which are shown to whom, and which grades hold."""

from typing import Any

import pytest

from skillopt_sleep.mining.calibration import PER_CALL, write_controls
from skillopt_sleep.mining.mined import Mined
from skillopt_sleep.mining.prove import prove
from skillopt_sleep.prompts import setting
from skillopt_sleep.prompts.grading import PASSES_FROM
from skillopt_sleep.records import Note, Purpose, Rubric
from skillopt_sleep.replay.judges import ReferenceJudge
from tests.builders import a_task
from tests.fakes import FakeBackend, SerialPool
from tests.graded import shown_items
from tests.mining.test_prove import MEETS, MISSES, RUBRIC, honest, proved, references, written


def test_the_answers_stand_in_another_order_in_each_task_and_in_the_same_every_time() -> None:
    tasks = [a_task(id=f"t{n}", reference=Rubric(text=f"{n}: pnpm.")) for n in range(PER_CALL)]
    places = {tuple(answers) for _, _, *answers in shown_items(proved(*tasks)[1].prompts[-1].text)}
    assert places == {(MISSES, MEETS), (MEETS, MISSES)}
    assert proved(*tasks)[1].prompts == proved(*tasks)[1].prompts


def test_who_writes_the_controls_sees_request_and_demand_and_no_answer() -> None:
    _, model = proved(a_task(reference=RUBRIC, rejected="I ran npm install."))
    (prompt,) = model.asked(Purpose.CONTROLS)
    assert shown_items(prompt.text) == [[a_task().prompt, RUBRIC.text]]


def test_both_are_told_the_setting_and_the_grader_the_scale() -> None:
    _, model = proved(a_task(reference=RUBRIC))
    assert all(setting() in prompt.text for prompt in model.prompts)
    assert f"passes from {PASSES_FROM} on" in model.asked(Purpose.PROVE)[0].text


@pytest.mark.parametrize(("answer", "grade"), [(MISSES, 0.8), (MISSES, None), (MEETS, 0.79), (MEETS, None)], ids=str)
def test_a_rubric_by_which_a_control_is_not_graded_for_what_it_is_worth_is_dropped(
    answer: str, grade: float | None
) -> None:
    found, _ = proved(a_task(reference=RUBRIC), grader=lambda said: grade if said == answer else honest(said))
    assert found.tasks == ()


def test_a_demand_that_stating_it_would_meet_can_be_proven() -> None:
    english = Rubric(text="The answer is in English.")
    found, _ = proved(
        a_task(reference=english, rejected="Fertig."),
        grader=lambda answer: float(answer.isascii() and "It is done" in answer),
        controls=written("Es ist erledigt.", "It is done."),
    )
    assert references(found.tasks) == [english]


def test_nobody_is_asked_what_an_answer_without_a_word_is_worth() -> None:
    _, model = proved(a_task(reference=RUBRIC, rejected=":", accepted="  "))
    assert [sorted(answers) for _, _, *answers in shown_items(model.prompts[-1].text)] == [sorted([MISSES, MEETS])]


NO = {"answer": 1, "score": 0.0}


@pytest.mark.parametrize(
    "grades",
    [[], [NO | {"answer": 2}], [NO, NO], [NO, NO | {"answer": 2}], [NO | {"score": "0"}], [{"answer": 1}]],
)
def test_grades_for_other_answers_than_those_asked_are_a_failed_call(grades: list[dict[str, Any]]) -> None:
    model = FakeBackend({Purpose.CONTROLS: written(), Purpose.PROVE: {"grades": grades}})
    task = a_task(reference=RUBRIC, rejected="no")
    found = prove(Mined(tasks=(task,)), judge=ReferenceJudge(model), model=model, pool=SerialPool())
    assert (found.tasks, found.lost) == ((), (task.session,))


ONE = {"item": 1, "misses": "a", "meets": "b"}


@pytest.mark.parametrize(
    "controls", [[], [ONE, ONE], [ONE | {"item": 2}], [ONE | {"misses": " "}], [ONE | {"meets": ""}], [{"item": 1}]]
)
def test_controls_for_other_items_or_without_words_are_a_failed_call(controls: list[dict[str, Any]]) -> None:
    task = a_task(reference=RUBRIC, rejected="no")
    found, _ = proved(task, controls={"controls": controls})
    assert (found.tasks, found.lost) == ((), (task.session,))


def test_a_grade_that_is_no_number_from_0_to_1_is_a_failed_call() -> None:
    for grade in (2.0, -1.0):
        found, _ = proved(a_task(reference=RUBRIC, rejected="no"), grader=lambda answer, grade=grade: grade)
        assert found.tasks == ()
        assert len(found.lost) == 1


TASKS = [a_task(id=f"t{n}", reference=Rubric(text=f"It says {n}."), project="/shop") for n in range(2)]


def test_all_tasks_are_asked_about_in_one_call_of_their_project() -> None:
    model = FakeBackend({Purpose.CONTROLS: {"controls": [ONE | {"item": 2, "meets": "c"}, ONE]}})
    reply = write_controls(TASKS, model, sample=2)
    assert not isinstance(reply, Note)
    assert [control.meets for control in reply] == ["b", "c"]
    (prompt,) = model.prompts
    assert (prompt.project, prompt.sample) == ("/shop", 2)
    assert prompt.text.index("It says 0.") < prompt.text.index("It says 1.")
