import threading
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from skillopt_sleep.backends.cached import Cached
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.learning.aggregate import AggregateReply
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.records import Completion, Prompt, Purpose, Usage
from tests.builders import a_prompt
from tests.fakes import FakeBackend, FakeCalls, in_turn

SELECT = a_prompt(purpose=Purpose.SELECT, schema=SelectReply)
CHOICE = {"selected_indices": [2, 0]}


def _cached(inner: FakeBackend, calls: FakeCalls, *, model: str = "m", version: str = "1") -> Cached:
    return Cached(inner, calls, model=model, version=lambda: version)


def test_the_same_question_is_paid_once() -> None:
    inner = FakeBackend(otherwise=in_turn("first", "second"), usage=Usage(input_tokens=3))
    cached = _cached(inner, FakeCalls())
    answers = [cached.complete(a_prompt()) for _ in range(3)]
    assert [answer.text for answer in answers] == ["first"] * 3
    assert len(inner.prompts) == 1


def test_a_kept_answer_outlives_the_process() -> None:
    calls = FakeCalls()
    _cached(FakeBackend(otherwise="kept"), calls).complete(a_prompt())
    silent = FakeBackend()
    assert _cached(silent, calls).complete(a_prompt()).text == "kept"
    assert silent.prompts == []


def test_a_kept_structured_reply_is_decoded_again() -> None:
    calls = FakeCalls()
    fresh = _cached(FakeBackend(otherwise=CHOICE), calls).complete(SELECT)
    (kept,) = calls.kept.values()
    assert kept.structured is None
    again = _cached(FakeBackend(), calls).complete(SELECT)
    assert again.structured == fresh.structured == SelectReply(selected_indices=(2, 0))


def test_a_kept_text_that_no_longer_fits_is_a_failure_and_no_result() -> None:
    calls = FakeCalls()
    cached = _cached(FakeBackend(otherwise=CHOICE), calls)
    cached.complete(SELECT)
    (key,) = calls.kept
    calls.kept[key] = msgspec.structs.replace(calls.kept[key], text="damaged")
    with pytest.raises(CallFailed):
        cached.complete(SELECT)


@pytest.mark.parametrize("answer", [CallFailed(FailureKind.OVERLOADED, "busy"), "not json", ""])
def test_a_failure_is_never_kept(answer: str | CallFailed) -> None:
    calls = FakeCalls()
    cached = _cached(FakeBackend(otherwise=in_turn(answer, CHOICE)), calls)
    with pytest.raises(CallFailed):
        cached.complete(SELECT)
    assert calls.kept == {}
    assert cached.complete(SELECT).structured == SelectReply(selected_indices=(2, 0))


@pytest.mark.parametrize(
    "other",
    [
        a_prompt("What else?"),
        a_prompt(sample=1),
        a_prompt(purpose=Purpose.JUDGE),
        a_prompt(schema=SelectReply),
        a_prompt(schema=AggregateReply),
    ],
    ids=["text", "sample", "purpose", "schema", "other-schema"],
)
def test_what_is_asked_differently_is_another_question(other: Prompt) -> None:
    calls = FakeCalls()
    inner = FakeBackend(otherwise={**CHOICE, "edits": []})
    for prompt in (a_prompt(), a_prompt(schema=None), other):
        _cached(inner, calls).complete(prompt)
    assert len(inner.prompts) == len(calls.kept) == 2


def test_two_schemas_are_two_questions() -> None:
    inner = FakeBackend(otherwise={**CHOICE, "edits": []})
    cached = _cached(inner, FakeCalls())
    assert isinstance(cached.complete(a_prompt(schema=SelectReply)).structured, SelectReply)
    assert isinstance(cached.complete(a_prompt(schema=AggregateReply)).structured, AggregateReply)


def test_another_model_or_version_is_another_question() -> None:
    calls = FakeCalls()
    inner = FakeBackend(otherwise="answer")
    for model, version in [("m", "1"), ("m2", "1"), ("m", "2"), ("m", "1")]:
        _cached(inner, calls, model=model, version=version).complete(a_prompt())
    assert len(inner.prompts) == len(calls.kept) == 3


def test_parts_of_a_question_can_not_be_shifted_into_one_another() -> None:
    calls = FakeCalls()
    inner = FakeBackend(otherwise="answer")
    _cached(inner, calls, model="ab", version="c").complete(a_prompt())
    _cached(inner, calls, model="a", version="bc").complete(a_prompt())
    assert len(calls.kept) == 2


def test_equal_questions_at_once_are_paid_once() -> None:
    begun, gate = threading.Event(), threading.Event()

    class Slow:
        asked = 0

        def complete(self, prompt: Prompt) -> Completion:
            self.asked += 1
            begun.set()
            gate.wait(5)
            return Completion(text="once")

    inner = Slow()
    cached = Cached(inner, FakeCalls(), model="m", version=lambda: "1")
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(cached.complete, a_prompt()) for _ in range(4)]
        begun.wait(5)
        gate.set()
    assert [answer.result().text for answer in answers] == ["once"] * 4
    assert inner.asked == 1


def test_two_tasks_in_the_same_words_are_drawn_each_by_itself() -> None:
    inner = FakeBackend(otherwise="x")
    cached = _cached(inner, FakeCalls())

    for asker in ("one", "two", "one"):
        cached.complete(a_prompt(asker=asker))

    assert [prompt.asker for prompt in inner.prompts] == ["one", "two"]
