"""What attempts on train teach, batch by batch, within the limit of edits."""

from typing import Any

import pytest

from skillopt_sleep.learning.learn import Draft, EditLimit, Teaching, draft, learn
from skillopt_sleep.protocols.crew import StepRules
from skillopt_sleep.records import EditFate, Purpose, Rollout, Split
from tests.builders import a_document, a_rollout, a_task
from tests.fakes import Answers, FakeBackend
from tests.nights import an_optimizer, with_side

THREE = {"edits": [{"op": "append", "content": f"- Rule {n}."} for n in "abc"]}
TASKS = {f"t{n}": with_side(a_task(id=f"t{n}"), split=Split.TRAIN) for n in (1, 2)}


def a_teaching(*batches: list[Rollout]) -> Teaching:
    return Teaching(batches, TASKS, lambda score: score.soft)


def one_batch() -> Teaching:
    return a_teaching([a_rollout(0.0)])


def test_without_a_limit_all_edits_are_kept_and_no_choice_is_asked_for() -> None:
    backend = FakeBackend({Purpose.REFLECT: THREE})
    lessons = learn(one_batch(), optimizer=an_optimizer(backend), rules=StepRules(), limit=None)
    assert [edit.content for edit in lessons.edits] == ["- Rule a.", "- Rule b.", "- Rule c."]
    assert lessons.budget is not None
    assert lessons.budget.edits == 3
    assert [prompt.purpose for prompt in backend.prompts] == [Purpose.REFLECT]


def test_a_budget_of_nothing_ends_it_before_a_choice() -> None:
    backend = FakeBackend({Purpose.REFLECT: THREE, Purpose.BUDGET: {"edit_budget": 0}})
    lessons = learn(one_batch(), optimizer=an_optimizer(backend), rules=StepRules(), limit=EditLimit(0, 2))
    assert lessons.edits == ()
    assert backend.asked(Purpose.SELECT) == []


def test_each_batch_is_reflected_on_by_itself_and_the_stages_are_logged() -> None:
    backend = FakeBackend(
        {Purpose.REFLECT: THREE, Purpose.AGGREGATE: THREE, Purpose.SELECT: {"selected_indices": [1]}}
    )
    logged: list[tuple[str, int]] = []
    rules = StepRules(edit_budget=1)
    teaching = a_teaching([a_rollout(0.0)], [a_rollout(0.0, task="t2")])

    lessons = learn(
        teaching,
        optimizer=an_optimizer(backend),
        rules=rules,
        limit=EditLimit(1, 1),
        log=lambda stage, rows: logged.append((stage, len(rows))),
    )

    assert len(backend.asked(Purpose.REFLECT)) == len(lessons.patches) == 2
    assert [edit.content for edit in lessons.edits] == ["- Rule b."]
    assert logged == [("patches", 2)]


@pytest.mark.parametrize("mode", ["patch", "full_rewrite"])
def test_tasks_off_train_raise(mode: Any) -> None:
    unseen = with_side(a_task(), split=Split.VAL)
    teaching = Teaching([[a_rollout()]], {unseen.id: unseen}, lambda score: score.soft)
    with pytest.raises(ValueError, match="t1 is not on train"):
        learn(teaching, optimizer=an_optimizer(), rules=StepRules(mode=mode), limit=None)


# draft --------------------------------------------------------------------------------------------------


TASK = with_side(a_task(), split=Split.TRAIN)


def drafted(reply: Answers, **fields: Any) -> Draft:
    return draft(
        Teaching([[a_rollout(0.0)]], {TASK.id: TASK}, lambda score: score.soft),
        optimizer=an_optimizer(FakeBackend({Purpose.REFLECT: reply}), a_document("- Old.")),
        rules=StepRules(),
        limit=EditLimit(3, 3),
        refuse=fields.pop("refuse", lambda edit: ""),
        **fields,
    )


def test_the_edits_make_the_candidate() -> None:
    logged: list[str] = []
    made = drafted(
        {"edits": [{"op": "append", "content": "- New."}, {"op": "append", "content": "- Bad."}]},
        refuse=lambda edit: "unsafe" if "Bad" in edit.content else "",
        log=lambda stage, rows: logged.append(stage),
    )
    assert made.candidate.body == "- Old.\n- New."
    assert [fate.fate for fate in made.fates] == [EditFate.APPLIED, EditFate.REFUSED]
    assert logged == ["patches", "edits"]


def test_without_a_patch_the_document_stays_and_the_failed_calls_are_noted() -> None:
    made = drafted("no JSON")
    assert made.candidate.body == "- Old."
    assert (made.fates, len(made.notes)) == ((), 1)
