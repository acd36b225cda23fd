"""Train tasks beget train tasks, where what the person said holds beyond the request."""

from typing import Any

import pytest

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.learning.augment import Augmented, augment
from skillopt_sleep.records import (
    Check,
    Checks,
    Deed,
    DeedKind,
    Exact,
    Op,
    Prompt,
    Purpose,
    Rubric,
    Split,
    Task,
    TaskOrigin,
)
from tests.builders import ASK, SAID, a_document, a_task, an_edit, changed
from tests.fakes import Answers, FakeBackend, in_turn
from tests.nights import an_optimizer

TWO = {"requests": ["Add a date library.", " Set up the linter. "]}


def on_train(**fields: Any) -> Task:
    return a_task(**{"split": Split.TRAIN, "lesson": "c", "document": "shop:CLAUDE.md"} | fields)


def run(*tasks: Task, reply: Answers = TWO, each: int = 2) -> tuple[Augmented, list[Prompt]]:
    backend = FakeBackend({Purpose.AUGMENT: reply})
    return augment(tasks, each=each, optimizer=an_optimizer(backend, a_document(id="shop"))), backend.prompts


def requests(made: Augmented) -> list[str]:
    return [task.prompt for task in made.tasks]


def test_each_new_request_is_a_train_task_like_the_one_whose_rule_it_tests() -> None:
    real = on_train(context="a shop", rejected="npm i", deeds=(Deed(kind=DeedKind.STOPPED, session="s", turn=1),))
    made, (prompt,) = run(real)
    assert requests(made) == ["Add a date library.", "Set up the linter."]
    for task in made.tasks:
        assert task == changed(
            real,
            id=task.id,
            prompt=task.prompt,
            context="",
            rejected="",
            deeds=(),
            origin=TaskOrigin.AUGMENTED,
        )
    assert ASK in prompt.text
    assert SAID in prompt.text
    assert len({task.id for task in (real, *made.tasks)}) == 3


def test_the_same_request_has_the_same_id_every_night() -> None:
    assert run(on_train())[0].tasks == run(on_train())[0].tasks


def test_by_default_nothing_is_asked() -> None:
    assert run(on_train(), each=0) == (Augmented(), [])


@pytest.mark.parametrize("side", [Split.VAL, Split.TEST, None])
def test_a_task_that_is_not_on_train_raises(side: Split | None) -> None:
    with pytest.raises(ValueError, match="t1 is not on train"):
        run(on_train(split=side))


@pytest.mark.parametrize("fields", [{"evidence": ()}, {"reference": Exact(answer="42")}])
def test_what_holds_for_one_request_only_begets_none(fields: dict[str, Any]) -> None:
    assert run(on_train(**fields)) == (Augmented(), [])


@pytest.mark.parametrize(
    "reference",
    [
        Rubric(text="It talks about okapis."),
        Checks(
            items=(Check(op=Op.REGEX, arg="okapis?"), Check(op=Op.SECTION_CONTAINS, section="okapi", arg="okapi"))
        ),
    ],
)
def test_the_reference_is_not_shown(reference: Rubric | Checks) -> None:
    _, (prompt,) = run(on_train(reference=reference))
    assert "okapi" not in prompt.text


def test_a_lesson_is_asked_about_once_and_its_newest_task_is_the_model() -> None:
    older, newer = on_train(id="a"), on_train(id="b", prompt="Add lodash.", session="s2")
    other = on_train(id="x", lesson="d", prompt="Write the notes.")
    made, prompts = run(older, newer, other, reply=in_turn(TWO, {"requests": ["Write a letter to the team."]}))
    assert len(prompts) == 2
    assert list(made.real.values()) == ["b", "b", "x"]


def test_what_is_known_is_left_out_and_no_more_are_taken_than_were_asked_for() -> None:
    said = ["", ASK.upper(), "Add lodash.", "add lodash", "Start it.", "Stop it."]
    made, _ = run(on_train(), reply={"requests": said}, each=5)
    assert requests(made) == ["Add lodash.", "Start it."]


def test_a_call_that_fails_loses_its_own_lesson() -> None:
    outage = CallFailed(FailureKind.TIMED_OUT, "no answer")
    made, _ = run(on_train(id="a"), on_train(id="b", lesson="d"), reply=in_turn(outage, TWO))
    assert set(made.real.values()) == {"b"}
    assert [note.summary for note in made.notes] == ["shop: no answer"]


def test_an_edit_is_learned_from_the_real_tasks() -> None:
    made, _ = run(on_train())
    learned = an_edit(tasks=(made.tasks[0].id, made.tasks[1].id, "t9"))
    assert [edit.tasks for edit in made.of_real([learned])] == [("t1", "t9")]
