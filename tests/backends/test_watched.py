from concurrent.futures import ThreadPoolExecutor

import pytest

from skillopt_sleep.backends.cached import Cached
from skillopt_sleep.backends.failures import IN_A_ROW
from skillopt_sleep.backends.metered import Limits, Metered, NightMeter
from skillopt_sleep.backends.wrappers import Watched
from skillopt_sleep.errors import FOR_GOOD, OF_THE_PROMPT, BackendUnavailable, CallFailed, Exit, FailureKind
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.records import Limit, Prompt, Purpose
from tests.builders import a_prompt
from tests.fakes import Answer, FakeBackend, FakeCalls, FakeClock, FakeLedger, in_turn

BUSY = CallFailed(FailureKind.OVERLOADED, "busy", remedy="try later")
SELECT = a_prompt(purpose=Purpose.SELECT, schema=SelectReply)
POOR = "/home/ada/poor"
CHOICE: Answer = {"selected_indices": [0]}


def _watched(*answers: Answer) -> tuple[Watched, NightMeter]:
    limits = Limits(Limit(100, 10_000), minutes=60, project=lambda name: Limit(calls=name == POOR))
    meter = NightMeter(FakeLedger(), limits, clock=FakeClock())
    asked = Metered(FakeBackend(otherwise=in_turn(*answers)), meter, model="m")
    return Watched(Cached(asked, FakeCalls(), model="m", version=lambda: "1"), meter), meter


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
    assert IN_A_ROW == 3
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


@pytest.mark.parametrize("kind", sorted(FOR_GOOD))
def test_what_no_later_call_can_mend_ends_the_night_at_once(kind: FailureKind) -> None:
    backend, _ = _watched(CallFailed(kind, "it is so", remedy="mend it"))
    with pytest.raises(BackendUnavailable, match="it is so") as caught:
        backend.complete(a_prompt(purpose=Purpose.PREFLIGHT))
    assert caught.value.exit_code is (Exit.LOGIN if kind is FailureKind.LOGIN else Exit.FAILED)
    assert caught.value.remedy == "mend it"


@pytest.mark.parametrize("kind", sorted(OF_THE_PROMPT))
def test_what_is_wrong_with_one_prompt_is_no_part_of_a_row(kind: FailureKind) -> None:
    backend, meter = _watched("fine", BUSY, BUSY, CallFailed(kind, "not this one"))
    assert _ask(backend, *"yab") == ["fine"] + ["overloaded"] * 2
    assert _ask(backend, *"cdefg") == [kind] * 5
    assert _ask(backend, "select", prompt=SELECT) == [kind]
    meter.check()


@pytest.mark.parametrize("kind", sorted(OF_THE_PROMPT))
def test_what_is_wrong_with_one_prompt_does_not_end_a_row(kind: FailureKind) -> None:
    backend, _ = _watched(BUSY, BUSY, CallFailed(kind, "not this one"), BUSY)
    assert _ask(backend, "a", "b", "c") == ["overloaded", "overloaded", kind]
    with pytest.raises(BackendUnavailable):
        backend.complete(a_prompt("d"))


@pytest.mark.parametrize("kind", sorted(set(FailureKind) - FOR_GOOD - OF_THE_PROMPT))
def test_any_other_failure_ends_the_night_the_third_time_in_a_row(kind: FailureKind) -> None:
    backend, _ = _watched(CallFailed(kind, "again"))
    assert _ask(backend, "a", "b") == [kind] * 2
    with pytest.raises(BackendUnavailable, match="again"):
        backend.complete(a_prompt("c"))


def test_a_project_over_its_limit_neither_ends_the_night_nor_hides_that_the_model_is_gone() -> None:
    backend, _ = _watched("fine", BUSY)
    assert _ask(backend, "a", prompt=a_prompt("a", project=POOR)) == ["fine"]
    for number in range(IN_A_ROW + 1):
        refused = a_prompt(f"poor {number}", project=POOR)
        assert _ask(backend, "", prompt=refused) == [FailureKind.OVER_BUDGET]
    assert _ask(backend, "b", "c") == ["overloaded"] * 2
    assert _ask(backend, "", prompt=a_prompt("poor again", project=POOR)) == [FailureKind.OVER_BUDGET]
    with pytest.raises(BackendUnavailable):
        backend.complete(a_prompt("d"))


@pytest.mark.parametrize("attempts", range(1, IN_A_ROW))
def test_a_night_whose_attempts_were_too_few_for_a_row_fails_if_none_was_answered(attempts: int) -> None:
    backend, meter = _watched(CHOICE, BUSY)
    backend.complete(SELECT)
    for number in range(attempts):
        assert _ask(backend, "", prompt=a_prompt(f"ask {number}", purpose=Purpose.ROLLOUT)) == ["overloaded"]
    with pytest.raises(
        BackendUnavailable, match="no attempt was answered all night; the last failure: busy"
    ) as caught:
        meter.check()
    assert caught.value.remedy == "try later"


def test_one_attempt_that_was_answered_is_enough() -> None:
    backend, meter = _watched("fine", BUSY)
    assert _ask(backend, "", prompt=a_prompt("a", purpose=Purpose.ROLLOUT)) == ["fine"]
    assert _ask(backend, "", prompt=a_prompt("b", purpose=Purpose.ROLLOUT)) == ["overloaded"]
    meter.check()


def test_attempts_that_the_model_refuses_are_no_outage() -> None:
    backend, meter = _watched(CallFailed(FailureKind.REFUSED, "no"))
    assert _ask(backend, "", prompt=a_prompt("a", purpose=Purpose.ROLLOUT)) == ["refused"]
    meter.check()


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
    for number in range(IN_A_ROW + 1):
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
    assert ends.count("CallFailed") == IN_A_ROW - 1
    assert ends.count("BackendUnavailable") == 40 - (IN_A_ROW - 1)
