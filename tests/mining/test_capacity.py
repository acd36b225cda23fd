"""Which sessions are mined, and how many tasks each of them may found."""

import pytest
from msgspec.structs import replace

from skillopt_sleep.mining.mine import mine
from skillopt_sleep.mining.requests import may_hold_a_lesson, most_tasks
from skillopt_sleep.records import Purpose, Session, ToolEvent
from tests.builders import a_session
from tests.fakes import FakeBackend, SerialPool

REJECTED = ToolEvent(name="Bash", turn=0, brief="rm -rf build", rejected=True)
SESSIONS = {
    "one request": (a_session("do it", "done"), 0),
    "a deed": (a_session("do it", "done", tools=(REJECTED,)), 4),
    "a lasting sentence": (a_session("From now on, sign off each commit", "done"), 2),
    "two prompts": (a_session("do it", "done", "no, use tabs"), 4),
    "two prompts and two deeds": (a_session("do it", "done", "no, use tabs", tools=(REJECTED, REJECTED)), 8),
}


@pytest.mark.parametrize(("session", "most"), SESSIONS.values(), ids=SESSIONS)
def test_each_thing_typed_or_done_in_a_session_that_is_mined_founds_two_tasks(session: Session, most: int) -> None:
    assert most_tasks(session) == most
    assert may_hold_a_lesson(session) is (most > 0)


def test_mining_drops_what_a_session_may_not_found_and_says_so() -> None:
    session = a_session()
    names = ("pnpm no", "pnpm use", "pnpm pnpm", "use pnpm", "use no")
    reply = {"lessons": [{"quotes": ["use pnpm"], "lesson": name} for name in names]}
    backend = FakeBackend({Purpose.MINE: reply})

    found = mine([session, replace(session, id="other")], optimizer=backend, pool=SerialPool(), per_call=5, most=60)

    of_session = [task.wording for task in found.tasks if task.session == session.id]
    assert set(of_session) == set(names[:4])
    (note,) = [note for note in found.notes if "dropped" in note.summary]
    assert note.summary.startswith("2 tasks ")
    assert found.lost == ()
