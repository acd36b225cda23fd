import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.agents.codex.failures import LONGEST_WAIT, NO_RENEWAL, failed
from skillopt_sleep.errors import FailureKind


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("unexpected status 401 Unauthorized: rate limit of the login page", "login"),
        ("unexpected status 404 Not Found: no such page", "model"),
        ("unexpected status 404 Not Found: context window", "too_long"),
        ("unexpected status 408 Request Timeout", "timed_out"),
        ("exceeded retry limit, last status: 502 Bad Gateway", "overloaded"),
        ("unexpected status 418 I'm a teapot", "bad_request"),
        ("Not logged in", "login"),
        ("Your access token could not be refreshed because your refresh token was already used.", "login"),
        ("Your access token could not be refreshed. Please log out and sign in again.", "login"),
        ("Quota exceeded. Check your plan and billing details.", "quota"),
        ("Your workspace is out of credits.", "quota"),
        ("unexpected status 429 Too Many Requests: usage_limit_reached", "quota"),
        ("The model `gpt-9` is not supported when using Codex with a ChatGPT account.", "model"),
        ("Reconnecting... waiting for network (Connection failed: error sending request)", "unreachable"),
        ("dns error: Connection refused (os error 111)", "unreachable"),
        ("stream closed before response.completed", "malformed"),
        ("", "bad_request"),
        ("something nobody has seen before", "bad_request"),
    ],
)
def test_a_sentence_has_its_kind(said: str, kind: str) -> None:
    assert failed(said).kind == kind


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("Please try again in 2s.", 2.0),
        ("try again in 250ms", 0.25),
        ("try again in 1.5 seconds", 1.5),
        ("Please try again in 0m12s.", 12.0),
        ("Please try again in 6m0s.", LONGEST_WAIT),
        ("try again in 2 minutes", LONGEST_WAIT),
        ("try again in a moment", None),
        ("later", None),
    ],
)
def test_the_wait_it_names_is_read_and_bounded(said: str, seconds: float | None) -> None:
    assert failed(f"rate limit exceeded: {said}").retry_after == seconds


@pytest.mark.parametrize("named", ["at Nov 24th, 2026 8:42 AM", "in 3 days 2 hours"])
def test_the_end_of_a_quota_is_in_the_remedy(named: str) -> None:
    caught = failed(f"You've hit your usage limit. Upgrade to Pro (https://x.example/pro) or try again {named}.")
    assert caught.kind is FailureKind.QUOTA
    assert caught.remedy == f"try again {named}, as it says, or use another model"
    assert caught.retry_after is None


def test_a_login_that_would_have_to_be_renewed_is_said_to_be_refused() -> None:
    caught = failed(f"error sending request for url ({NO_RENEWAL})", (1, 2, 0))
    assert (caught.kind, caught.tokens) == (FailureKind.LOGIN, (1, 2, 0))
    assert NO_RENEWAL not in caught.message
    assert "codex login" in caught.remedy


@given(st.text(max_size=400))
def test_any_sentence_makes_a_failure_on_one_line(said: str) -> None:
    caught = failed(said)
    assert "\n" not in caught.message
    assert len(caught.message) < 400
    assert caught.remedy


@pytest.mark.parametrize(
    "said", ["try again in " + "1s, " * 50_000, "model " * 50_000, "try again in " + " " * 100_000]
)
def test_long_sentences_are_read_in_time(said: str) -> None:
    assert len(failed(said).message) < 400
