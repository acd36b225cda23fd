from concurrent.futures import ThreadPoolExecutor

import pytest

from skillopt_sleep.backends.cached import Cached
from skillopt_sleep.backends.metered import FAILURES_IN_A_ROW, Metered, NightMeter
from skillopt_sleep.backends.watched import Watched
from skillopt_sleep.errors import BackendUnavailable, CallFailed, Exit, FailureKind
from skillopt_sleep.records import Prompt, Purpose
from skillopt_sleep.stages.select import SelectReply
from tests.builders import a_prompt
from tests.fakes import Answer, FakeBackend, FakeCalls, FakeClock, FakeLedger, in_turn

BUSY = CallFailed(FailureKind.OVERLOADED, "busy", remedy="try later")
SELECT = a_prompt(purpose=Purpose.SELECT, schema=SelectReply)
CHOICE: Answer = {"selected_indices": [0]}


def _watched(*answers: Answer) -> tuple[Watched, NightMeter]:
    meter = NightMeter(FakeLedger(), calls=100, tokens=10_000, minutes=60, clock=FakeClock())
    asked = Metered(FakeBackend(otherwise=in_turn(*answers)), meter, model="m")
    return Watched(Cached(asked, FakeCalls(), model="m", version="1"), meter), meter


def _ask(backend: Watched, *texts: str, prompt: Prompt | None = None) -> list[str]:
    """How each question ended: its answer, or the kind of its failure."""
    ends: list[str] = []
    for text in texts:
        try:
            ends.append(backend.complete(a_prompt(text) if prompt is None else prompt).text)
        except CallFailed as error:
            ends.append(error.kind)
    return ends


def test_three_failures_in_a_row_end_the_night() -> None:
    backend, _ = _watched(BUSY)
    assert _ask(backend, "a", "b") == ["overloaded"] * 2
    with pytest.raises(BackendUnavailable, match="3 calls in a row failed; the last: busy") as caught:
        backend.complete(a_prompt("c"))
    assert FAILURES_IN_A_ROW == 3
    assert caught.value.exit_code is Exit.FAILED
    assert caught.value.remedy == "try later"


def test_an_answer_ends_a_row_of_failures() -> None:
    backend, meter = _watched(BUSY, BUSY, "fine", BUSY, BUSY, "fine")
    assert _ask(backend, *"abcdef") == ["overloaded"] * 2 + ["fine"] + ["overloaded"] * 2 + ["fine"]
    meter.check()


def test_an_answer_from_the_store_does_not_end_a_row_of_failures() -> None:
    backend, _ = _watched("fine", BUSY)
    assert _ask(backend, "known", "a", "known", "b", "known") == ["fine", "overloaded", "fine", "overloaded", "fine"]
    with pytest.raises(BackendUnavailable):
        backend.complete(a_prompt("c"))


def test_a_login_that_is_needed_ends_the_night_at_once() -> None:
    backend, _ = _watched(CallFailed(FailureKind.LOGIN, "refused the key", remedy="check the key"))
    with pytest.raises(BackendUnavailable, match="refused the key") as caught:
        backend.complete(a_prompt())
    assert caught.value.exit_code is Exit.LOGIN
    assert caught.value.remedy == "check the key"


def test_a_night_whose_structured_replies_all_failed_learned_nothing() -> None:
    backend, meter = _watched("prose", "an attempt", "prose", "an attempt")
    for _ in range(2):
        assert _ask(backend, "select", prompt=SELECT) == ["malformed"]
        assert _ask(backend, "rollout") == ["an attempt"]
    with pytest.raises(BackendUnavailable, match=r"structured repl.* holds no JSON object") as caught:
        meter.check()
    assert caught.value.remedy


def test_one_structured_reply_that_could_be_used_is_enough() -> None:
    backend, meter = _watched("prose", CHOICE)
    assert _ask(backend, "select", prompt=SELECT) == ["malformed"]
    backend.complete(SELECT)
    meter.check()


def test_a_structured_reply_from_the_store_shows_that_the_model_can() -> None:
    backend, meter = _watched(CHOICE, "prose")
    backend.complete(SELECT)
    _ask(backend, "other", prompt=a_prompt("other", purpose=Purpose.SELECT, schema=SelectReply))
    meter.check()


def test_a_night_that_asked_for_nothing_structured_is_fine() -> None:
    backend, meter = _watched("an attempt")
    _ask(backend, "rollout")
    meter.check()


def test_a_preflight_that_fails_is_no_part_of_a_row() -> None:
    backend, _ = _watched(BUSY)
    for number in range(FAILURES_IN_A_ROW + 1):
        with pytest.raises(CallFailed):
            backend.complete(a_prompt(str(number), purpose=Purpose.PREFLIGHT))


def test_a_night_ends_from_many_threads_too() -> None:
    backend, _ = _watched(BUSY)

    def ask(number: int) -> str:
        try:
            backend.complete(a_prompt(str(number)))
        except (CallFailed, BackendUnavailable) as error:
            return type(error).__name__
        return "answered"

    with ThreadPoolExecutor(8) as pool:
        ends = list(pool.map(ask, range(40)))
    assert ends.count("CallFailed") == FAILURES_IN_A_ROW - 1
    assert ends.count("BackendUnavailable") == 40 - (FAILURES_IN_A_ROW - 1)
