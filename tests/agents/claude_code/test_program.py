"""What the dialect says to `claude`, and what it makes of what the genuine program was recorded to say."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from skillopt_sleep.agents.claude_code.program import SYSTEM, Claude
from skillopt_sleep.errors import REMEDIES, CallFailed, FailureKind
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.program import Dialect, Setup
from skillopt_sleep.records import Prompt, Purpose
from tests.agents.claude_outcomes import Word

claude: Dialect = Claude()


def asked(text: str = "ping?", schema: type[msgspec.Struct] | None = None) -> Prompt:
    return Prompt(purpose=Purpose.JUDGE, text=text, schema=schema)


def failure(ran: ProcessResult, prompt: Prompt | None = None) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        claude.read(prompt or asked(), ran)
    return caught.value


def said(*events: dict[str, Any], status: int = 0) -> ProcessResult:
    return ProcessResult(status, "\n".join(map(json.dumps, events)).encode())


def result(**fields: Any) -> dict[str, Any]:
    models = {"claude-x": {"inputTokens": 1, "outputTokens": 1}}
    return {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": "pong",
        "modelUsage": models,
        **fields,
    }


def test_a_server_error_that_speaks_of_a_login_may_pass() -> None:
    words = "API Error: 503 authentication service unavailable, credit balance is too low"

    assert failure(said(result(is_error=True, result=words), status=1)).kind is FailureKind.OVERLOADED


@pytest.mark.parametrize("status", [1, 137, -15])
def test_an_answer_of_a_program_that_failed_is_none(status: int) -> None:
    kind = FailureKind.MALFORMED if status == 1 else FailureKind.KILLED

    assert failure(said(result(), status=status)).kind is kind


def test_error_text_with_status_0_is_no_answer() -> None:
    assert failure(ProcessResult(0, b"Not logged in \xc2\xb7 Please run /login\n")).kind is FailureKind.LOGIN
    assert failure(said(result(is_error=True, result="Not logged in"))).kind is FailureKind.LOGIN
    assert failure(said(result(modelUsage={}))).kind is FailureKind.MALFORMED
    assert failure(ProcessResult(0, b"pong\n")).kind is FailureKind.MALFORMED


def test_silence_is_no_answer() -> None:
    assert failure(ProcessResult(0)).kind is FailureKind.KILLED
    assert failure(ProcessResult(1)).kind is FailureKind.MALFORMED
    assert failure(said({"type": "system", "subtype": "init"})).kind is FailureKind.KILLED


@pytest.mark.parametrize(
    ("stopped", "kind"), [("timed_out", FailureKind.TIMED_OUT), ("flooded", FailureKind.FLOODED)]
)
def test_what_we_stopped_is_no_answer_even_with_a_result(stopped: str, kind: FailureKind) -> None:
    assert failure(said(result())._replace(stopped=stopped)).kind is kind


@pytest.mark.parametrize(("is_error", "status"), [(True, 1), (False, 0)])
def test_a_run_whose_turns_are_used_up_failed_by_itself(is_error: bool, status: int) -> None:
    used_up = result(
        subtype="error_max_turns", is_error=is_error, result=None, errors=["Reached maximum number of turns (1)"]
    )

    failed = failure(said(used_up, status=status))

    assert failed.kind is FailureKind.OUT_OF_TURNS
    assert (failed.tokens, failed.remedy) == ((1, 1, 0), REMEDIES[FailureKind.OUT_OF_TURNS])
    assert "Reached maximum number of turns (1)" in failed.message


def test_events_that_are_not_known_are_counted() -> None:
    ran = said({"type": "horoscope"}, result(), {"no": "type"})

    assert claude.read(asked(), ran._replace(stdout=b"Update available!\n\n" + ran.stdout)).odd_events == 3


def test_text_answers_a_structured_prompt_only_where_there_is_no_structure() -> None:
    both = said(result(structured_output={"word": "ping"}))

    assert claude.read(asked(schema=Word), both).text == '{"word":"ping"}'
    assert claude.read(asked(), both).text == "pong"
    assert claude.read(asked(schema=Word), said(result())).text == "pong"


def test_a_login_of_a_subscription_is_asked_for_with_all_of_the_user_left_out() -> None:
    invocation = claude.call(asked("What is it?"), Setup())

    assert invocation.arguments == (
        *("-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence"),
        *("--setting-sources", "user", "--strict-mcp-config", "--disable-slash-commands"),
        *("--settings", '{"disableBundledSkills":true}', "--system-prompt", SYSTEM, "--tools", ""),
    )
    assert invocation.stdin == b"What is it?"
    assert invocation.files == {}
    assert invocation.environ == {
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
        "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK": "1",
        "MAX_STRUCTURED_OUTPUT_RETRIES": "1",
    }


def test_a_key_is_asked_for_bare_with_model_schema_and_address() -> None:
    setup = Setup(model="opus", base_url="http://127.0.0.1:1", key_env="MY_KEY")
    invocation = claude.call(asked(schema=Word), setup)

    assert invocation.arguments[:8] == (
        *("-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence"),
        *("--bare", "--system-prompt", SYSTEM),
    )
    assert invocation.arguments[8:-1] == ("--tools", "", "--model", "opus", "--json-schema")
    assert json.loads(invocation.arguments[-1])["required"] == ["word"]
    assert invocation.environ["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:1"
    assert "CLAUDE_CODE_MAX_OUTPUT_TOKENS" not in invocation.environ
    told = claude.call(asked(), setup._replace(max_output_tokens=77))
    assert told.environ["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] == "77"


@pytest.mark.parametrize(
    ("key_env", "emptied"),
    [
        ("MY_KEY", {"ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"}),
        ("ANTHROPIC_AUTH_TOKEN", {"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"}),
        ("CLAUDE_CODE_OAUTH_TOKEN", {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"}),
    ],
)
def test_of_several_logins_only_the_chosen_one_is_sent(key_env: str, emptied: set[str]) -> None:
    invocation = claude.call(asked(), Setup(key_env=key_env))

    assert {name for name, value in invocation.environ.items() if not value} == emptied
    assert ("--bare" in invocation.arguments) is (key_env != "CLAUDE_CODE_OAUTH_TOKEN")


def test_a_prompt_is_never_a_command_nor_an_argument() -> None:
    assert claude.call(asked("/compact"), Setup()).stdin == b"\n/compact"
    long = "x" * 2_000_000
    invocation = claude.call(asked(long), Setup())
    assert invocation.stdin == long.encode()
    assert sum(map(len, invocation.arguments)) < 1000
    assert claude.call(asked("lone \ud800"), Setup()).stdin == b"lone ?"


@pytest.mark.parametrize("text", ["2.1.330 (Claude Code)\n", "2.1.200 (Claude Code)"])
def test_the_version_is_read(text: str) -> None:
    assert claude.version(ProcessResult(0, text.encode())) == text.split(maxsplit=1)[0]


@pytest.mark.parametrize(
    "ran",
    [
        ProcessResult(0),
        ProcessResult(0, b"\xff\xfe"),
        ProcessResult(0, b"A new version is available. Update now? [Y/n]"),
        ProcessResult(0, b"1.2.3 (Something else)"),
        ProcessResult(1, b"2.1.330 (Claude Code)"),
        ProcessResult(127, b"", b"node: not found"),
        ProcessResult(-15, b"", stopped="timed_out"),
    ],
)
def test_what_names_no_version_is_not_installed(ran: ProcessResult) -> None:
    with pytest.raises(CallFailed) as caught:
        claude.version(ran)
    assert caught.value.kind is FailureKind.NOT_INSTALLED


def test_a_version_that_asks_without_end_is_too_old() -> None:
    with pytest.raises(CallFailed, match=r"2\.1\.100 is too old") as caught:
        claude.version(ProcessResult(0, b"2.1.100 (Claude Code)\n"))
    assert caught.value.kind is FailureKind.NOT_INSTALLED
    assert "claude update" in caught.value.remedy


EVENT = st.fixed_dictionaries(
    {"type": st.sampled_from(["result", "system", "rate_limit_event", "assistant", "other"])},
    optional={
        "subtype": st.sampled_from(["success", "error_during_execution", 1]),
        "is_error": st.sampled_from([True, False, None, "no"]),
        "result": st.one_of(st.none(), st.text(max_size=5), st.integers()),
        "structured_output": st.one_of(st.none(), st.dictionaries(st.text(max_size=2), st.integers(), max_size=1)),
        "modelUsage": st.sampled_from([{}, {"m": {}}, {"m": {"outputTokens": -1}}, {"m": {"outputTokens": 1}}, []]),
        "rate_limit_info": st.sampled_from([{}, {"status": "rejected", "resetsAt": 10**30}, {"status": "allowed"}]),
        "total_cost_usd": st.sampled_from([0, -1, 1e308, None, "1"]),
        "stop_reason": st.sampled_from([None, "refusal", "end_turn"]),
    },
)
LINES = st.one_of(st.binary(max_size=40), EVENT.map(lambda event: json.dumps(event).encode()))


@settings(max_examples=400, deadline=None)
@given(st.lists(LINES, max_size=4), st.sampled_from([0, 0, 0, 1, 143, -9]), st.booleans())
def test_whatever_is_said_only_a_whole_result_is_an_answer(lines: list[bytes], status: int, structured: bool) -> None:
    prompt = asked(schema=Word if structured else None)
    try:
        completion = claude.read(prompt, ProcessResult(status, b"\n".join(lines), b"\xff"))
    except CallFailed:
        return
    assert status == 0
    assert completion.text.strip()
    results = [event for event in map(parsed, b"\n".join(lines).splitlines()) if event.get("type") == "result"]
    assert any(event.get("is_error") is False and event.get("subtype") == "success" for event in results)


def parsed(line: bytes) -> dict[str, Any]:
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}


def test_deep_nesting_is_no_answer() -> None:
    assert failure(ProcessResult(0, b'{"type":"result","x":' + b"[" * 100_000)).kind is FailureKind.MALFORMED
