"""Only a rule that we wrote is tried to be removed, and only on unseen tasks that exercise it."""

from datetime import timedelta

import pytest
from hypothesis import example, given, strategies as st
from msgspec.structs import replace

from skillopt_sleep.learning.removal import RETRY, prune
from skillopt_sleep.learning.rule import MOST_TASKS, CandidateRule, exercising
from skillopt_sleep.learning.update import update
from skillopt_sleep.records import (
    CandidateKind,
    Document,
    Edit,
    EditEffect,
    EditOp,
    EditSource,
    EditStatus,
    Effect,
    ProposedEdit,
    Split,
    Task,
)
from tests.builders import a_document, a_past, a_task, an_edit
from tests.fakes import NOON

PNPM = an_edit("- Use pnpm, never npm.", tasks=("c1", "gone"))
BRIEF = an_edit("- Say in one line at the beginning what was done, then stop.", tasks=("d1",))
OURS = a_document(f"- The person's own.\n{PNPM.content}\n{BRIEF.content}")


def of(lesson: str, *, train: int = 1, val: int = 2) -> list[Task]:
    """A lesson's tasks, each of a session of its own, the later ones newer."""
    return [
        a_task(id=f"{lesson}{n}", session=f"{lesson}{n}", lesson=lesson, split=side, at=NOON + timedelta(days=n))
        for n in range(1, 1 + train + val)
        for side in (Split.TRAIN if n <= train else Split.VAL,)
    ]


C, D = of("c"), of("d")


def pruned(*tasks: Task, document: Document = OURS, adopted: tuple[Edit, ...] = (PNPM, BRIEF), **past: object) -> str:
    """The rule that would be removed."""
    found = prune(document, a_past(adopted=adopted, **past), tasks)  # pyright: ignore[reportArgumentType]
    return found.edits[0].target.strip("\n") if found else ""


def test_the_longest_rule_is_tried_on_what_it_was_learned_from() -> None:
    found = prune(OURS, a_past(adopted=(PNPM, BRIEF)), [*C, *D])

    target = f"\n{BRIEF.content}"
    why = f"it may not be needed any more; {len(target)} characters less"
    removal = Edit(op=EditOp.DELETE, target=target, reason=why, support=1, tasks=("d1",), lessons=("d",))
    assert found == CandidateRule(CandidateKind.REMOVAL, (removal,), tuple(D[1:]))


def test_a_line_that_we_did_not_write_stays() -> None:
    assert pruned(*C, *D, adopted=()) == ""
    assert pruned(*C, *D, document=a_document("- The person's own.")) == ""


def test_a_rule_without_unseen_tasks_that_exercise_it_stays() -> None:
    assert pruned(*C) == PNPM.content
    assert pruned(*of("e")) == ""
    assert pruned(*of("c", val=0), *of("e")) == ""


def test_unseen_tasks_of_one_session_only_could_never_prove_it() -> None:
    assert pruned(*of("c", val=1)) == ""


def test_what_the_person_or_a_trial_spoke_for_is_not_tried_again() -> None:
    removal = an_edit("", op=EditOp.DELETE, target=f"\n{BRIEF.content}")
    harmful = EditEffect(night="n", edit=removal, effect=Effect.HARMFUL)
    waits = ProposedEdit(edit=removal, status=EditStatus.WAITS, since="n")

    assert pruned(*C, *D, refused=(removal,)) == PNPM.content
    assert pruned(*C, *D, proposed=(waits,)) == PNPM.content
    assert pruned(*C, *D, tried=(harmful,)) == PNPM.content


def test_a_removal_that_was_not_proven_is_tried_again_after_some_nights_but_those_never_tried_come_first() -> None:
    removal = an_edit("", op=EditOp.DELETE, target=f"\n{BRIEF.content}")
    unsure = EditEffect(night="n", edit=removal, effect=Effect.UNDECIDED)
    nights = tuple(f"n{i}" for i in range(RETRY - 1))

    assert pruned(*D, tried=(unsure,), nights=(*nights[1:], "n")) == ""
    assert pruned(*D, tried=(unsure,), nights=(*nights, "n")) == BRIEF.content
    assert pruned(*D, tried=(unsure,), nights=(*nights, "later")) == BRIEF.content
    assert pruned(*C, *D, tried=(unsure,), nights=(*nights, "n")) == PNPM.content


def test_where_nights_are_not_known_those_count_in_which_something_was_tried() -> None:
    removal = an_edit("", op=EditOp.DELETE, target=f"\n{BRIEF.content}")
    unsure = EditEffect(night="n", edit=removal, effect=Effect.UNDECIDED)
    later = tuple(replace(unsure, night=f"n{i}", edit=PNPM) for i in range(RETRY - 1))

    assert pruned(*D, tried=(*later[1:], unsure)) == ""
    assert pruned(*D, tried=(*later, unsure)) == BRIEF.content


@pytest.mark.parametrize("lead", ["# Shop\n\n- Never npm, use pnpm!\n", "# Shop\n\n"])
def test_a_rule_that_another_line_says_too_comes_first(lead: str) -> None:
    twin = an_edit("- Use pnpm; never npm.", tasks=("c1",))
    document = a_document(f"{PNPM.content}\n{BRIEF.content}\n{twin.content}", lead=lead)
    found = prune(document, a_past(adopted=(PNPM, BRIEF, twin)), [*C, *D])

    assert found is not None
    assert found.edits[0].target.strip() in {PNPM.content, twin.content}
    assert "another line says it too" in found.edits[0].reason


def test_a_rule_that_the_persons_own_text_says_too_is_one_of_those() -> None:
    document = a_document(f"{PNPM.content}\n{BRIEF.content}", lead="# Shop\n- never npm, use pnpm\n\n")

    assert pruned(*C, *D, document=document) == PNPM.content


def test_a_list_is_tried_item_by_item_and_anything_else_as_a_whole() -> None:
    items = an_edit("- Use pnpm, never npm.\n- Not yarn.", tasks=("c1",))
    steps = an_edit("## Releases\n- Tag it.\n- Push it.", tasks=("c1",))

    assert pruned(*C, document=a_document(items.content), adopted=(items,)) == "- Use pnpm, never npm."
    assert pruned(*C, document=a_document(f"x\n{steps.content}\ny"), adopted=(steps,)) == steps.content


@pytest.mark.parametrize(
    "body", ["", f"{PNPM.content} Or yarn.", f"  {PNPM.content}", "- Use pnpm.", PNPM.content.upper()]
)
def test_a_rule_that_a_person_changed_since_is_theirs(body: str) -> None:
    assert pruned(*C, document=a_document(body)) == ""


def test_guidance_of_the_slow_update_is_not_ours_to_remove() -> None:
    slow = an_edit(PNPM.content, source=EditSource.SLOW, tasks=("c1",))

    assert pruned(*C, adopted=(slow,)) == ""


@example(["", PNPM.content, PNPM.content])
@given(
    st.lists(st.sampled_from([PNPM.content, f"{PNPM.content} Really.", f"x {PNPM.content}", "", "- a"]), max_size=6)
)
def test_exactly_one_line_goes_and_the_rest_stays_as_it_is(lines: list[str]) -> None:
    document = a_document("\n".join(lines))
    found = prune(document, a_past(adopted=(PNPM,)), C)

    assert found is None or PNPM.content in lines
    if found is not None:
        changed, _ = update(document, found.edits, refuse=lambda _: "")
        lines.remove(PNPM.content)
        assert changed.body == "\n".join(lines)


# exercising ---------------------------------------------------------------------------------------------


def test_every_lesson_that_taught_a_rule_must_speak() -> None:
    assert exercising(("c1", "d1"), [*C, *D]) == (*C[1:], *D[1:])
    assert exercising(("c1", "d1"), [*C, *of("d", val=0)]) == ()
    assert exercising(("gone",), [*C, *D]) == ()


def test_the_newest_of_each_lesson_are_asked() -> None:
    many = of("c", val=2 * MOST_TASKS)

    assert exercising(("c1",), many) == tuple(many[-MOST_TASKS:])
    assert len(exercising(("c1", "d1"), [*many, *D])) == MOST_TASKS // 2 + 2


def test_tasks_of_other_sides_and_lessons_say_nothing_about_it() -> None:
    test = a_task(id="c9", session="c9", lesson="c", split=Split.TEST)

    assert exercising(("c1",), [*C, test, *D]) == tuple(C[1:])
