"""Test that corrections are counted week by week, with what changed meanwhile."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.records import Deed, DeedKind, Edit, EditOp, Evidence, Lesson, ModelChange, Outcome
from skillopt_sleep.stores.bank import ADOPTED
from skillopt_sleep.stores.lessons import MOST_LESSONS, WEEKS
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import a_proposal, a_session, a_task
from tests.stores.opening import open_at, put, seal

FRIDAY = datetime(2026, 3, 6, 12, tzinfo=UTC)
TASK = a_task(id="t1", session="s1", lesson="l-1")


def said(weeks_ago: int) -> Evidence:
    return Evidence(session="s1", turn=2, quote="no, pnpm", at=FRIDAY - timedelta(weeks=weeks_ago))


def lesson(name: str, *weeks_ago: int) -> Lesson:
    quotes = tuple(replace(said(weeks), turn=turn) for turn, weeks in enumerate(weeks_ago))
    return Lesson(id=name, project=TASK.project, wording=f"Wish {name}", first=FRIDAY, last=FRIDAY, quotes=quotes)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = open_at(tmp_path / "data", clock=lambda: FRIDAY)
    yield opened
    opened.close()


def test_words_and_deeds_are_counted_in_their_week_and_those_of_one_turn_once(store: SqliteStore) -> None:
    deed = Deed(kind=DeedKind.RAN, session="s2", turn=3, what="make lint", at=FRIDAY)
    same = replace(deed, session="s1", turn=0, at=said(2).at)
    known = replace(lesson("l-1", 2, 2, 0, WEEKS), deeds=(deed, same))
    with store.open_night() as page:
        seal(page, tasks=(TASK,), lessons=(known,))
    trend = store.trend.until(FRIDAY)
    assert trend.first is not None
    assert (trend.first.weekday(), (FRIDAY.date() - trend.first).days) == (0, 7 * (WEEKS - 1) + 4)
    (found,) = trend.lessons
    assert found.corrections == (0,) * (WEEKS - 3) + (2, 0, 2)
    assert found.adopted == ()


def test_what_a_night_is_about_to_store_counts_instead_of_what_is_stored(store: SqliteStore) -> None:
    with store.open_night() as page:
        seal(page, tasks=(TASK,), lessons=(lesson("l-1", 1),))
    with store.open_night() as page:
        (found,) = page.trend.until(FRIDAY, lessons=[lesson("l-1", 1, 0)]).lessons
        seal(page)
    assert sum(found.corrections) == 2


def test_a_lesson_without_a_correction_in_these_weeks_is_not_told(store: SqliteStore) -> None:
    with store.open_night() as page:
        assert page.trend.until(FRIDAY, lessons=[lesson("l-1", WEEKS + 1)]).lessons == ()
        seal(page)


def test_those_with_the_most_corrections_come_first_and_the_others_are_counted(store: SqliteStore) -> None:
    many = [lesson(f"l-{number:02}", *[0] * number) for number in range(1, MOST_LESSONS + 3)]
    with store.open_night() as page:
        trend = page.trend.until(FRIDAY, lessons=many)
        seal(page)
    assert [sum(one.corrections) for one in trend.lessons] == list(range(MOST_LESSONS + 2, 2, -1))
    assert trend.left_out == 2


def test_the_week_in_which_a_rule_was_adopted_is_marked(store: SqliteStore) -> None:
    edit = Edit(op=EditOp.APPEND, content="Use pnpm.", lessons=("l-1",))
    proposal = replace(a_proposal(), edits=(edit,))
    known = (lesson("l-1", 3), lesson("l-2", 3))
    with store.open_night() as page:
        seal(page, verdict=Outcome.IMPROVED, tasks=(TASK,), lessons=known, proposals=(proposal,))
    store.bank.decide(proposal.id, ADOPTED, at=FRIDAY - timedelta(weeks=1))
    adopted = {one.lesson: one.adopted for one in store.trend.until(FRIDAY).lessons}
    assert adopted == {"l-1": (WEEKS - 2,), "l-2": ()}


def test_a_change_of_models_is_marked_but_not_the_first_ones(store: SqliteStore) -> None:
    with store.open_night() as page:
        seal(page, model="claude:opus-4")
        assert page.trend.until(FRIDAY, models="claude:opus-4").models == ()
    with store.open_night() as page:
        seal(page, model="")
    changes = store.trend.until(FRIDAY, models="claude:opus-5").models
    assert changes == (ModelChange(week=WEEKS - 1, models="opus-5"),)


def test_the_sessions_that_could_be_read_are_counted_by_the_week_they_ended(store: SqliteStore) -> None:
    for name, weeks_ago in (("s1", 0), ("s2", 0), ("s3", WEEKS - 1), ("s4", WEEKS)):
        put(store, a_session("hello", id=name, ended=FRIDAY - timedelta(weeks=weeks_ago)))
    assert store.trend.until(FRIDAY).sessions == (1, *[0] * (WEEKS - 2), 2)


def test_the_weeks_begin_with_that_of_the_first_session(store: SqliteStore) -> None:
    for name, weeks_ago in (("s1", 2), ("s2", 0)):
        put(store, a_session("hello", id=name, ended=FRIDAY - timedelta(weeks=weeks_ago)))
    trend = store.trend.until(FRIDAY, lessons=[lesson("l-1", 2, 0, 0)])
    assert trend.first is not None
    assert (FRIDAY.date() - trend.first).days == 7 * 2 + 4
    assert trend.sessions == (1, 0, 1)
    assert trend.lessons[0].corrections == (1, 0, 2)
