"""A request that is asked again in a later session is marked on its task."""

from datetime import timedelta

from skillopt_sleep.mining.requests import note_asked_again
from skillopt_sleep.records import DeedKind
from tests.builders import ASK, a_session, a_task
from tests.fakes import NOON


def again(*words: str, days: float = 1, project: str = "/home/ada/shop", name: str = "claude_code:s2") -> bool:
    later = a_session(*words, id=name, project=project, started=NOON + timedelta(days=days))
    (task,) = note_asked_again([a_task()], [later])
    return [(deed.kind, deed.session, deed.turn) for deed in task.deeds] == [(DeedKind.ASKED_AGAIN, name, 0)]


def test_the_same_request_in_a_later_session_of_the_project_is_asked_again() -> None:
    assert again(ASK)
    assert again("install the dependencies of this project please")


def test_another_request_project_or_time_is_not() -> None:
    assert not again("explain the tests")
    assert not again(ASK, project="/home/ada/other")
    assert not again(ASK, days=-1)
    assert not again(ASK, name="claude_code:s1")


def test_what_corrects_is_no_request() -> None:
    assert not again("hello there, friend", "ok", f"no: {ASK.lower()}")


def test_a_short_request_that_names_something_else_is_another() -> None:
    asked = a_task(prompt="schreib einen Kommentar zur Kasse")
    other = a_session("schreib einen Kommentar zur Klasse Korb", id="s2", started=NOON + timedelta(days=1))
    longer = a_session("Schreib bitte einen Kommentar zur Kasse!", id="s3", started=NOON + timedelta(days=1))

    (task,) = note_asked_again([asked], [other, longer])

    assert [deed.session for deed in task.deeds] == ["s3"]
