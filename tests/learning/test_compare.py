"""The same tasks under two versions of a document, sorted by how each changed."""

import pytest

from skillopt_sleep.learning.compare import compare
from skillopt_sleep.records import Change, Rollout
from tests.builders import a_rollout


def made(task: str, *values: float | None) -> list[Rollout]:
    return [a_rollout(value, task=task, sample=sample) for sample, value in enumerate(values)]


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (0.0, 1.0, Change.IMPROVED),
        (1.0, 0.0, Change.REGRESSED),
        (0.0, 0.5, Change.PERSISTENT_FAIL),
        (1.0, 1.0, Change.STABLE_SUCCESS),
    ],
)
def test_a_task_is_sorted_by_whether_it_was_solved_then_and_today(
    before: float, after: float, change: Change
) -> None:
    (one,) = compare(made("t", before), made("t", after))

    assert one.change is change
    assert (one.before, one.after) == (a_rollout(before, task="t"), a_rollout(after, task="t"))


def test_of_several_attempts_most_decide_and_one_that_ended_so_is_shown() -> None:
    (one,) = compare(made("t", 1.0, 0.0, 0.0), made("t", 0.0, 1.0, 1.0))

    assert one.change is Change.IMPROVED
    assert (one.before.sample, one.after.sample) == (1, 1)


def test_half_of_the_attempts_is_not_solved() -> None:
    (one,) = compare(made("t", 1.0, 0.0), made("t", 1.0, 1.0))

    assert one.change is Change.IMPROVED


def test_a_task_that_was_not_scored_under_both_versions_is_no_failure() -> None:
    assert compare(made("t", None) + made("u", 1.0), made("t", 1.0) + made("u", None)) == ()
    assert compare([], made("t", 1.0)) == ()


def test_what_could_not_be_scored_among_others_does_not_count() -> None:
    (one,) = compare(made("t", None, 1.0), made("t", 1.0, None))

    assert one.change is Change.STABLE_SUCCESS


def test_tasks_come_in_the_order_of_todays_attempts() -> None:
    earlier = made("b", 0.0) + made("a", 0.0)

    assert [one.task for one in compare(earlier, made("a", 0.0) + made("b", 0.0))] == ["a", "b"]
