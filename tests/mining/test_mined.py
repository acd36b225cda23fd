import msgspec
import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.mining.mined import CORRECTION_CHARS, ask_model, batched, corrections_of, unused
from skillopt_sleep.mining.names import LessonsReply
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Became, Deed, DeedKind, Note, Purpose
from tests.builders import ASK, SAID, a_session, a_task
from tests.fakes import FakeBackend


def _tasks(*projects: str) -> list[tuple[str, str]]:
    """The batches of tasks of these projects, at most two each, as (project, ids)."""
    tasks = [a_task(id=str(number), project=project) for number, project in enumerate(projects)]
    return [(batch[0].project, "".join(task.id for task in batch)) for batch in batched(tasks, 2)]


def test_nothing_makes_no_batch() -> None:
    assert batched([], 2) == []


def test_no_batch_is_larger_than_it_may_be() -> None:
    assert _tasks(*["/shop"] * 5) == [("/shop", "01"), ("/shop", "23"), ("/shop", "4")]


def test_two_projects_never_share_a_batch() -> None:
    assert _tasks("/shop", "/api", "/shop", "/api", "/shop") == [("/shop", "02"), ("/shop", "4"), ("/api", "13")]


@given(st.lists(st.sampled_from("xyz")), st.integers(1, 5))
def test_each_is_in_one_batch_of_its_project_in_its_order(projects: list[str], size: int) -> None:
    tasks = [a_task(id=str(number), project=project) for number, project in enumerate(projects)]
    batches = batched(tasks, size)
    for project in set(projects):
        own = [batch for batch in batches if batch[0].project == project]
        assert [task for batch in own for task in batch] == [task for task in tasks if task.project == project]
        # Only the last is not full.
        assert all(len(batch) == size for batch in own[:-1])
        assert 1 <= len(own[-1]) <= size
    assert sum(len(batch) for batch in batches) == len(tasks)


def test_a_task_stands_for_each_quote_of_it() -> None:
    (correction,) = corrections_of([a_task(lesson="l")], Became.UNUSED, "why")
    assert (correction.session, correction.turn, correction.quote) == ("claude_code:s1", 2, SAID)
    assert (correction.task, correction.lesson) == ("t1", "l")
    assert (correction.became, correction.because) == (Became.UNUSED, "why")


def test_a_task_of_deeds_alone_says_what_was_done() -> None:
    deed = Deed(kind=DeedKind.CHECKED, session="s", turn=4, what="make lint")
    (correction,) = corrections_of([a_task(evidence=(), deeds=(deed,))], Became.NOT_REACHED)
    assert (correction.session, correction.turn, correction.quote) == ("s", 4, "make lint")
    assert correction.deed is DeedKind.CHECKED


def test_a_task_by_hand_stands_for_its_request() -> None:
    (correction,) = corrections_of([a_task(evidence=())], Became.TRIED)
    assert correction.quote == ASK


def test_long_words_are_cut() -> None:
    (correction,) = corrections_of([a_task(evidence=(), prompt="use pnpm " * 99)], Became.TRIED)
    assert len(correction.quote) <= CORRECTION_CHARS


def test_a_correction_that_nothing_was_made_of_is_unused_unless_it_holds_for_once() -> None:
    session = a_session(ASK, "Done.", "that is wrong, be more careful", "Ok.", "no - use pnpm, just this once")
    assert [one.became for one in unused(session, set())] == [Became.UNUSED, Became.FOR_ONCE]
    assert [one.turn for one in unused(session, {(session.id, 2)})] == [4]


VALUES = {"lessons": "1. Use pnpm"}


def ask(model: Backend) -> msgspec.Struct:
    return ask_model(
        model, Purpose.LESSONS, VALUES, schema=LessonsReply, project="/shop", stage="mine", failure="it failed"
    )


def test_the_reply_is_what_the_schema_says_and_the_call_counts_towards_the_project() -> None:
    model = FakeBackend({Purpose.LESSONS: {"same": [[1, 2]]}})

    assert ask(model) == LessonsReply(same=((1, 2),))
    assert [(prompt.purpose, prompt.project) for prompt in model.prompts] == [(Purpose.LESSONS, "/shop")]
    assert "1. Use pnpm" in model.prompts[0].text


def test_a_failed_call_is_a_note_with_its_remedy() -> None:
    model = FakeBackend({Purpose.LESSONS: CallFailed(FailureKind.EMPTY, "nothing came", remedy="ask again")})
    assert ask(model) == Note(stage="mine", summary="it failed: nothing came", remedy="ask again")


def test_what_ends_the_night_is_raised() -> None:
    with pytest.raises(BackendUnavailable):
        ask(FakeBackend({Purpose.LESSONS: BackendUnavailable("gone")}))
