"""The names of lessons that a model is shown: those that hold in the project, with the day each last came up."""

from datetime import timedelta
from typing import Any

from skillopt_sleep.mining.names import MOST, Names, names_in, question_of
from skillopt_sleep.records import Evidence, Lesson, LessonState, Place, PlaceKind
from tests.builders import a_lesson, a_task
from tests.fakes import NOON

SHOP = "/home/ada/shop"
PNPM, SHORT = "Use pnpm", "Keep answers short"


def heard(wording: str, *, days_ago: int, **fields: Any) -> Lesson:
    at = NOON - timedelta(days=days_ago)
    return a_lesson(wording, first=at, last=at, **fields)


def test_names_are_known_by_project_with_their_day_those_heard_last_at_the_end() -> None:
    lessons = [a_lesson(PNPM), heard(SHORT, days_ago=9), a_lesson(SHORT, project="/api"), a_lesson("")]

    assert names_in(SHOP, lessons) == Names(known=("2026-02-21 Keep answers short", "2026-03-01 Use pnpm"))
    assert names_in("/api", lessons) == Names(known=("2026-03-01 Keep answers short",))


def test_a_lesson_of_the_person_is_known_in_every_project_and_what_was_only_noticed_stands_apart() -> None:
    of_person = a_lesson("Answer in German", project="/api", holds=Place(kind=PlaceKind.PERSON))
    noticed = a_lesson("Leave out the summary", state=LessonState.NOTICED)

    names = names_in(SHOP, [of_person, noticed])

    assert names == Names(known=("2026-03-01 Answer in German",), noticed=("2026-03-01 Leave out the summary",))


def test_a_lesson_that_was_taken_back_is_not_shown_as_known() -> None:
    assert names_in(SHOP, [a_lesson(PNPM, state=LessonState.TAKEN_BACK)]) == Names()


def test_only_so_many_names_are_known() -> None:
    names = names_in(SHOP, [heard(f"Do {n}", days_ago=MOST + 2 - n) for n in range(MOST + 2)])

    assert len(names.known) == MOST
    assert names.known[0].endswith("Do 2")


def test_names_of_one_session_stand_in_the_order_they_came_up() -> None:
    tabs, spaces = (Evidence(session="s", turn=turn, quote="so", at=NOON) for turn in (2, 4))
    later = a_task(id="a", project=SHOP, wording="Use spaces", evidence=(spaces,))
    first = a_task(id="b", project=SHOP, wording="Use tabs", evidence=(tabs,))

    question = question_of([later, first], SHOP, [])

    assert [name.wording for name in question.names] == ["Use tabs", "Use spaces"]


def test_a_lesson_beyond_those_that_are_shown_is_still_known_by_its_wording() -> None:
    known = [heard(f"Do {n}", days_ago=MOST + 9 - n, id=f"l-{n}") for n in range(MOST + 9)]
    again = a_task(project=SHOP, wording="do 0", takes_back="Do 1.")

    question = question_of([again], SHOP, known)

    assert [name.lesson and name.lesson.id for name in question.names[:3]] == ["l-0", "l-1", "l-9"]
    assert question.names[0].last == again.at
