"""What came up in three projects, or holds everywhere, is one lesson of the person's own."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.kit.codec import root_schema
from skillopt_sleep.mining.lessons import LessonTasks, find_lessons, lessons_by_words
from skillopt_sleep.mining.own_lessons import with_own
from skillopt_sleep.records import Evidence, Lesson, LessonState, Place, PlaceKind, Purpose, Task
from tests.builders import a_lesson, a_task, changed, some_checks
from tests.fakes import NOON, Answers, FakeBackend, SerialPool

PERSON = Place(kind=PlaceKind.PERSON)
WORDS = "no, that's wrong - we always use pnpm here, never npm"


def wished(n: int, words: str = WORDS, **fields: Any) -> Task:
    """A task of the n-th project, in whose one session this was said."""
    said = (Evidence(session=f"s{n}", turn=2, quote=words, at=NOON),)
    task = a_task(id=f"t{n}", session=f"s{n}", project=f"/p{n}", at=NOON + timedelta(hours=n), evidence=said)
    return changed(task, **fields)


def known(n: int, wording: str = WORDS, **fields: Any) -> Lesson:
    quotes = (Evidence(session=f"s{n}", turn=2, quote=wording, at=NOON),)
    at = NOON - timedelta(days=9 - n)
    return a_lesson(wording, id=f"l{n}", project=f"/p{n}", quotes=quotes, first=at, last=at, **fields)


def found(tasks: Sequence[Task], *lessons: Lesson, reply: Answers | None = None) -> tuple[LessonTasks, FakeBackend]:
    backend = FakeBackend({Purpose.LESSONS: reply or {}})
    return find_lessons(tasks, known=lessons, several=(), optimizer=backend, pool=SerialPool()), backend


def reach(made: LessonTasks) -> list[tuple[str, PlaceKind]]:
    return [(task.lesson, task.wanted.holds.kind) for task in made.tasks]


@pytest.mark.parametrize("by_model", [True, False])
def test_the_same_words_in_three_projects_are_one_lesson_of_the_person(*, by_model: bool) -> None:
    tasks = [wished(n) for n in range(5)]
    made = found(tasks)[0] if by_model else lessons_by_words(tasks, earlier=(), known=())

    assert len(set(reach(made))) == 1
    (lesson,) = made.lessons
    assert (lesson.holds, lesson.project, len(lesson.sessions)) == (PERSON, "/p0", 5)
    assert made.notes == ()


def test_the_same_name_whatever_the_words_is_one_lesson_in_three_projects() -> None:
    made, backend = found(
        [wished(n, f"write dates in ISO as in file {n}", wording="Write dates in ISO format") for n in range(3)]
    )

    assert set(reach(made)) == {("l-t0", PlaceKind.PERSON)}
    assert backend.prompts == []


def test_in_two_projects_it_stays_each_projects_own_and_is_told_once() -> None:
    made, _ = found([wished(0), wished(1)])

    assert reach(made) == [("l-t0", PlaceKind.PROJECT), ("l-t1", PlaceKind.PROJECT)]
    (note,) = made.notes
    assert "was said in 2 projects, once in each" in note.summary
    assert note.expected


def test_what_is_said_in_a_third_project_joins_those_of_earlier_nights_with_their_tasks() -> None:
    made, _ = found([wished(2)], known(0), known(1, state=LessonState.NOTICED))

    (lesson,) = made.lessons
    assert (lesson.id, lesson.joins, lesson.sessions) == ("l0", ("l1", "l-t2"), ("s0", "s1", "s2"))
    (moved,) = with_own([wished(1, lesson="l1")], made.lessons)
    assert (moved.lesson, moved.wanted.holds) == ("l0", PERSON)


def test_a_lesson_of_the_person_takes_in_what_any_project_says() -> None:
    made, _ = found([wished(3)], known(0, holds=PERSON))
    assert reach(made) == [("l0", PlaceKind.PERSON)]

    made, _ = found([wished(0, wording="Use pnpm", holds=PERSON), wished(1, "use it!", wording="Use pnpm")])
    assert set(reach(made)) == {("l-t0", PlaceKind.PERSON)}


def test_what_was_taken_back_or_did_not_come_up_tonight_joins_nothing() -> None:
    made, _ = found([wished(2)], known(0, state=LessonState.TAKEN_BACK), known(1))
    assert reach(made) == [("l-t2", PlaceKind.PROJECT)]

    made, _ = found([wished(3, "add a test first", reference=some_checks("test", "later"))], *map(known, range(3)))
    assert [lesson.id for lesson in made.lessons] == ["l-t3"]


NAMES = ("Answer in short sentences", "Answer with short sentences", "Short sentences in answers")


def test_what_looks_alike_in_several_projects_is_asked_about_once() -> None:
    tasks = [wished(n, f"{name} as on page {n}", wording=name) for n, name in enumerate(NAMES)]

    made, backend = found(tasks, reply={"same": [[1, 2, 3]]})
    assert set(reach(made)) == {("l-t0", PlaceKind.PERSON)}
    assert made.lessons[0].wording == NAMES[0]
    (prompt,) = backend.prompts
    assert prompt.project == ""
    assert prompt.schema is not None
    assert root_schema(prompt.schema)["properties"].keys() == {"same"}
    assert '"unsaid"' not in prompt.text, "nothing is asked for that isn't used"
    assert f"2. {NAMES[1]} «{NAMES[1]} as on page 1» (p1, 2026-03-02 to 2026-03-02)" in prompt.text

    made, _ = found(tasks, reply={"same": []})
    assert len(set(reach(made))) == 3


def test_lessons_that_hold_everywhere_are_compared_whatever_they_look_like() -> None:
    tasks = [
        wished(0, "kurz!", wording="Be brief", holds=PERSON),
        wished(1, "no essays", wording="Say less", holds=PERSON),
    ]

    made, _ = found(tasks, reply={"same": [[1, 2]]})
    assert {task.lesson for task in made.tasks} == {"l-t0"}


ENGLISH = ("Write commit messages in English", "Commit messages have to be in English")


@pytest.mark.parametrize("project", ["/p0", "/p1"])
def test_a_known_lesson_that_comes_up_again_is_compared_once_more_with_a_known_one_that_looks_like_it(
    project: str,
) -> None:
    """The model may have missed it when the names were new."""
    place = PERSON if project == "/p1" else Place()
    lessons = known(0, ENGLISH[0], holds=place), replace(known(1, ENGLISH[1]), project=project)
    again = wished(8, "english please", wording=ENGLISH[0], project="/p0")

    made, backend = found([again], *lessons, reply={"same": [[1, 2]]})

    (lesson,) = made.lessons
    assert (lesson.id, lesson.joins, lesson.holds, len(lesson.sessions)) == ("l0", ("l1",), place, 3)
    (moved,) = with_own([wished(1, lesson="l1", project=project)], made.lessons)
    assert (moved.lesson, moved.wanted.holds) == ("l0", place)
    assert len(backend.prompts) == 1

    (kept,) = found([again], *lessons)[0].lessons
    assert kept.joins == ()
    _, backend = found([wished(0, "english please", wording=ENGLISH[0])], *lessons)
    assert backend.prompts == []


def test_two_known_lessons_that_are_one_keep_the_id_of_the_one_with_a_rule() -> None:
    lessons = known(0, ENGLISH[0]), replace(known(1, ENGLISH[1], state=LessonState.LIVE), project="/p0")
    again = wished(8, "english please", wording=ENGLISH[0], project="/p0")

    (lesson,) = found([again], *lessons, reply={"same": [[1, 2]]})[0].lessons

    assert (lesson.id, lesson.joins, lesson.state) == ("l1", ("l0",), LessonState.LIVE)
