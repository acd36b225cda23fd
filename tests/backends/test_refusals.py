from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from skillopt_sleep.backends.refusals import LONGEST_WAIT, MOST_TEXT, read_refusal
from skillopt_sleep.errors import FailureKind
from skillopt_sleep.kit.clock import utc_now

LOGIN, MODEL, QUOTA = FailureKind.LOGIN, FailureKind.MODEL, FailureKind.QUOTA
LIMITED, OVERLOADED, LONG = FailureKind.RATE_LIMITED, FailureKind.OVERLOADED, FailureKind.TOO_LONG
REFUSED, BAD = FailureKind.REFUSED, FailureKind.BAD_REQUEST


def _error(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


CASES: list[tuple[str, int, object, FailureKind]] = [
    ("a wrong key", 401, _error("Incorrect API key provided.", code="invalid_api_key"), LOGIN),
    ("a key that may not", 403, _error("You are not allowed to sample from this engine."), LOGIN),
    ("a page of a proxy", 403, "<html><body>Blocked</body></html>", LOGIN),
    ("no such model", 404, _error("The model `x` does not exist", code="model_not_found"), MODEL),
    ("no access to the model", 403, _error("Project does not have access to it", code="model_not_found"), MODEL),
    ("no such deployment", 404, _error("Not here.", code="DeploymentNotFound"), MODEL),
    ("no such model of Anthropic", 404, _error("model: claude-x", type="not_found_error"), MODEL),
    ("no such model by its words", 400, _error("x/y is not here: the model is not a valid model ID"), MODEL),
    ("no such model of Ollama", 404, {"error": 'model "x" not found, try pulling it first'}, MODEL),
    (
        "no such model of vLLM",
        404,
        {"object": "error", "message": "The model `x` does not exist.", "code": 404},
        MODEL,
    ),
    ("no such path", 404, {"detail": "Not Found"}, MODEL),
    ("no money at OpenAI", 429, _error("You exceeded your current quota", code="insufficient_quota"), QUOTA),
    ("no money at Anthropic", 400, _error("Your credit balance is too low to access the API"), QUOTA),
    ("no more this month", 400, _error("You have reached your specified API usage limits."), QUOTA),
    ("a bill to pay", 402, _error("This request requires more credits"), QUOTA),
    ("a billing error", 403, _error("Please pay.", type="billing_error"), QUOTA),
    ("too fast", 429, _error("Rate limit reached. Visit https://x.com/account/billing to pay."), LIMITED),
    ("too fast at Azure", 429, _error("You have exceeded token rate limit. Please retry after 6 seconds."), LIMITED),
    ("a quota of a minute", 429, [_error("You exceeded your current quota. Please retry in 38.5s.")], LIMITED),
    ("one that asks for too much", 429, _error("Request too large for m on tokens per min (TPM)"), LONG),
    ("too long for OpenAI", 400, _error("Too long.", code="context_length_exceeded"), LONG),
    ("too long for Anthropic", 400, _error("prompt is too long: 210000 tokens > 200000 maximum"), LONG),
    ("too long with its answer", 400, _error("input length and `max_tokens` exceed context limit: 1 + 2 > 2"), LONG),
    ("too long for vLLM", 400, {"message": "This model's maximum context length is 8192 tokens."}, LONG),
    ("too long for llama.cpp", 500, _error("the request exceeds the available context size"), LONG),
    ("too large a body", 413, "<html>413 Request Entity Too Large</html>", LONG),
    ("a filter at Azure", 400, _error("No.", innererror={"code": "ResponsibleAIPolicyViolation"}), REFUSED),
    ("a filter by its words", 400, _error("triggering Azure OpenAI's content management policy"), REFUSED),
    ("the server's fault", 500, _error("The server had an error."), OVERLOADED),
    ("a busy server", 503, _error("The model is temporarily not available"), OVERLOADED),
    ("a busy server of Anthropic", 529, _error("Overloaded", type="overloaded_error"), OVERLOADED),
    ("a page of a gateway", 502, "<html>Bad gateway</html>", OVERLOADED),
    ("late", 408, _error("Request timeout"), FailureKind.TIMED_OUT),
    ("another place", 301, "", BAD),
    ("another bad request", 400, _error("Unsupported value: 'temperature'"), BAD),
    ("nothing at all", 400, None, BAD),
    ("an empty list", 400, [], BAD),
]


@pytest.mark.parametrize(("status", "body", "kind"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_every_no_has_its_kind(status: int, body: object, kind: FailureKind) -> None:
    assert read_refusal(status, body, {}).kind is kind


@pytest.mark.parametrize(
    ("headers", "said", "wait"),
    [
        ({"retry-after": "7"}, "", 7),
        ({"retry-after": "0.5"}, "", 0.5),
        ({"retry-after-ms": "1500", "retry-after": "2"}, "", 1.5),
        ({"retry-after": "soon"}, "", None),
        ({"retry-after": "-1"}, "", None),
        ({"retry-after": "nan"}, "", None),
        ({}, "Please try again in 6.5s.", 6.5),
        ({}, "Please try again in 6m0s.", 360),
        ({}, "Please try again in 120ms.", 0.12),
        ({}, "Please retry after 6 seconds. Ask for more.", 6),
        ({}, "try again in 1h2m3s", 3723),
        ({}, "try again in a while", None),
        ({}, "Rate limit reached.", None),
    ],
)
def test_the_wait_is_what_the_server_says(headers: dict[str, str], said: str, wait: float | None) -> None:
    assert read_refusal(429, _error(said), headers).wait == wait


def test_a_wait_may_be_a_date() -> None:
    soon = read_refusal(429, "", {"retry-after": format_datetime(utc_now() + timedelta(seconds=90), usegmt=True)})
    assert soon.wait == pytest.approx(90, abs=2)
    past = read_refusal(429, "", {"retry-after": format_datetime(datetime(2020, 1, 1, tzinfo=UTC), usegmt=True)})
    assert past.wait == 0


def test_a_limit_that_lasts_is_a_quota_that_is_used_up_and_says_when_it_ends() -> None:
    lasting = read_refusal(429, _error("Limit reached."), {"retry-after": str(LONGEST_WAIT + 1)})
    assert lasting.kind is QUOTA
    assert lasting.again
    assert read_refusal(429, _error("Limit reached."), {"retry-after": str(LONGEST_WAIT)}).kind is LIMITED


def test_a_limit_may_say_itself_when_it_ends() -> None:
    used_up = read_refusal(429, _error("The usage limit has been reached", resets_in_seconds=3600), {})
    assert (used_up.kind, used_up.wait) == (QUOTA, 3600)


@pytest.mark.parametrize(
    ("said", "dislikes"),
    [
        ("Unknown parameter: 'response_format'.", True),
        ("Invalid parameter: 'text.format' of type 'json_schema' is not supported with this model.", True),
        ("output_config.format: Extra inputs are not permitted", True),
        ("prompt is too long", False),
    ],
)
def test_who_takes_no_schema_says_so(said: str, dislikes: bool) -> None:
    assert read_refusal(400, _error(said), {}).of_schema is dislikes
    assert read_refusal(500, _error(said), {}).of_schema is False


def test_only_words_tell_that_there_is_no_such_model() -> None:
    assert read_refusal(404, _error("The model `x` does not exist"), {}).of_model
    assert not read_refusal(404, {"detail": "Not Found"}, {}).of_model
    assert not read_refusal(503, _error("The model is not available"), {}).of_model


def test_endless_words_are_cut() -> None:
    said = read_refusal(400, _error("retry in " + "1" * 5_000_000), {})
    assert len(said.text) == MOST_TEXT
    assert said.wait is None
