"""The kinds of failures: a status first, and words where it leaves something open."""

import pytest

from skillopt_sleep.errors import FailureKind
from skillopt_sleep.kit.failure_words import kind_of, wait_in


@pytest.mark.parametrize(
    ("words", "status", "kind"),
    [
        ("Your credit balance is too low", 400, FailureKind.QUOTA),
        ("Your credit balance is too low", 503, FailureKind.OVERLOADED),
        ("limiting requests (not your usage limit)", 429, FailureKind.RATE_LIMITED),
        ("the request exceeds the available context size", 500, FailureKind.TOO_LONG),
        ("The model is not available", 503, FailureKind.OVERLOADED),
        ("The model `x` does not exist", 400, FailureKind.MODEL),
        ("it was flagged", 400, FailureKind.REFUSED),
        ("it was flagged", 500, FailureKind.OVERLOADED),
        ("not logged in", 400, FailureKind.BAD_REQUEST),
        ("not logged in", None, FailureKind.LOGIN),
        ("something nobody has seen before", 418, FailureKind.BAD_REQUEST),
        ("something nobody has seen before", None, None),
    ],
)
def test_a_failure_has_its_kind(words: str, status: int | None, kind: FailureKind | None) -> None:
    assert kind_of(words, status) is kind


@pytest.mark.parametrize(
    ("words", "seconds"), [("try again in 1m30s", 90), ("try again in 3 days", None), ("", None)]
)
def test_a_wait_is_read_if_it_is_named(words: str, seconds: float | None) -> None:
    assert wait_in(words) == seconds
