"""What the dialect makes of what the genuine program was recorded to say, per version and kind of outcome."""

import json
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.agents.claude_code.program import Claude
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.records import Completion, Prompt, Purpose, Usage
from tests.agents.claude_outcomes import OUTCOMES

FILES = sorted((Path(__file__).parent / "recorded").glob("claude-*/*.json"))
VERSIONS = sorted({file.parent.name for file in FILES})
ONE = Usage(input_tokens=150, output_tokens=7, cached_tokens=20)
ANSWERS = {
    "answered": "pong",
    "answered_bare": "pong",
    "answered_by_subscription": "pong",
    "answered_near_the_limit": "pong",
    "answered_by_unpriced_model": "pong",
    "answered_without_usage": "pong",
    "answered_in_structure": '{"word":"pong"}',
    "answered_in_words": '{"word": "pong"}',
}
FAILURES = {
    "answered_by_no_model": FailureKind.MALFORMED,
    "answered_in_wrong_structure": FailureKind.MALFORMED,
    "answered_on_extra_usage": FailureKind.QUOTA,
    "bad_json": FailureKind.MALFORMED,
    "bad_request": FailureKind.BAD_REQUEST,
    "blank": FailureKind.EMPTY,
    "cut_after_start": FailureKind.MALFORMED,
    "cut_in_text": FailureKind.UNREACHABLE,
    "cut_off": FailureKind.MALFORMED,
    "dropped": FailureKind.UNREACHABLE,
    "empty": FailureKind.EMPTY,
    "error500": FailureKind.OVERLOADED,
    "error503": FailureKind.OVERLOADED,
    "forbidden": FailureKind.LOGIN,
    "interrupted": FailureKind.KILLED,
    "killed": FailureKind.KILLED,
    "limit_reached": FailureKind.QUOTA,
    "no_credit": FailureKind.QUOTA,
    "no_login": FailureKind.LOGIN,
    "no_model": FailureKind.MODEL,
    "overloaded": FailureKind.OVERLOADED,
    "overloaded_in_stream": FailureKind.OVERLOADED,
    "page": FailureKind.MALFORMED,
    "port_closed": FailureKind.UNREACHABLE,
    "rate_limited": FailureKind.RATE_LIMITED,
    "rate_limited_subscription": FailureKind.RATE_LIMITED,
    "refused": FailureKind.REFUSED,
    "terminated": FailureKind.KILLED,
    "too_large": FailureKind.TOO_LONG,
    "too_long": FailureKind.TOO_LONG,
    "unauthorized": FailureKind.LOGIN,
    "unauthorized_subscription": FailureKind.LOGIN,
    "unknown_option": FailureKind.NOT_INSTALLED,
}
# Where an older version tells less.
OLDER = {("claude-2.1.200", "cut_in_text"): FailureKind.MALFORMED}


def recorded(file: Path) -> tuple[ProcessResult, dict[str, Any]]:
    kept = json.loads(file.read_text(encoding="utf-8"))
    return ProcessResult(
        kept["status"], "\n".join(kept["stdout"]).encode(), "\n".join(kept["stderr"]).encode(), 1.0
    ), kept


def read(file: Path) -> Completion:
    return Claude().read(Prompt(purpose=Purpose.JUDGE, text="", schema=OUTCOMES[file.stem].schema), recorded(file)[0])


def failed(file: Path) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        read(file)
    return caught.value


def of(version: str, outcome: str) -> Path:
    return next(file for file in FILES if file.parent.name == version and file.stem == outcome)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_outcome_is_recorded_and_expected(version: str) -> None:
    assert {file.stem for file in FILES if file.parent.name == version} == OUTCOMES.keys()
    assert ANSWERS.keys() | FAILURES.keys() == OUTCOMES.keys()


@pytest.mark.parametrize(
    "file", [file for file in FILES if file.stem in ANSWERS], ids=lambda f: f"{f.parent.name}-{f.stem}"
)
def test_a_recorded_answer_is_read(file: Path) -> None:
    completion = read(file)

    assert completion.text == ANSWERS[file.stem]
    assert completion.odd_events == 0
    assert completion.model


@pytest.mark.parametrize(
    "file", [file for file in FILES if file.stem in FAILURES], ids=lambda f: f"{f.parent.name}-{f.stem}"
)
def test_a_recorded_failure_has_its_type(file: Path) -> None:
    with pytest.raises(CallFailed) as caught:
        read(file)

    assert caught.value.kind is OLDER.get((file.parent.name, file.stem), FAILURES[file.stem])
    assert caught.value.message.startswith("claude")
    assert caught.value.remedy


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "outcome",
    ["unauthorized", "forbidden", "rate_limited", "limit_reached", "error500", "error503", "overloaded", "dropped"],
)
def test_the_program_asks_once_where_the_retries_are_ours(version: str, outcome: str) -> None:
    assert recorded(of(version, outcome))[1]["requests"] == 1


def test_cached_tokens_are_part_of_the_input_and_both_requests_count() -> None:
    assert read(of("claude-2.1.332", "answered")).usage == ONE
    twice = read(of("claude-2.1.332", "answered_in_words"))
    assert twice.usage == ONE + ONE
    assert twice.usd == pytest.approx(0.001388)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_price_that_the_program_made_up_is_unknown(version: str) -> None:
    completion = read(of(version, "answered_by_unpriced_model"))

    assert completion.usd is None
    assert completion.usage == ONE
    assert completion.model == "unpriced-1"


@pytest.mark.parametrize("version", VERSIONS)
def test_usage_that_no_server_named_is_unknown(version: str) -> None:
    completion = read(of(version, "answered_without_usage"))

    assert completion.usage is None
    assert completion.usd is None


@pytest.mark.parametrize("version", VERSIONS)
def test_a_useless_answer_that_was_billed_says_what_it_cost(version: str) -> None:
    error = failed(of(version, "empty"))

    assert error.tokens == (300, 14, 40)
    assert error.usd is not None
    assert error.usd > 0


def test_a_refused_request_cost_nothing_and_a_broken_one_nobody_knows() -> None:
    refused = failed(of("claude-2.1.332", "rate_limited"))
    assert (refused.tokens, refused.usd) == ((0, 0, 0), 0.0)
    broken = failed(of("claude-2.1.332", "dropped"))
    assert (broken.tokens, broken.usd) == (None, None)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_spent_subscription_says_until_when(version: str) -> None:
    error = failed(of(version, "limit_reached"))

    assert "until 2100-01-01 00:00 UTC" in error.message
    assert "five hour" in error.message


@pytest.mark.parametrize("version", VERSIONS)
def test_an_answer_charged_beyond_the_subscription_ends_it(version: str) -> None:
    error = failed(of(version, "answered_on_extra_usage"))

    assert "extra usage" in error.message
    assert error.tokens == (150, 7, 20)
