"""At most the edit budget is applied, best first by the optimizer's choice."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.errors import BudgetExhausted, CallFailed, FailureKind
from skillopt_sleep.learning.select import select
from skillopt_sleep.records import Edit, EditSource, Past, Purpose
from tests.builders import a_document, a_patch, an_edit
from tests.fakes import Answers, FakeBackend
from tests.nights import an_optimizer

EDITS = tuple(an_edit(f"- Rule {i}.") for i in range(5))


def chosen(reply: Answers, *, budget: int = 2, edits: tuple[Edit, ...] = EDITS) -> list[str]:
    return [edit.content for edit in ask(reply, budget=budget, edits=edits).edits]


def ask(reply: Answers, *, budget: int = 2, edits: tuple[Edit, ...] = EDITS) -> Any:
    return select(
        a_patch(*edits),
        optimizer=an_optimizer(FakeBackend({Purpose.SELECT: reply})),
        budget=budget,
    )


def test_the_optimizers_choice_comes_in_its_order() -> None:
    assert chosen({"selected_indices": [3, 1]}) == ["- Rule 3.", "- Rule 1."]


def test_more_than_the_budget_is_clipped() -> None:
    assert chosen({"selected_indices": [4, 0, 2, 1]}) == ["- Rule 4.", "- Rule 0."]


def test_a_choice_of_fewer_is_a_choice() -> None:
    assert chosen({"selected_indices": [2]}) == ["- Rule 2."]


def test_numbers_that_are_not_there_are_passed_over() -> None:
    assert chosen({"selected_indices": [9, -1, 5, 3, 1]}) == ["- Rule 3.", "- Rule 1."]


def test_a_number_named_twice_counts_once() -> None:
    assert chosen({"selected_indices": [3, 3, 1]}) == ["- Rule 3.", "- Rule 1."]


def test_where_all_edits_fit_no_call_is_made() -> None:
    backend = FakeBackend()

    selection = select(a_patch(*EDITS), optimizer=an_optimizer(backend), budget=5)

    assert selection.edits == EDITS
    assert backend.prompts == []


RANKED = (
    an_edit("- success, much support", source=EditSource.SUCCESS, support=9),
    an_edit("- failure, little support", support=1),
    an_edit("- failure, much support", support=5),
    an_edit("- slow", source=EditSource.SLOW, support=20),
)


@pytest.mark.parametrize("numbers", [[], [7, 8], [-1]])
def test_a_choice_of_nothing_falls_back_to_failures_first_then_support(numbers: list[int]) -> None:
    assert chosen({"selected_indices": numbers}, budget=3, edits=RANKED) == [
        "- failure, much support",
        "- failure, little support",
        "- slow",
    ]


def test_a_failing_choice_falls_back_and_is_noted() -> None:
    selection = ask(CallFailed(FailureKind.EMPTY, "nothing came", remedy="try again"), edits=RANKED)

    assert [edit.content for edit in selection.edits] == ["- failure, much support", "- failure, little support"]
    assert [(note.stage, note.remedy) for note in selection.notes] == [("select", "try again")]
    assert "nothing came" in selection.notes[0].summary


def test_a_reply_without_numbers_falls_back_and_is_noted() -> None:
    assert len(ask({"selected": [1]}).notes) == 1


def test_a_spent_budget_ends_the_night() -> None:
    with pytest.raises(BudgetExhausted):
        ask(BudgetExhausted("all spent"))


def test_the_optimizer_is_told_the_budget_every_edit_with_its_number_and_what_was_tried_before() -> None:
    backend = FakeBackend({Purpose.SELECT: {"selected_indices": [0]}})

    past = Past(refused=(an_edit("- Not this one."),), notes="Short rules win.")

    select(a_patch(*EDITS), optimizer=an_optimizer(backend, a_document("- Here already."), past=past), budget=2)

    text = backend.prompts[0].text
    assert "at most 2 of them" in text
    assert all(f"{i}. (failure, support 1)" in text for i in range(5))
    assert all(words in text for words in ("- Here already.", "refused it: - Not this one.", "Short rules win."))


@given(st.lists(st.integers(-3, 8)), st.integers(1, 7))
def test_never_more_than_the_budget_and_only_edits_that_were_proposed(numbers: list[int], budget: int) -> None:
    edits = ask({"selected_indices": numbers}, budget=budget).edits

    assert 0 < len(edits) <= budget
    assert set(edits) <= set(EDITS)
    assert len(set(edits)) == len(edits)


def test_of_edits_that_train_can_not_tell_apart_the_shorter_goes_first() -> None:
    long = an_edit("- Use pnpm for all that is installed, whatever a page of the web says.")
    edits = (long, an_edit("- Use pnpm."), an_edit("- Say less, and say it first.", support=2))

    assert chosen({"selected_indices": []}, edits=edits) == ["- Say less, and say it first.", "- Use pnpm."]
