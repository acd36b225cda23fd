"""How the events of `claude` are output, and what they tell of usage, money and a subscription's limits."""

import json
from typing import Any

import msgspec
import pytest

from skillopt_sleep.agents.claude_code.output import ClaudeOutput, FinalResult, SubscriptionLimit
from skillopt_sleep.records import Usage


def result(**fields: Any) -> FinalResult:
    event = {"type": "result", "subtype": "success", "is_error": False, **fields}
    return msgspec.json.decode(json.dumps(event), type=FinalResult)


def limit(**fields: Any) -> SubscriptionLimit:
    return msgspec.json.decode(json.dumps(fields), type=SubscriptionLimit)


def test_the_last_result_and_the_last_limit_count() -> None:
    events = [
        {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected"}},
        {"type": "result", "subtype": "success", "is_error": True, "result": "first"},
        {"type": "rate_limit_event", "rate_limit_info": {"status": "allowed", "unifiedWindows": {}}},
        {"type": "result", "subtype": "success", "is_error": False, "result": "last"},
        {"type": "unheard_of"},
    ]
    output = ClaudeOutput().read("\n".join(map(json.dumps, events)).encode() + b"\n\nnoise\n\xff")

    assert output.result is not None
    assert output.result.result == "last"
    assert output.limit is not None
    assert output.limit.status == "allowed"
    assert (output.known, output.odd) == (4, 3)


def test_the_usage_is_that_of_all_models_and_the_model_that_which_wrote_most() -> None:
    models = {
        "claude-a": {"inputTokens": 1, "cacheReadInputTokens": 2, "outputTokens": 3},
        "claude-b": {"inputTokens": 10, "cacheCreationInputTokens": 20, "outputTokens": 30},
    }
    both = result(modelUsage=models, total_cost_usd=0.5)

    assert both.usage == Usage(input_tokens=33, output_tokens=33, cached_tokens=2)
    assert both.model == "claude-b"
    assert both.usd == 0.5
    assert result().model == ""


@pytest.mark.parametrize(
    ("model", "basis", "usd"),
    [("claude-a", "list", 0.5), ("claude-a", None, 0.5), ("other", None, None), ("claude-a", "unknown", None)],
)
def test_a_figure_is_the_programs_own_only_where_it_knows_the_price(
    model: str, basis: str | None, usd: float | None
) -> None:
    used = {"inputTokens": 1, "outputTokens": 1, "costBasis": basis}

    assert result(modelUsage={model: used}, total_cost_usd=0.5).usd == usd


def test_no_tokens_are_unknown_unless_the_server_refused() -> None:
    assert result(modelUsage={"claude-a": {}}, total_cost_usd=0).usage is None
    assert result(api_error_status=429).usage == Usage()


@pytest.mark.parametrize(
    ("fields", "reached"),
    [
        ({"status": "allowed", "resetsAt": 1}, False),
        ({"status": "allowed_warning", "rateLimitType": "five_hour", "isUsingOverage": False}, False),
        ({"status": "rejected", "isUsingOverage": False}, False),
        ({"status": "rejected", "resetsAt": 1}, True),
        ({"status": "rejected", "rateLimitType": "seven_day"}, True),
        ({"status": "allowed", "isUsingOverage": True}, True),
    ],
)
def test_a_limit_is_reached_where_it_is_named_or_more_is_charged(fields: dict[str, Any], reached: bool) -> None:
    assert limit(**fields).reached is reached


def test_a_limit_says_which_it_is_and_until_when() -> None:
    assert (
        str(limit(status="rejected", resetsAt=0))
        == "the subscription's usage limit is used up until 1970-01-01 00:00 UTC"
    )
    assert str(limit(status="rejected", rateLimitType="seven_day")) == "the subscription's seven day limit is used up"


@pytest.mark.parametrize(
    "tokens", ["-1", "1.5", '"many"', "9223372036854775808", "1" + "0" * 40, "1e999", "true", "[]"]
)
def test_an_answer_whose_bill_can_not_be_is_kept(tokens: str) -> None:
    event = '{"type": "result", "subtype": "success", "is_error": false, "result": "pong", "total_cost_usd": 0.5, '
    output = ClaudeOutput().read(f'{event}"modelUsage": {{"claude-a": {{"inputTokens": {tokens}}}}}}}'.encode())

    assert output.result is not None
    assert (output.result.result, output.result.usage, output.result.usd) == ("pong", None, None)


@pytest.mark.parametrize("cost", ["-1", "1e300", "1e999", '"much"', "null", "{}"])
def test_a_price_that_can_not_be_is_unknown(cost: str) -> None:
    event = '{"type": "result", "subtype": "success", "is_error": false, "result": "pong", '
    used = '"modelUsage": {"claude-a": {"inputTokens": 1, "outputTokens": 2}}'
    output = ClaudeOutput().read(f'{event}{used}, "total_cost_usd": {cost}}}'.encode())

    assert output.result is not None
    assert (output.result.usage, output.result.usd) == (Usage(input_tokens=1, output_tokens=2), None)
