"""The names of lessons that a model is shown, and how names and words are compared."""

from datetime import timedelta
from typing import Any

import pytest

from skillopt_sleep.mining.names import MOST, Names, folded, names_in, says_what
from skillopt_sleep.records import Lesson, LessonState, Place, PlaceKind
from tests.builders import a_lesson
from tests.fakes import NOON

SHOP = "/home/ada/shop"
PNPM, SHORT = "Use pnpm", "Keep answers short"


def heard(wording: str, *, days_ago: int, **fields: Any) -> Lesson:
    at = NOON - timedelta(days=days_ago)
    return a_lesson(wording, first=at, last=at, **fields)


def test_names_are_known_by_project_with_their_day_those_heard_last_at_the_end() -> None:
    lessons = [a_lesson(PNPM), heard(SHORT, days_ago=9), a_lesson(SHORT, project="/api"), a_lesson("")]

    assert names_in(SHOP, lessons).known == ["2026-02-21 Keep answers short", "2026-03-01 Use pnpm"]
    assert names_in("/api", lessons).known == ["2026-03-01 Keep answers short"]


def test_a_lesson_of_the_person_is_known_in_every_project_and_what_was_only_noticed_stands_apart() -> None:
    of_person = a_lesson("Answer in German", project="/api", holds=Place(kind=PlaceKind.PERSON))
    noticed = a_lesson("Leave out the summary", state=LessonState.NOTICED)

    names = names_in(SHOP, [of_person, noticed])

    assert names.known == ["2026-03-01 Answer in German"]
    assert names.noticed == ["2026-03-01 Leave out the summary"]
    assert names.folded == {"answeringerman", "leaveoutthesummary"}


def test_a_lesson_that_was_taken_back_is_not_shown_as_known() -> None:
    assert names_in(SHOP, [a_lesson(PNPM, state=LessonState.TAKEN_BACK)]) == Names([], [], set())


def test_only_so_many_names_are_known() -> None:
    names = names_in(SHOP, [heard(f"Do {n}", days_ago=MOST + 2 - n) for n in range(MOST + 2)])

    assert len(names.known) == MOST
    assert names.known[0].endswith("Do 2")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use  pnpm.", "use pnpm"),
        ("«Immer ISO!!»", "immer iso"),
        ("don’t use “var”", 'don\'t use "var"!'),
        ("用 pnpm，不要 npm！", "用pnpm,不要npm"),
    ],
)
def test_names_and_words_are_compared_without_case_blanks_and_punctuation(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@pytest.mark.parametrize(
    ("one", "other"), [("use pnpm", "use npm"), ("read .env", "read env"), ("c++", "c"), ("v1.2", "v12")]
)
def test_what_tells_two_names_apart_is_compared(one: str, other: str) -> None:
    assert folded(one) != folded(other)


@pytest.mark.parametrize(
    "text", ["datum immer iso", "no emojis", "no - use pnpm, never npm", "`make`", "用空格缩进", "run ./check"]
)
def test_words_that_name_something_say_what_is_wanted(text: str) -> None:
    assert says_what(text)


@pytest.mark.parametrize(
    "text", ["no", "no, wrong", "thanks!", "that's not what I asked for", "nein, falsch", "deutsch!!", ""]
)
def test_a_bare_no_thanks_and_one_word_say_nothing(text: str) -> None:
    assert not says_what(text)
