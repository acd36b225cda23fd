"""The optimizer is asked in one place: the prompt, the reply, the note of a failed call, the check for train."""

import pytest

from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.learning.asking import Question, check_train
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.prompts import template
from skillopt_sleep.records import Note, Past, Purpose, Split
from tests.builders import a_document, a_task
from tests.fakes import FakeBackend, SerialPool
from tests.nights import an_optimizer

QUESTION = Question(Purpose.SELECT, SelectReply, {"budget": "1", "edits": "0. - Use pnpm."})
REPLY = {"selected_indices": [0]}


def test_the_prompt_holds_the_document_and_its_past() -> None:
    backend = FakeBackend({Purpose.SELECT: REPLY})
    optimizer = an_optimizer(backend, a_document("- Old."), past=Past(notes="Short rules win."), asker="step 1")

    assert optimizer.ask(QUESTION) == SelectReply(selected_indices=(0,))

    (prompt,) = backend.prompts
    assert all(words in prompt.text for words in ("- Old.", "Short rules win.", "0. - Use pnpm."))
    assert (prompt.schema, prompt.asker, prompt.project) == (SelectReply, "step 1", optimizer.document.project)


def test_a_failed_call_is_a_note_and_an_outage_ends_all() -> None:
    failed = FakeBackend({Purpose.SELECT: CallFailed(FailureKind.REFUSED, "no", remedy="ask another")})
    note = an_optimizer(failed).ask(QUESTION)

    assert note == Note(stage="select", summary="shop:CLAUDE.md: no", remedy="ask another")
    with pytest.raises(BackendUnavailable):
        an_optimizer(FakeBackend({Purpose.SELECT: BackendUnavailable("gone", remedy="")})).ask(QUESTION)


def test_one_question_goes_through_the_pool_under_the_name_of_the_document() -> None:
    pool = SerialPool()
    an_optimizer(FakeBackend({Purpose.SELECT: REPLY}), pool=pool).ask_alone(QUESTION)
    assert pool.labels == ["select shop:CLAUDE.md"]


def test_other_words_stand_around_the_same_values() -> None:
    backend = FakeBackend({Purpose.SELECT: REPLY})
    an_optimizer(backend, words=lambda name: f"{name}: {{{{budget}}}}").ask(QUESTION)
    assert backend.prompts[0].text == "select: 1"


def test_a_value_without_a_slot_is_a_bug() -> None:
    question = QUESTION._replace(values={"budget": "1", "edits": "x", "strange": "y"})
    with pytest.raises(ValueError, match="select has no slot for strange"):
        an_optimizer(FakeBackend()).ask(question)


def test_values_are_never_read_as_slots() -> None:
    backend = FakeBackend({Purpose.SELECT: REPLY})
    an_optimizer(backend, a_document("{{edits}}")).ask(QUESTION)
    assert "{{edits}}" in template("select")
    assert "{{edits}}" in backend.prompts[0].text


def test_only_train_tasks_may_be_shown() -> None:
    train = a_task(id="t1", split=Split.TRAIN)
    check_train([train])
    for side in (Split.VAL, Split.TEST, None):
        with pytest.raises(ValueError, match="t2 is not on train"):
            check_train([train, a_task(id="t2", split=side)])
