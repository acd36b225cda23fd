"""Say where each lesson stands, by what became of its rules."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from skillopt_sleep.records import Lesson, LessonState, Proposal
from skillopt_sleep.reporters.decided import sleeps
from skillopt_sleep.stores.bank import REJECTED, UNDONE, WAITING
from skillopt_sleep.stores.sqlite import SqliteStore

REFUSED = "refused"
PUT_OFF = "put_off"
ONE_SESSION = "one_session"
TAKEN_OUT = "taken_out"
STANDINGS: dict[str, str] = {
    LessonState.PROPOSED: "a rule waits for you",
    PUT_OFF: "you put its rule off",
    LessonState.LIVE: "a rule of it is live",
    LessonState.OPEN: "nights learn from it",
    ONE_SESSION: "waits for a second session",
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


def standings(store: SqliteStore, lessons: Iterable[Lesson], *, now: datetime) -> dict[str, str]:
    """Return where each of these lessons stands, by its id: a key of STANDINGS."""
    rules: dict[str, list[Proposal]] = {state: [] for state in (WAITING, PUT_OFF, REJECTED, UNDONE)}
    for decided in store.bank.proposals(WAITING, REJECTED, UNDONE):
        rules[PUT_OFF if sleeps(decided, now=now) else decided.state].append(decided.proposal)
    taught = {state: store.lessons.taught_by(proposals) for state, proposals in rules.items()}
    return {lesson.id: _standing(lesson, taught) for lesson in lessons}


def _standing(lesson: Lesson, taught: Mapping[str, Collection[str]]) -> str:
    if lesson.state is LessonState.PROPOSED and lesson.id not in taught[WAITING]:
        return PUT_OFF if lesson.id in taught[PUT_OFF] else TAKEN_OUT
    if lesson.state is LessonState.OPEN and lesson.id in taught[REJECTED]:
        return REFUSED
    if lesson.state is LessonState.OPEN and len(lesson.sessions) == 1:
        return ONE_SESSION
    return lesson.state.value
