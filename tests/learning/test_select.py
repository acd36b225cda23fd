"""At most the edit budget is applied, best first by the optimizer's choice."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, CallFailed, FailureKind
from skillopt_sleep.learning.select import Budget, budget, edit_budget, select
from skillopt_sleep.records import Edit, EditSource, Past, Prompt, Purpose
from tests.builders import a_document, a_past, a_patch, an_edit
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

    past = a_past(refused=(an_edit("- Not this one."),), notes="Short rules win.")

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


# budget -------------------------------------------------------------------------------------------------


def ask_how_many(
    reply: Answers | None = None, *, least: int = 1, most: int = 3, edits: int = 4, past: Past | None = None
) -> tuple[Budget, list[Prompt]]:
    backend = FakeBackend({} if reply is None else {Purpose.BUDGET: reply})
    chosen = budget(
        a_patch(*EDITS[:edits]),
        optimizer=an_optimizer(backend, a_document("- Old."), past=past or Past()),
        least=least,
        most=most,
        grades=(0.0, 0.5),
    )
    return chosen, backend.prompts


def test_no_step_and_an_unknown_schedule_are_said_instead_of_meaning_something_else() -> None:
    assert edit_budget("cosine", step=0, total=0, most=4, least=2) == 4
    for total in (0, 1, 4):
        with pytest.raises(ValueError, match="cosin"):
            edit_budget("cosin", step=1, total=total, most=4, least=2)


# a model chooses ----------------------------------------------------------------------------------------


def test_the_optimizer_chooses() -> None:
    chosen, prompts = ask_how_many({"edit_budget": 2, "reasoning": "two are strong"})

    assert (chosen.edits, chosen.because, len(prompts)) == (2, "two are strong", 1)


@given(number=st.integers(-9, 9), least=st.integers(1, 4), more=st.integers(0, 4))
def test_what_it_chooses_stays_between_the_ends(number: int, least: int, more: int) -> None:
    chosen, _ = ask_how_many({"edit_budget": number}, least=least, most=least + more)

    assert least <= chosen.edits <= least + more


@pytest.mark.parametrize(("least", "most", "edits"), [(3, 3, 4), (2, 5, 2), (2, 5, 1), (1, 3, 1)])
def test_where_there_is_nothing_to_choose_no_call_is_made(least: int, most: int, edits: int) -> None:
    assert ask_how_many(least=least, most=most, edits=edits) == (Budget(edits=most), [])


@pytest.mark.parametrize(
    "reply", [CallFailed(FailureKind.EMPTY, "nothing came", remedy="again"), "no JSON", {"edit_budget": "many"}]
)
def test_a_failing_choice_leaves_the_most_and_is_noted(reply: Answers) -> None:
    chosen, _ = ask_how_many(reply)

    assert chosen.edits == 3
    assert [note.stage for note in chosen.notes] == ["budget"]
    assert "shop:CLAUDE.md" in chosen.notes[0].summary


def test_a_dead_model_ends_the_night() -> None:
    with pytest.raises(BackendUnavailable):
        ask_how_many(BackendUnavailable("gone"))


def test_the_optimizer_is_told_the_ends_the_edits_how_it_went_and_what_was_tried_before() -> None:
    past = a_past(refused=(an_edit("- Not this one."),), notes="Short rules win.")

    _, (prompt,) = ask_how_many({"edit_budget": 1}, most=9, past=past)

    shown = ("from 1 to 4", "- Old.", "2 attempts, graded 0.25", "refused it: - Not this one.", "Short rules win.")
    assert all(words in prompt.text for words in shown)
    assert all(f"{i}. (failure, support 1)" in prompt.text for i in range(4))


# by a schedule ------------------------------------------------------------------------------------------


def budgets(schedule: str, *, total: int, most: int, least: int, steps: int | None = None) -> list[int]:
    return [
        edit_budget(schedule, step=step, total=total, most=most, least=least)
        for step in range(1, (steps or total) + 1)
    ]


@pytest.mark.parametrize("schedule", ["constant", "autonomous"])
def test_a_constant_budget_stays_and_so_does_what_a_model_may_choose_from(schedule: str) -> None:
    assert budgets(schedule, total=4, most=4, least=2, steps=9) == [4] * 9


def test_a_linear_budget_goes_down_to_the_least() -> None:
    assert budgets("linear", total=4, most=10, least=2) == [8, 6, 4, 2]


def test_a_cosine_budget_of_four_to_two_in_four_steps() -> None:
    assert budgets("cosine", total=4, most=4, least=2) == [4, 3, 2, 2]


@pytest.mark.parametrize("schedule", ["linear", "cosine"])
def test_after_its_last_step_a_budget_stays_at_the_least(schedule: str) -> None:
    assert budgets(schedule, total=3, most=5, least=1, steps=6)[2:] == [1, 1, 1, 1]


@pytest.mark.parametrize("schedule", ["constant", "linear", "cosine", "autonomous"])
def test_a_schedule_of_one_step_is_constant(schedule: str) -> None:
    assert budgets(schedule, total=1, most=4, least=2, steps=3) == [4, 4, 4]


@given(
    st.sampled_from(["constant", "linear", "cosine", "autonomous"]),
    st.integers(1, 40),
    st.integers(1, 9),
    st.integers(0, 9),
)
def test_a_budget_never_grows_and_stays_between_its_ends(schedule: str, total: int, least: int, more: int) -> None:
    numbers = budgets(schedule, total=total, most=least + more, least=least, steps=total + 3)

    assert all(least <= number <= least + more for number in numbers)
    assert numbers == sorted(numbers, reverse=True)
