"""A model writes for each task of a batch an answer that meets its demand and one that doesn't."""

from skillopt_sleep.errors import ItemError
from skillopt_sleep.mining.write_controls import ControlsReply, write_controls
from skillopt_sleep.records import Note, Purpose, Rubric
from tests.builders import a_task
from tests.fakes import FakeBackend

TASKS = [a_task(id=f"t{n}", reference=Rubric(text=f"It says {n}."), project="/shop") for n in range(2)]
ONE, TWO = ({"item": n, "misses": "no", "meets": "yes"} for n in (1, 2))


def test_all_tasks_are_asked_about_in_one_call_of_their_project() -> None:
    model = FakeBackend({Purpose.CONTROLS: {"controls": [ONE, TWO]}})
    reply = write_controls(TASKS, model, sample=2)
    assert isinstance(reply, ControlsReply)
    assert [control.item for control in reply.controls] == [1, 2]
    (prompt,) = model.prompts
    assert (prompt.project, prompt.sample) == ("/shop", 2)
    assert prompt.text.index("It says 0.") < prompt.text.index("It says 1.")


def test_a_call_that_failed_is_a_note_with_the_number_of_tasks_that_wait() -> None:
    note = write_controls(TASKS, FakeBackend({Purpose.CONTROLS: ItemError("no answer")}))
    assert isinstance(note, Note)
    assert "2 tasks wait for another night: no answer" in note.summary


def test_a_reply_that_leaves_a_task_out_is_malformed() -> None:
    assert isinstance(write_controls(TASKS, FakeBackend({Purpose.CONTROLS: {"controls": [ONE]}})), Note)


def test_only_a_task_that_needs_the_repository_has_no_answers() -> None:
    empty = {"item": 2, "misses": "", "meets": ""}
    refused = write_controls(TASKS, FakeBackend({Purpose.CONTROLS: {"controls": [ONE, empty]}}))
    needs = {"controls": [ONE, empty | {"needs_repository": True}]}
    assert isinstance(refused, Note)
    assert isinstance(write_controls(TASKS, FakeBackend({Purpose.CONTROLS: needs})), ControlsReply)
