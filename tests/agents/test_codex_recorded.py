import json
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.agents.codex.program import CodexProgram
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.records import Completion, Prompt, Purpose, Usage

CODEX = CodexProgram()
PROMPT = Prompt(purpose=Purpose.ROLLOUT, text="Say hello.")
VERSIONS = sorted((Path(__file__).parent / "recorded").glob("codex-*"))
ANSWERED = {
    "answered": "hello there",
    "answered_at_the_limit": "hello there",
    "answered_by_login": "hello there",
    "answered_default_model": "hello there",
    "answered_structured": '{"good":true,"why":""}',
    "answered_twice": "hello there",
    "answered_unbilled": "hello there",
    "answered_with_warning": "hello there",
}
FAILED = {
    "bad_json": "malformed",
    "dropped": "unreachable",
    "empty_body": "malformed",
    "empty_output": "empty",
    "empty_text": "empty",
    "failed_cyber_policy": "refused",
    "failed_overloaded": "overloaded",
    "failed_policy": "refused",
    "failed_quota": "quota",
    "failed_rate_limit": "rate_limited",
    "failed_server_error": "overloaded",
    "failed_too_long": "too_long",
    "hang": "timed_out",
    "html": "malformed",
    "http_400": "bad_request",
    "http_400_not_for_chatgpt": "model",
    "http_400_policy": "refused",
    "http_400_schema": "bad_request",
    "http_400_too_long": "too_long",
    "http_401": "login",
    "http_403": "login",
    "http_404": "model",
    "http_413": "too_long",
    "http_429": "rate_limited",
    "http_429_not_in_plan": "login",
    "http_429_quota": "quota",
    "http_429_usage_limit": "quota",
    "http_429_usage_limit_without_time": "quota",
    "http_500": "overloaded",
    "http_503": "overloaded",
    "http_529": "overloaded",
    "incomplete_cut_off": "malformed",
    "incomplete_filter": "refused",
    "killed": "killed",
    "login_refused": "login",
    "no_key": "login",
    "port_closed": "unreachable",
    "terminated": "killed",
    "truncated": "malformed",
    "unknown_option": "bad_request",
    "unusable_setting": "bad_request",
}
# 0.145.0 says of a 429 with insufficient_quota only that it was one.
UNLIKE = {("codex-0.145.0", "http_429_quota"): "rate_limited"}
BILL = Usage(input_tokens=120, output_tokens=20, cached_tokens=40)


class Recorded(msgspec.Struct):
    status: int
    stopped: str
    questions: int
    stdout: list[str]
    stderr: list[str]

    @property
    def ran(self) -> ProcessResult:
        return ProcessResult(
            self.status, "\n".join(self.stdout).encode(), "\n".join(self.stderr).encode(), 4.0, self.stopped
        )


def recorded(version: Path, outcome: str) -> Recorded:
    return msgspec.json.decode((version / f"{outcome}.json").read_bytes(), type=Recorded)


def events(*rows: object) -> bytes:
    return b"\n".join(json.dumps(row).encode() for row in rows)


def failure(ran: ProcessResult) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        CODEX.read(PROMPT, ran)
    return caught.value


def answer(text: str) -> dict[str, object]:
    return {"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": text}}


BEGUN = ({"type": "thread.started", "thread_id": "1"}, {"type": "turn.started"})
DONE = {"type": "turn.completed", "usage": {"input_tokens": 7, "cached_input_tokens": 2, "output_tokens": 3}}


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
def test_every_recorded_outcome_is_expected_here(version: Path) -> None:
    assert {path.stem for path in version.iterdir()} == {*ANSWERED, *FAILED}


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
@pytest.mark.parametrize("outcome", ANSWERED)
def test_a_recorded_answer_is_read(version: Path, outcome: str) -> None:
    usage = None if outcome == "answered_unbilled" else BILL
    read = CODEX.read(PROMPT, recorded(version, outcome).ran)
    assert read == Completion(text=ANSWERED[outcome], usage=usage)


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
@pytest.mark.parametrize("outcome", FAILED)
def test_a_recorded_failure_has_its_kind(version: Path, outcome: str) -> None:
    expected = UNLIKE.get((version.name, outcome), FAILED[outcome])
    caught = failure(recorded(version, outcome).ran)
    assert caught.kind == expected
    assert caught.remedy


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
@pytest.mark.parametrize("outcome", [*ANSWERED, *FAILED])
def test_the_program_asks_once_whatever_it_is_told(version: Path, outcome: str) -> None:
    # A refused login is asked about once more by the program itself.
    assert recorded(version, outcome).questions <= (2 if outcome == "login_refused" else 1)


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
@pytest.mark.parametrize("outcome", ["empty_output", "empty_text"])
def test_an_empty_answer_carries_what_it_cost(version: Path, outcome: str) -> None:
    assert failure(recorded(version, outcome).ran).tokens == (120, 20, 40)


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
def test_a_wait_that_is_named_is_passed_on(version: Path) -> None:
    assert failure(recorded(version, "failed_rate_limit").ran).retry_after == 2.5


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
def test_a_spent_quota_names_its_time_and_is_not_waited_for(version: Path) -> None:
    caught = failure(recorded(version, "http_429_usage_limit").ran)
    assert re.search(r"try again at .*\d:\d\d [AP]M", caught.remedy)
    assert caught.retry_after is None


def test_status_zero_without_a_completed_turn_is_a_failure() -> None:
    assert failure(ProcessResult(0, events(*BEGUN, answer("hello")))).kind is FailureKind.KILLED
    assert failure(ProcessResult(0, events(answer("hello")))).kind is FailureKind.MALFORMED
    assert failure(ProcessResult(0)).kind is FailureKind.EMPTY
    assert failure(ProcessResult(0, b" \n ")).kind is FailureKind.EMPTY
    assert failure(ProcessResult(0, b"<html>Please sign in</html>")).kind is FailureKind.MALFORMED


def test_a_failing_status_is_a_failure_even_with_an_answer() -> None:
    caught = failure(ProcessResult(1, events(*BEGUN, answer("hello"), DONE), b"it went wrong"))
    assert caught.kind is FailureKind.BAD_REQUEST
    assert "it went wrong" in caught.message
    assert caught.tokens == (7, 3, 2)


def test_a_failed_turn_is_a_failure_even_with_an_answer() -> None:
    rows = (*BEGUN, answer("hello"), DONE, {"type": "turn.failed", "error": {"message": "usage limit"}})
    assert failure(ProcessResult(0, events(*rows))).kind is FailureKind.QUOTA
    assert failure(ProcessResult(1, events({"type": "turn.failed"}))).kind is FailureKind.BAD_REQUEST


def test_a_complaint_on_the_way_is_no_failure() -> None:
    rows = ({"type": "error", "message": "Reconnecting... 1/5"}, answer("hello"), DONE)
    assert CODEX.read(PROMPT, ProcessResult(0, events(*BEGUN, *rows))).text == "hello"


def test_the_last_message_is_the_answer() -> None:
    assert CODEX.read(PROMPT, ProcessResult(0, events(*BEGUN, answer("one"), answer("two"), DONE))).text == "two"
    assert failure(ProcessResult(0, events(*BEGUN, answer("one"), answer(" \n"), DONE))).kind is FailureKind.EMPTY


def test_what_is_not_known_is_counted() -> None:
    odd = ({"type": "brand.new"}, {"type": "item.completed", "item": {"type": "hologram"}}, "text", {"no": "type"})
    known = {"type": "item.completed", "item": {"type": "reasoning", "text": "hm"}}
    said = b"Reading input\n" + events(*BEGUN, *odd, known, answer("hello"), DONE)
    assert CODEX.read(PROMPT, ProcessResult(0, said)).odd_events == 5


@pytest.mark.parametrize("usage", [None, "much", {"input_tokens": -1}, {"input_tokens": 10**30}, {}])
def test_a_bill_that_makes_no_sense_is_no_bill(usage: object) -> None:
    rows = (*BEGUN, answer("hello"), {"type": "turn.completed", "usage": usage})
    assert CODEX.read(PROMPT, ProcessResult(0, events(*rows))) == Completion(text="hello")


@pytest.mark.parametrize("tokens", ["9223372036854775808", "9" * 30, "1e999", "-1"])
def test_a_number_beyond_counting_is_no_bill(tokens: str) -> None:
    bill = f'{{"type": "turn.completed", "usage": {{"input_tokens": {tokens}, "output_tokens": 1}}}}\n'.encode()
    read = CODEX.read(PROMPT, ProcessResult(0, events(*BEGUN, answer("hello")) + b"\n" + bill))
    assert read == Completion(text="hello")


def test_cached_tokens_are_never_more_than_all() -> None:
    rows = (answer("hello"), {"type": "turn.completed", "usage": {"input_tokens": 5, "cached_input_tokens": 9}})
    assert CODEX.read(PROMPT, ProcessResult(0, events(*rows))).usage == Usage(input_tokens=5, cached_tokens=5)


@pytest.mark.parametrize("status", [-9, -15, 137, 143])
def test_a_killed_program_is_said_to_be(status: int) -> None:
    assert failure(ProcessResult(status, events(*BEGUN))).kind is FailureKind.KILLED


def test_what_we_ended_ourselves_is_never_an_answer() -> None:
    said = events(*BEGUN, answer("hello"), DONE)
    flooded, late = (
        failure(ProcessResult(-9, said, stopped="flooded")),
        failure(ProcessResult(0, said, stopped="timed_out")),
    )
    assert (flooded.kind, late.kind) == (FailureKind.FLOODED, FailureKind.TIMED_OUT)
    assert flooded.tokens == late.tokens == (7, 3, 2)


@pytest.mark.parametrize("status", [126, 127])
def test_a_program_that_does_not_start_is_not_installed(status: int) -> None:
    assert failure(ProcessResult(status, b"", b"env: node: No such file")).kind is FailureKind.NOT_INSTALLED


LINES = st.lists(
    st.one_of(
        st.binary(max_size=40),
        st.sampled_from([events(row) for row in (*BEGUN, DONE, answer("hi"), answer(""), {"type": "turn.failed"})]),
        st.recursive(
            st.none() | st.text(max_size=5) | st.integers(), lambda x: st.dictionaries(st.text(max_size=5), x)
        ).map(
            lambda value: json.dumps(
                {"type": "item.completed", "item": value, "usage": value, "error": value}
            ).encode()
        ),
    ),
    max_size=8,
)


@given(LINES, st.integers(-20, 150), st.sampled_from(["", "", "timed_out", "flooded"]), st.binary(max_size=60))
def test_whatever_it_says_only_a_valid_answer_is_one(
    lines: list[bytes], status: int, stopped: str, err: bytes
) -> None:
    try:
        read = CODEX.read(PROMPT, ProcessResult(status, b"\n".join(lines), err, 1.0, stopped))
    except CallFailed:
        return
    assert (status, stopped, read.text) == (0, "", "hi")
    assert events(DONE) in lines
    assert events(answer("hi")) in lines


@given(st.binary(max_size=300), st.integers(-20, 150))
def test_noise_is_never_an_answer(noise: bytes, status: int) -> None:
    assert failure(ProcessResult(status, noise)).message


@pytest.mark.parametrize(
    "deep", [b"[" * 100_000, b'{"type":' * 100_000, b'{"type":"error","usage":' + b"[" * 100_000]
)
def test_a_deep_line_is_only_odd(deep: bytes) -> None:
    read = CODEX.read(PROMPT, ProcessResult(0, deep + b"\n" + events(answer("hello"), DONE)))
    assert (read.text, read.odd_events) == ("hello", 1)
