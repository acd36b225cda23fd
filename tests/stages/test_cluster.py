"""Near-equal tasks of one project form a cluster, and clusters of earlier nights go on."""

from datetime import timedelta
from typing import Any

import pytest

from skillopt_sleep.records import Evidence, Exact, Rubric, Task
from skillopt_sleep.stages.cluster import cluster
from tests.builders import a_task, some_checks
from tests.fakes import NOON


def a_lesson(number: int, prompt: str, said: str, **fields: Any) -> Task:
    """A task with a rubric, so that only words decide."""
    return a_task(
        id=f"t{number}",
        prompt=prompt,
        session=f"s{number}",
        at=NOON + timedelta(hours=number),
        reference=fields.pop("reference", Rubric(text=f"rubric {number}")),
        evidence=(Evidence(session=f"s{number}", turn=2, quote=said),),
        **fields,
    )


def names(*tasks: Task, known: tuple[Task, ...] = ()) -> list[str]:
    return [task.cluster for task in cluster(tasks, known=known)]


def test_the_same_request_again_joins_its_cluster() -> None:
    first, second = names(
        a_lesson(1, "write the release notes for version 1.2", "mention the date"),
        a_lesson(2, "Write the release notes for version 1.3", "never list the authors twice"),
    )

    assert first == second == "c-t1"


def test_the_same_correction_again_joins_its_cluster() -> None:
    first, second = names(
        a_lesson(1, "create a run script for the api", "be more careful with this data, it is not good enough"),
        a_lesson(2, "load the march file", "This is not good enough: be more careful with this data!"),
    )

    assert first == second


def test_a_correction_with_more_around_it_joins_its_cluster() -> None:
    first, second = names(
        a_lesson(1, "plan the trip", "answer in formal German please"),
        a_lesson(
            2,
            "sort the mail",
            "answer in formal German please, as I told you on Monday and on Tuesday and every other day",
        ),
    )

    assert first == second


def test_equal_checks_are_the_same_correction_whatever_the_words() -> None:
    first, second = names(
        a_lesson(1, "add lodash", "we live in a pnpm household", reference=some_checks()),
        a_lesson(2, "bump express", "npm? seriously?", reference=some_checks()),
    )

    assert first == second


def test_equal_exact_answers_are_no_reason_to_join() -> None:
    first, second = names(
        a_lesson(1, "how many continents are there", "seven by our count", reference=Exact(answer="7")),
        a_lesson(2, "which day is pay day", "it comes after the sixth", reference=Exact(answer="7")),
    )

    assert first != second


def test_unlike_tasks_have_clusters_of_their_own() -> None:
    assert names(
        a_lesson(1, "write the release notes", "mention the date"),
        a_lesson(2, "draw a graph of the load", "use a log scale"),
    ) == ["c-t1", "c-t2"]


@pytest.mark.parametrize("reference", [some_checks(), Rubric(text="same")])
def test_different_projects_never_share_a_cluster(reference: Any) -> None:
    said = "no - we always use pnpm here, never npm"

    assert names(
        a_lesson(1, "add lodash", said, reference=reference, project="/p/shop"),
        a_lesson(2, "add lodash", said, reference=reference, project="/p/blog"),
    ) == ["c-t1", "c-t2"]


def test_clusters_of_earlier_nights_go_on() -> None:
    known = cluster([a_lesson(1, "write the release notes", "mention the date")], known=())

    assert names(a_lesson(2, "write the release notes!", "be brief"), known=known) == ["c-t1"]


def test_of_several_clusters_the_most_similar_one_is_joined() -> None:
    known = (
        a_lesson(1, "write the release notes for the api server", "x", cluster="c-far"),
        a_lesson(2, "write the release notes for the web server", "y", cluster="c-near"),
    )

    assert names(a_lesson(3, "write the release notes for the web server.", "z"), known=known) == ["c-near"]


def test_tasks_come_out_in_order_of_time_whatever_order_they_came_in() -> None:
    tasks = [a_lesson(i, f"ask {i} about thing {i * 7919}", f"correction number {i * 104729}") for i in (3, 1, 2)]

    assert [task.id for task in cluster(tasks, known=())] == ["t1", "t2", "t3"]
    assert cluster(tasks, known=()) == cluster(tasks[::-1], known=())


def test_an_earlier_task_names_the_cluster() -> None:
    assert names(a_lesson(2, "add lodash", "use pnpm"), a_lesson(1, "add lodash", "use pnpm")) == ["c-t1", "c-t1"]


def test_a_short_correction_does_not_join_everything_that_holds_its_words() -> None:
    first, second = names(
        a_lesson(1, "draw the org chart", "too long"),
        a_lesson(2, "load the orders", "this took far too long and you dropped the index on the way"),
    )

    assert first != second


def test_only_the_cluster_is_changed() -> None:
    task = a_task()

    assert cluster([task], known=()) == (a_task(cluster="c-t1"),)
