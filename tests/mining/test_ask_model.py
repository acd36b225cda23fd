import msgspec
import pytest

from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.mining.mined import ask_model
from skillopt_sleep.mining.names import LessonsReply
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Note, Purpose
from tests.fakes import FakeBackend

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
