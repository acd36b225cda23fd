"""Guidance from the same tasks under two versions of a document; it never sees what gates it."""

from typing import Any

import pytest

from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.learning.slow_update import ANSWER_CHARS, compare, slow_update
from skillopt_sleep.records import (
    Compared,
    Document,
    Earlier,
    Edit,
    EditOp,
    EditSource,
    Exact,
    Note,
    Past,
    Prompt,
    Purpose,
    ResultChange,
    Rollout,
    Split,
)
from tests.builders import SAID, a_document, a_rollout, a_task, a_trajectory
from tests.fakes import Answers, FakeBackend
from tests.nights import an_optimizer

BLOCK = "<!-- slow-update:begin -->\n- Old wisdom.\n<!-- slow-update:end -->"
SNAPSHOT = Earlier(night="2026-02-23", body="- Then.", nights=7)


def a_change(change: ResultChange, task: str = "t1", then: str = "as then", today: str = "as today") -> Compared:
    solved = {
        ResultChange.IMPROVED: (0.0, 1.0),
        ResultChange.REGRESSED: (1.0, 0.0),
        ResultChange.STABLE_SUCCESS: (1.0, 1.0),
    }
    before, after = solved.get(change, (0.0, 0.0))
    return Compared(
        task=task,
        change=change,
        before=a_rollout(before, task=task, trajectory=a_trajectory(then)),
        after=a_rollout(after, task=task, trajectory=a_trajectory(today)),
    )


def run(
    *compared: Compared, reply: Answers, document: Document | None = None, **task: Any
) -> tuple[Edit | Note | None, list[Prompt]]:
    backend = FakeBackend({Purpose.SLOW_UPDATE: reply})
    tasks = {one.task: a_task(**{"id": one.task, "split": Split.TRAIN} | task) for one in compared}
    said = slow_update(
        compared,
        tasks,
        SNAPSHOT,
        optimizer=an_optimizer(backend, document or a_document("- Now."), past=Past(notes="Short rules win.")),
    )
    return said, backend.prompts


SAYS = {"guidance": "\n- Ask before you delete.\n"}


def test_what_it_says_becomes_the_edit_of_the_protected_block() -> None:
    said, prompts = run(a_change(ResultChange.REGRESSED), a_change(ResultChange.STABLE_SUCCESS, "t2"), reply=SAYS)

    assert said == Edit(
        op=EditOp.APPEND,
        content="- Ask before you delete.",
        source=EditSource.SLOW,
        support=1,
        tasks=("t1",),
    )
    assert len(prompts) == 1


def test_guidance_that_stands_there_is_replaced_and_shown() -> None:
    said, (prompt,) = run(a_change(ResultChange.PERSISTENT_FAIL), reply=SAYS, document=a_document(f"- Now.\n{BLOCK}"))

    assert isinstance(said, Edit)
    assert (said.op, said.target) == (EditOp.REPLACE, "- Old wisdom.")
    assert "# Guidance that stands there now\n```\n- Old wisdom.\n```" in prompt.text


def test_the_prompt_holds_both_versions_both_answers_and_what_the_person_said() -> None:
    _, (prompt,) = run(a_change(ResultChange.REGRESSED, then="x" * 2 * ANSWER_CHARS), reply=SAYS)

    assert "7 nights ago" in prompt.text
    assert "- Then." in prompt.text
    assert "- Now." in prompt.text
    assert "as today" in prompt.text
    assert f": «{SAID}»" in prompt.text
    assert "Short rules win." in prompt.text
    assert "x" * ANSWER_CHARS in prompt.text
    assert "x" * (ANSWER_CHARS + 1) not in prompt.text


@pytest.mark.parametrize(
    "changes", [(), (ResultChange.IMPROVED,), (ResultChange.STABLE_SUCCESS, ResultChange.IMPROVED)]
)
def test_where_nothing_fails_today_nothing_is_asked(changes: tuple[ResultChange, ...]) -> None:
    said, prompts = run(*(a_change(change, f"t{n}") for n, change in enumerate(changes)), reply=SAYS)

    assert (said, prompts) == (None, [])


@pytest.mark.parametrize("guidance", ["", "  \n", "- Old wisdom."])
def test_nothing_to_say_or_the_same_again_is_no_edit(guidance: str) -> None:
    document = a_document(f"- Now.\n{BLOCK}")
    said, _ = run(a_change(ResultChange.REGRESSED), reply={"guidance": guidance}, document=document)

    assert said is None


def test_a_call_that_fails_is_a_note() -> None:
    said, _ = run(a_change(ResultChange.REGRESSED), reply=CallFailed(FailureKind.TIMED_OUT, "no answer"))

    assert isinstance(said, Note)
    assert (said.stage, said.summary) == ("slow_update", "shop:CLAUDE.md: no answer")


def test_a_dead_model_ends_the_night() -> None:
    with pytest.raises(BackendUnavailable):
        run(a_change(ResultChange.REGRESSED), reply=BackendUnavailable("gone"))


@pytest.mark.parametrize("side", [Split.VAL, Split.TEST, None])
@pytest.mark.parametrize("change", ResultChange)
def test_a_task_that_is_not_on_train_raises(side: Split | None, change: ResultChange) -> None:
    with pytest.raises(ValueError, match="t1 is not on train"):
        run(a_change(change), reply=SAYS, split=side)


def test_the_reference_reaches_no_prompt() -> None:
    _, (prompt,) = run(a_change(ResultChange.REGRESSED), reply=SAYS, reference=Exact(answer="ZEBRA7"))

    assert "ZEBRA7" not in prompt.text


def test_every_category_is_told_with_its_number() -> None:
    compared = [a_change(change, f"t{n}") for n, change in enumerate(ResultChange)]
    _, (prompt,) = run(*compared, reply=SAYS)

    assert all(f"({change}): 1" in prompt.text for change in ResultChange)


# compare ------------------------------------------------------------------------------------------------


def made(task: str, *values: float | None) -> list[Rollout]:
    return [a_rollout(value, task=task, sample=sample) for sample, value in enumerate(values)]


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (0.0, 1.0, ResultChange.IMPROVED),
        (1.0, 0.0, ResultChange.REGRESSED),
        (0.0, 0.5, ResultChange.PERSISTENT_FAIL),
        (1.0, 1.0, ResultChange.STABLE_SUCCESS),
    ],
)
def test_a_task_is_sorted_by_whether_it_was_solved_then_and_today(
    before: float, after: float, change: ResultChange
) -> None:
    (one,) = compare(made("t", before), made("t", after))

    assert one.change is change
    assert (one.before, one.after) == (a_rollout(before, task="t"), a_rollout(after, task="t"))


def test_of_several_attempts_most_decide_and_one_that_ended_so_is_shown() -> None:
    (one,) = compare(made("t", 1.0, 0.0, 0.0), made("t", 0.0, 1.0, 1.0))

    assert one.change is ResultChange.IMPROVED
    assert (one.before.sample, one.after.sample) == (1, 1)


def test_half_of_the_attempts_is_not_solved() -> None:
    (one,) = compare(made("t", 1.0, 0.0), made("t", 1.0, 1.0))

    assert one.change is ResultChange.IMPROVED


def test_a_task_that_was_not_scored_under_both_versions_is_no_failure() -> None:
    assert compare(made("t", None) + made("u", 1.0), made("t", 1.0) + made("u", None)) == ()
    assert compare([], made("t", 1.0)) == ()


def test_what_could_not_be_scored_among_others_does_not_count() -> None:
    (one,) = compare(made("t", None, 1.0), made("t", 1.0, None))

    assert one.change is ResultChange.STABLE_SUCCESS


def test_tasks_come_in_the_order_of_todays_attempts() -> None:
    earlier = made("b", 0.0) + made("a", 0.0)

    assert [one.task for one in compare(earlier, made("a", 0.0) + made("b", 0.0))] == ["a", "b"]
