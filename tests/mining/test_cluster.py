"""Tasks with one wish form a cluster, also with those of earlier nights."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.mining.cluster import cluster
from skillopt_sleep.records import Evidence, Exact, Rubric, Task
from tests.benchmarks.cluster import many, measure_clusters
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
        a_lesson(1, "write the release notes for version 1.2", "no, wrong"),
        a_lesson(2, "Write the release notes for version 1.3", "not good"),
    )

    assert first == second == "c-t1"


def test_the_same_request_with_another_correction_is_another_wish() -> None:
    first, second = names(
        a_lesson(1, "write the release notes for version 1.2", "mention the date"),
        a_lesson(2, "Write the release notes for version 1.3", "never list the authors twice"),
    )

    assert first != second


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

    assert names(a_lesson(2, "release notes please!", "the date is missing"), known=known) == ["c-t1"]


def test_of_several_clusters_the_most_similar_one_is_joined() -> None:
    known = (
        a_lesson(1, "write the release notes for the api server", "no", lesson="c-far"),
        a_lesson(2, "write the release notes for the web server", "no", lesson="c-near"),
    )

    assert names(a_lesson(3, "write the release notes for the web server.", "nope"), known=known) == ["c-near"]


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


def test_a_wish_in_other_words_joins_its_cluster() -> None:
    assert names(
        a_lesson(1, "add lodash", "use pnpm not npm"),
        a_lesson(2, "set the project up", "we're a pnpm shop, please stop running npm"),
        a_lesson(3, "aktualisiere die Pakete", "schon wieder npm statt pnpm"),
    ) == ["c-t1", "c-t1", "c-t1"]


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


def test_a_chain_of_likenesses_does_not_carry_a_cluster_elsewhere() -> None:
    known = tuple(
        a_lesson(number, f"add the {thing} module", "wrap lines, quote keys, sort tables", lesson="c-old")
        for number, thing in enumerate(("orders", "stock", "billing"))
    )
    middle = a_lesson(4, "add the search module", "quote keys, sort tables, pin hosts, close sockets")
    last = a_lesson(5, "add the login module", "pin hosts, close sockets, rotate tokens, quote strings")

    assert names(middle, last) == ["c-t4", "c-t4"]
    assert names(middle, last, known=known) == ["c-old", "c-t5"]


def test_clusters_of_earlier_nights_never_merge() -> None:
    known = (
        a_lesson(1, "add lodash", "use pnpm not npm", lesson="c-one"),
        a_lesson(2, "add dayjs", "pnpm, never npm", lesson="c-two"),
    )

    assert names(a_lesson(3, "add zod", "use pnpm not npm"), known=known) == ["c-one"]


def test_the_english_tasks_of_the_labelled_set_fall_into_their_wishes() -> None:
    dev, held_out = measure_clusters("dev"), measure_clusters("held-out")

    assert dev.precision >= 0.94
    assert dev.recall >= 0.88
    assert held_out.precision >= 0.85
    assert held_out.recall >= 0.80


def test_many_tasks_are_clustered_the_same_way_each_time() -> None:
    tasks = many(300)

    assert cluster(tasks, known=()) == cluster(tasks[::-1], known=())


def test_a_later_night_gives_the_clusters_that_one_night_gives() -> None:
    tasks = cluster(many(200), known=())

    assert cluster(many(200)[120:], known=tasks[:120]) == tasks[120:]


# lessons that were named --------------------------------------------------------------------------------


def test_one_lesson_is_one_cluster_whatever_was_said() -> None:
    first, second, other = names(
        a_lesson(1, "was macht parse()?", "viel zu lang", wording="Keep answers short"),
        a_lesson(2, "summarize app.py", "three bullets, tops", wording="keep answers short."),
        a_lesson(3, "summarize list.py", "in english please", wording="Answer in English"),
    )

    assert first == second != other


def test_a_lesson_goes_on_with_the_cluster_of_an_earlier_night() -> None:
    known = a_lesson(1, "was macht parse()?", "viel zu lang", wording="Keep answers short", lesson="c-old")

    assert names(a_lesson(2, "summarize app.py", "3 bullets", wording="Keep answers short"), known=(known,)) == [
        "c-old"
    ]


def test_checks_that_contradict_each_other_are_no_one_lesson() -> None:
    first, second = names(
        a_lesson(1, "add zod", "pnpm", wording="Use the right tool", reference=some_checks("pnpm")),
        a_lesson(2, "add swr", "npm", wording="Use the right tool", reference=some_checks("npm", avoid="pnpm")),
    )

    assert first != second


def test_a_lesson_without_a_name_is_told_by_its_words() -> None:
    first, second = names(
        a_lesson(1, "create a run script for the api", "be more careful with this data", wording="Be careful"),
        a_lesson(2, "load the march file", "Be more careful with this data!"),
    )

    assert first == second


def test_names_that_say_too_much_do_not_part_what_the_words_join() -> None:
    first, second = names(
        a_lesson(1, "add zod", "pnpm please", wording="Add zod with pnpm", reference=some_checks()),
        a_lesson(2, "add swr", "not npm, pnpm", wording="Bring swr in differently", reference=some_checks()),
    )

    assert first == second


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Keep answers short", "Keep commit messages short"),
        ("Do not edit generated files", "Do not edit migration files"),
        ("Answer in German", "Write release notes in German"),
    ],
)
def test_names_that_only_share_words_join_nothing(one: str, other: str) -> None:
    first, second = names(
        a_lesson(1, "was macht parse()?", "viel zu lang", wording=one),
        a_lesson(2, "tidy up the branch", "no, take it back", wording=other),
    )

    assert first != second


def test_opposite_wishes_under_one_name_stay_apart() -> None:
    first, second = names(
        a_lesson(1, "format app.py", "use tabs, not spaces", wording="Follow the indentation style"),
        a_lesson(2, "format list.py", "use spaces, not tabs", wording="Follow the indentation style"),
    )

    assert first != second


def test_a_task_without_a_name_is_no_bridge_to_another_lesson() -> None:
    said = ("use pnpm and run the linter", "run the linter", "run the linter and the tests", "run the tests")
    lessons = ("Use pnpm", "", "", "")
    tasks = [
        a_lesson(n, f"request {'abcd'[n]}", words, wording=lesson)
        for n, (words, lesson) in enumerate(zip(said, lessons, strict=True))
    ]

    assert names(*tasks) == names(*(replace(task, wording="") for task in tasks))


def test_a_name_hides_no_task_from_those_that_the_same_request_joins() -> None:
    known = a_lesson(1, "fix the login page layout in header.tsx", "no, wrong", lesson="c-old")
    tonight = a_lesson(2, "repair the login page layout in header.tsx now", "no, again", wording="Fix layouts")

    assert names(tonight, known=(known,)) == ["c-old"]
