"""One small call tells whether the model answers at all."""

import pytest

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, CallFailed, FailureKind
from skillopt_sleep.night.judged import preflight
from skillopt_sleep.records import Purpose
from tests.fakes import NOON, FakeBackend, asked_first


def test_a_model_that_answers_is_asked_once_and_for_little() -> None:
    backend = FakeBackend({Purpose.PREFLIGHT: "ready"})

    preflight(asked_first(backend), night="2026-03-02", until=NOON)

    (prompt,) = backend.prompts
    assert (prompt.purpose, prompt.schema) == (Purpose.PREFLIGHT, None)
    assert len(prompt.text) < 200


def test_the_night_is_named_so_that_the_next_one_asks_again() -> None:
    backend = FakeBackend({Purpose.PREFLIGHT: "ready"})

    preflight(asked_first(backend), night="2026-03-02", until=NOON)
    preflight(asked_first(backend), night="2026-03-03", until=NOON)

    assert backend.prompts[0].text != backend.prompts[1].text
    assert "2026-03-02" in backend.prompts[0].text


@pytest.mark.parametrize("kind", FailureKind)
def test_a_failed_call_ends_the_night_with_its_words_and_remedy(kind: FailureKind) -> None:
    backend = FakeBackend({Purpose.PREFLIGHT: CallFailed(kind, "no route to it", remedy="check the address")})

    with pytest.raises(BackendUnavailable, match="no route to it") as caught:
        preflight(asked_first(backend), night="2026-03-02", until=NOON)

    assert caught.value.remedy == "check the address"


def test_an_empty_answer_ends_the_night_too() -> None:
    with pytest.raises(BackendUnavailable, match="nothing"):
        preflight(asked_first(FakeBackend({Purpose.PREFLIGHT: " "})), night="2026-03-02", until=NOON)


def test_a_spent_budget_stays_what_it_is() -> None:
    with pytest.raises(BudgetExhausted):
        preflight(
            asked_first(FakeBackend({Purpose.PREFLIGHT: BudgetExhausted("all spent")})),
            night="2026-03-02",
            until=NOON,
        )
