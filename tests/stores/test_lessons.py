"""Test that lessons are remembered, and that their state follows from the proposals."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.records import Deed, DeedKind, Edit, EditOp, Evidence, Lesson, LessonState, Outcome, Split
from skillopt_sleep.stores.bank import ADOPTED, REJECTED
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import NOON, a_proposal, a_task
from tests.stores.opening import open_at, seal

TASK = a_task(id="t1", session="s1", lesson="l-1", split=Split.TRAIN)
LESSON = Lesson(id="l-1", project=TASK.project, wording="Use pnpm", first=NOON, last=NOON)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = open_at(tmp_path / "data", clock=lambda: NOON)
    yield opened
    opened.close()


def states(store: SqliteStore) -> dict[str, LessonState]:
    with store.open_night() as page:
        found = page.lessons.of([TASK.project])
        seal(page)
    return {lesson.id: lesson.state for lesson in found}


def test_a_kept_lesson_is_there_on_the_next_night_and_only_in_its_project(store: SqliteStore) -> None:
    with store.open_night() as page:
        seal(page, tasks=(TASK,), lessons=(LESSON, replace(LESSON, id="l-2", project="/elsewhere")))
    with store.open_night() as page:
        assert page.lessons.of([TASK.project]) == (LESSON,)
        seal(page)


def test_lessons_are_found_by_their_ids(store: SqliteStore) -> None:
    other = replace(LESSON, id="l-2", project="/elsewhere")
    with store.open_night() as page:
        seal(page, tasks=(TASK,), lessons=(LESSON, other))
    assert store.lessons.named(["l-2", "l-3"]) == (other,)
    assert store.lessons.named([]) == ()


def test_a_lesson_whose_only_task_stays_unread_is_not_kept(store: SqliteStore) -> None:
    with store.open_night() as page:
        seal(page, tasks=(TASK,), lessons=(LESSON,), lost=("s1",))
    assert states(store) == {}


@pytest.mark.parametrize(
    ("decision", "state"),
    [("", LessonState.PROPOSED), (ADOPTED, LessonState.LIVE), (REJECTED, LessonState.OPEN)],
)
def test_the_proposal_that_teaches_a_lesson_says_what_became_of_it(
    store: SqliteStore, decision: str, state: LessonState
) -> None:
    edit = Edit(op=EditOp.APPEND, content="Use pnpm.", tasks=("t1",))
    proposal = replace(a_proposal(), edits=(edit,))
    with store.open_night() as page:
        seal(page, verdict=Outcome.IMPROVED, tasks=(TASK,), lessons=(LESSON,), proposals=(proposal,))
    if decision:
        store.bank.decide(proposal.id, decision, at=NOON)
    assert states(store) == {"l-1": state}


def test_what_was_taken_back_stays_taken_back_whatever_its_proposals_say(store: SqliteStore) -> None:
    ended = replace(LESSON, state=LessonState.TAKEN_BACK)
    with store.open_night() as page:
        seal(page, tasks=(TASK,), lessons=(ended,), proposals=(replace(a_proposal(), edits=()),))
    assert states(store) == {"l-1": LessonState.TAKEN_BACK}


def test_a_lesson_that_is_wanted_again_is_open_although_another_took_it_back_once(store: SqliteStore) -> None:
    ended = replace(LESSON, id="l-2", takes_back="l-1", state=LessonState.TAKEN_BACK)
    with store.open_night() as page:
        seal(page, lessons=(replace(LESSON, takes_back="l-2"), ended))
    assert states(store) == {"l-1": LessonState.OPEN, "l-2": LessonState.TAKEN_BACK}


def test_the_lessons_of_a_session_are_found_by_its_whole_id(store: SqliteStore) -> None:
    said = Evidence(session="s1", turn=2, quote="no, use pnpm")
    of_it = replace(LESSON, quotes=(said,))
    by_deed = replace(LESSON, id="l-2", deeds=(Deed(kind=DeedKind.RAN, session="s1", turn=3, what="pnpm i"),))
    of_another = replace(LESSON, id="l-3", quotes=(replace(said, session="s10"),))
    with store.open_night() as page:
        seal(page, tasks=(TASK,), lessons=(of_it, by_deed, of_another))
    assert store.lessons.of_session("s1") == (of_it, by_deed)
    assert store.lessons.of_session("s") == ()


def test_a_lesson_takes_over_the_tasks_of_one_that_it_joins(store: SqliteStore) -> None:
    with store.open_night() as page:
        other = replace(TASK, id="t2", session="s2", lesson="l-2")
        seal(page, tasks=(TASK, other), lessons=(LESSON, replace(LESSON, id="l-2")))
    with store.open_night() as page:
        again = replace(TASK, id="t3", session="s3")
        seal(page, tasks=(again,), lessons=(replace(LESSON, joins=("l-2",)),))

    assert list(states(store)) == ["l-1"]
    assert {task.id for task in store.bank.tasks_of(["l-1"])} == {"t1", "t2", "t3"}
