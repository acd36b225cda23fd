"""Say where each lesson stands, by what became of its rules."""

from collections.abc import Collection, Iterable

from skillopt_sleep.records import Lesson, LessonState
from skillopt_sleep.stores.bank import REJECTED, UNDONE, WAITING
from skillopt_sleep.stores.sqlite import SqliteStore

REFUSED = "refused"
TAKEN_OUT = "taken_out"
STANDINGS: dict[str, str] = {
    LessonState.PROPOSED: "a rule waits for you",
    LessonState.LIVE: "a rule of it is live",
    LessonState.OPEN: "nights learn from it",
    LessonState.NOTICED: "noticed once, in one session",
    REFUSED: "you rejected its rule",
    TAKEN_OUT: "you adopted its rule, and took it back",
    LessonState.TAKEN_BACK: "you took it back",
    LessonState.RETIRED: "not learned from any more",
}
AFTERWARDS = (
    "You rejected its rule, so no night proposes it again in these words for the same file. A later night may "
    "propose it in other words. To have these back, open the rule: «Let it wait again»."
)


def standings(store: SqliteStore, lessons: Iterable[Lesson]) -> dict[str, str]:
    """Return where each of these lessons stands, by its id: a key of STANDINGS."""
    rejected = store.lessons.taught_by(REJECTED)
    undone = store.lessons.taught_by(UNDONE) - store.lessons.taught_by(WAITING)
    return {lesson.id: _standing(lesson, rejected, undone) for lesson in lessons}


def _standing(lesson: Lesson, rejected: Collection[str], undone: Collection[str]) -> str:
    if lesson.state is LessonState.OPEN and lesson.id in rejected:
        return REFUSED
    if lesson.state is LessonState.PROPOSED and lesson.id in undone:
        return TAKEN_OUT
    return lesson.state.value
