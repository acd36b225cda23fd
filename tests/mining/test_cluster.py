"""Tasks in which nearly the same is said form a cluster, also with those of earlier nights."""

from datetime import timedelta
from typing import Any

import pytest

from skillopt_sleep.mining.cluster import cluster
from skillopt_sleep.records import Checks, Evidence, Exact, Rubric, Task
from tests.builders import a_task, some_checks
from tests.fakes import NOON


def a_lesson(number: int, prompt: str, said: str, **fields: Any) -> Task:
    """A task with a rubric, so that only words decide."""
    return a_task(
        id=f"t{number}",
        prompt=prompt,
        session=f"s{number}",
        at=NOON + timedelta(hours=number),
        reference=fields.pop("reference", Rubric(text=f"In their words: «{said}»")),
        evidence=(Evidence(session=f"s{number}", turn=2, quote=said),),
        **fields,
    )


def names(*tasks: Task, known: tuple[Task, ...] = ()) -> list[str]:
    return [task.lesson for task in cluster(tasks, known=known)]


def test_the_same_request_again_joins_its_cluster_where_the_corrections_name_no_wish() -> None:
    first, second = names(
        a_lesson(1, "write the release notes", "no, wrong"),
        a_lesson(2, "Write the release notes", "No, wrong"),
    )

    assert first == second == "c-t1"


def test_another_request_is_another_wish_where_the_corrections_name_none() -> None:
    assert names(
        a_lesson(1, "draw the org chart", "no, wrong"),
        a_lesson(2, "load the march file", "no, wrong"),
    ) == ["c-t1", "c-t2"]


def test_the_same_request_with_another_correction_is_another_wish() -> None:
    first, second = names(
        a_lesson(1, "write the release notes for version 1.2", "mention the date"),
        a_lesson(2, "Write the release notes for version 1.3", "never list the authors twice"),
    )

    assert first != second


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("keep it to one page", "Keep it to one page!"),
        ("no uses emojis en los commits", "No uses emojis en los commits."),
        ("コミットに絵文字を使わないで", "コミットに絵文字を使わないで!"),
    ],
)
def test_a_correction_in_nearly_the_same_words_joins_its_cluster(one: str, other: str) -> None:
    assert names(a_lesson(1, "create a run script", one), a_lesson(2, "load the march file", other)) == ["c-t1"] * 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("we use tabs, not spaces, in this repository", "we use spaces, not tabs, in this repository"),
        ("please always add tests for the parser", "please never add tests for the parser"),
        ("indent by 2", "indent by 4"),
        ("add tests for the lexer", "add tests for the parser"),
        (
            "please run the linter before you tell me that it is done",
            "please run the tests before you tell me that it is done",
        ),
        ("answer in English please", "answer in German please"),
        ("no emojis", "keine Emojis bitte"),
        ("use camelCase", "camel case for names please"),
    ],
)
def test_other_words_have_a_cluster_of_their_own(one: str, other: str) -> None:
    assert names(a_lesson(1, "do the thing", one), a_lesson(2, "do the thing", other)) == ["c-t1", "c-t2"]


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

    assert names(a_lesson(2, "release notes please!", "Mention the date!"), known=known) == ["c-t1"]


def test_a_cluster_goes_on_though_a_proof_dropped_a_check_or_all() -> None:
    words = "use pnpm, never npm"
    known = a_lesson(1, "add lodash", words, reference=Checks(items=some_checks().items[:1]), lesson="c-old")
    quoted = a_lesson(1, "add lodash", words, lesson="c-old")
    tonight = a_lesson(2, "add zod", "Use pnpm, never npm", reference=some_checks())

    assert names(tonight, known=(known,)) == names(tonight, known=(quoted,)) == ["c-old"]


def test_a_task_without_corrections_is_told_by_its_rubric_or_else_by_its_request() -> None:
    rubric = Rubric(text="The message is a single line.")
    assert names(
        a_task(id="t1", prompt="commit this", evidence=(), reference=rubric),
        a_task(id="t2", prompt="and another", evidence=(), reference=rubric),
        a_task(id="t3", prompt="sort the mail", evidence=(), reference=Exact(answer="7")),
        a_task(id="t4", prompt="Sort the mail", evidence=(), reference=Exact(answer="7")),
        a_task(id="t5", prompt="draw the org chart", evidence=(), reference=Exact(answer="7")),
    ) == ["c-t1", "c-t1", "c-t3", "c-t3", "c-t5"]


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

    assert cluster([task], known=()) == (a_task(lesson="c-t1"),)


def test_the_opposite_wish_in_the_same_words_has_a_cluster_of_its_own() -> None:
    assert names(
        a_lesson(1, "add lodash", "use pnpm, never npm"),
        a_lesson(2, "add lodash", "use npm, never pnpm"),
    ) == ["c-t1", "c-t2"]


def test_opposite_checks_are_never_one_cluster_though_the_words_are_the_same() -> None:
    assert names(
        a_lesson(1, "add lodash", "the other one!", reference=some_checks("pnpm", "npm")),
        a_lesson(2, "add lodash", "the other one!", reference=some_checks("npm", "pnpm")),
    ) == ["c-t1", "c-t2"]


def test_clusters_of_earlier_nights_never_merge() -> None:
    known = (
        a_lesson(1, "add lodash", "use pnpm not npm", lesson="c-one"),
        a_lesson(2, "add dayjs", "use pnpm, not npm", lesson="c-two"),
    )

    assert names(a_lesson(3, "add zod", "use pnpm not npm"), known=known) == ["c-one"]


def some_tasks(count: int) -> list[Task]:
    """So many tasks of one project with a few wishes, each in several spellings."""
    said = ("use pnpm", "Use pnpm!", "mention the date", "Mention the date", "no, wrong", "shorter", "Shorter!")
    return [a_lesson(number, f"write the {'xyz'[number % 3]} page", said[number % 7]) for number in range(count)]


def test_many_tasks_are_clustered_the_same_way_each_time() -> None:
    tasks = some_tasks(300)

    assert cluster(tasks, known=()) == cluster(tasks[::-1], known=())


def test_a_later_night_gives_the_clusters_that_one_night_gives() -> None:
    tasks = cluster(some_tasks(200), known=())

    assert cluster(some_tasks(200)[120:], known=tasks[:120]) == tasks[120:]
