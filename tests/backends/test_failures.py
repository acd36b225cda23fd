"""A question's own failures are told from those of a model that is gone."""

import pytest

from skillopt_sleep.backends.cached import Cached
from skillopt_sleep.backends.failures import IN_A_ROW, Failures
from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.records import Completion, Prompt, Purpose
from tests.builders import a_prompt
from tests.fakes import FakeCalls, FakeFailures


class Model:
    """Fails at the questions in `fails`, with what is said there; answers all else."""

    def __init__(self, fails: dict[str, FailureKind], *, gone: bool = False) -> None:
        self.fails, self.gone = fails, gone
        self.asked: list[str] = []

    def complete(self, prompt: Prompt) -> Completion:
        self.asked.append(prompt.purpose if prompt.purpose is Purpose.PREFLIGHT else prompt.text)
        kind = FailureKind.UNREACHABLE if self.gone else self.fails.get(prompt.text)
        if kind is not None:
            raise CallFailed(kind, f"no answer to {prompt.text}")
        return Completion(text="yes")


def a_cached(model: Model, kept: FakeFailures, calls: FakeCalls | None = None) -> Cached:
    return Cached(model, calls or FakeCalls(), model="m", version=lambda: "1", failures=Failures(kept, model))


def ask(cached: Cached, *texts: str) -> list[str]:
    """What comes of these questions."""
    found: list[str] = []
    for text in texts:
        try:
            found.append(cached.complete(a_prompt(text)).text)
        except CallFailed as error:
            found.append(error.kind)
    return found


SLOW = {"a": FailureKind.TIMED_OUT}


def test_what_fails_while_others_are_answered_fails_again_unasked() -> None:
    kept, model = FakeFailures(), Model(SLOW)
    assert ask(a_cached(model, kept), "a", "b") == ["timed_out", "yes"]
    again = Model({})
    assert ask(a_cached(again, kept), "a") == ["timed_out"]
    assert again.asked == []


def test_a_failure_that_nobody_was_answered_after_is_asked_again() -> None:
    kept = FakeFailures()
    ask(a_cached(Model(SLOW), kept), "b", "a")
    assert ask(a_cached(Model({}), kept), "a") == ["yes"]


def test_a_refusal_is_about_its_question_at_once() -> None:
    kept, model = FakeFailures(), Model({"a": FailureKind.REFUSED})
    ask(a_cached(model, kept), *"a" * 5)
    assert model.asked == ["a"]
    assert [error.kind for error in kept.kept.values()] == [FailureKind.REFUSED]


def test_several_failures_in_a_row_of_a_model_that_still_knows_a_word_are_their_own() -> None:
    kept, model = FakeFailures(), Model(dict.fromkeys("abcdef", FailureKind.MALFORMED))
    assert ask(a_cached(model, kept), *"abcdefg") == ["malformed"] * 6 + ["yes"]
    assert model.asked.count(Purpose.PREFLIGHT) == 6 // IN_A_ROW
    assert len(kept.kept) == 6


def test_a_model_that_does_not_know_a_word_any_more_is_gone_and_nothing_is_kept() -> None:
    kept, model = FakeFailures(), Model({}, gone=True)
    cached = a_cached(model, kept)
    with pytest.raises(BackendUnavailable, match="3 calls in a row failed, and so did a plain question"):
        ask(cached, *"abcdef")
    with pytest.raises(BackendUnavailable):
        ask(cached, "g")
    assert kept.kept == {}
    assert model.asked == [*"abc", Purpose.PREFLIGHT, "g"]


@pytest.mark.parametrize("kind", [FailureKind.LOGIN, FailureKind.QUOTA, FailureKind.NOT_INSTALLED])
def test_where_no_later_call_can_succeed_the_first_failure_ends_it(kind: FailureKind) -> None:
    kept = FakeFailures()
    with pytest.raises(BackendUnavailable):
        ask(a_cached(Model({"a": kind}), kept), "a")
    assert kept.kept == {}


def test_what_is_told_and_kept_of_a_failure_holds_no_secret() -> None:
    secret = "sk-" + "proj-" + "Zx9Qw7" * 8
    kept, model = FakeFailures(), Model({secret: FailureKind.REFUSED})
    with pytest.raises(CallFailed) as failed:
        a_cached(model, kept).complete(a_prompt(secret))
    assert secret not in failed.value.message
    assert not any(secret in error.message for error in kept.kept.values())
