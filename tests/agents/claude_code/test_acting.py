"""How `claude` is started in a seal, what its events tell, and which logins the relay can use."""

import json
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.acting import AgentRun, Installed, RelayRoute
from skillopt_sleep.protocols.program import Setup

ACTING = AGENTS["claude"].acting
INSTALLED = Installed(("/opt/claude",), frozenset({Path("/opt/claude")}))
SESSION = "6f0b7a1e-3f44-4a5e-9a5e-0d5b6f3f9a10"
RESULT = {"type": "result", "subtype": "success", "is_error": False, "result": "Done.", "modelUsage": {}}


def assistant(*blocks: Any, answer: str = "msg_1", model: str = "claude-sonnet-5") -> Any:
    message = {"id": answer, "model": model, "role": "assistant", "content": list(blocks)}
    return {"type": "assistant", "message": message, "session_id": SESSION}


def bash(name: str, command: Any) -> Any:
    return {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": command, "description": "x"}}


def result(name: str, text: Any, *, error: bool = False, more: Any = None) -> Any:
    block = {"type": "tool_result", "tool_use_id": name, "content": text, "is_error": error}
    return {"type": "user", "message": {"role": "user", "content": [block]}, "tool_use_result": more}


def read(*events: Any, status: int = 0, stopped: str = "") -> AgentRun:
    stdout = b"\n".join(json.dumps(event).encode() for event in events)
    return ACTING.read([ProcessResult(status, stdout, stopped=stopped)], b"")


def test_each_command_is_told_with_how_it_ended() -> None:
    acted = read(
        assistant({"type": "text", "text": "I'll look."}, bash("a", "pytest -q")),
        result("a", "Exit code 1\n1 failed", error=True, more="Error: Exit code 1\n1 failed"),
        assistant(
            bash("b", "grep x y"), bash("c", "ls"), bash("d", "sleep 9 &"), bash("e", "rm -rf /"), answer="msg_2"
        ),
        result("b", "(Bash completed with no output)", more={"returnCodeInterpretation": "No matches found"}),
        result("c", [{"type": "text", "text": "app.py"}], more={"stdout": "app.py"}),
        result("d", "Command running in background with ID: b1. Output is …"),
        result("e", "<tool_use_error>Error: No such tool available: Bash.</tool_use_error>", error=True),
        assistant({"type": "text", "text": "Done."}, answer="msg_3"),
        RESULT,
    )
    found = [(command.text, command.status, command.output) for command in acted.commands]
    assert found[0] == ("pytest -q", 1, "1 failed")
    assert [status for _, status, _ in found] == [1, 1, 0, None]
    assert found[2][2] == "app.py"
    assert (acted.turns, acted.model, acted.session, acted.response) == (3, "claude-sonnet-5", SESSION, "Done.")
    assert acted.tool_calls == ("Bash",) * 5
    assert acted.problem is None


def test_a_command_in_the_background_is_known_once_it_ended() -> None:
    acted = read(
        assistant(bash("a", "make")),
        result("a", "Command running in background with ID: b1."),
        {
            "type": "system",
            "subtype": "task_notification",
            "tool_use_id": "a",
            "summary": 'Background command "x" failed (exit code 2)',
        },
        RESULT,
    )
    assert acted.commands[0].status == 2


@pytest.mark.parametrize(
    "odd", [{"type": "user", "message": {"content": 3}}, [], "x", {"type": "assistant", "message": None}, {}]
)
def test_odd_events_are_left_out(odd: Any) -> None:
    acted = read(odd, assistant(bash("a", ["not", "text"])), odd, RESULT)
    assert acted.commands[0].text == ""
    assert acted.response == "Done."


@pytest.mark.parametrize(
    ("event", "kind", "early"),
    [
        ({"subtype": "error_max_turns", "is_error": True, "errors": ["Reached …"]}, FailureKind.OUT_OF_TURNS, True),
        ({"is_error": True, "api_error_status": 500, "result": "API Error"}, FailureKind.OVERLOADED, False),
        ({"is_error": True, "api_error_status": 401, "result": "no"}, FailureKind.LOGIN, False),
    ],
)
def test_a_limit_is_no_failure_of_the_model(event: Any, kind: FailureKind, early: bool) -> None:
    acted = read({**RESULT, **event}, status=1 if event.get("is_error") else 0)
    assert acted.problem
    assert (acted.problem.kind, acted.stopped_early) == (kind, early)


def test_what_we_ended_keeps_what_it_did() -> None:
    acted = read(assistant(bash("a", "sleep 99")), status=-9, stopped="timed_out")
    assert acted.problem
    assert (acted.problem.kind, acted.stopped_early) == (FailureKind.TIMED_OUT, True)
    assert [(command.text, command.status) for command in acted.commands] == [("sleep 99", None)]


def test_nothing_that_someone_wrote_becomes_an_option() -> None:
    setup, way = Setup(model="m"), RelayRoute(environ={"ANTHROPIC_API_KEY": "dummy"})
    turn = ACTING.turn("--help /etc", INSTALLED, way, setup=setup, turns=7, session=SESSION)
    assert turn.stdin == b"--help /etc"
    assert not any("--help" in word for word in turn.argv)
    assert turn.argv[turn.argv.index("--max-turns") + 1] == "7"
    assert turn.argv[turn.argv.index("--resume") + 1] == SESSION
    environ = json.loads(turn.argv[turn.argv.index("--settings") + 1])["env"]
    assert environ["ANTHROPIC_UNIX_SOCKET"] == turn.environ["ANTHROPIC_UNIX_SOCKET"] == "/run/model.sock"
    assert environ["CLAUDE_CODE_USE_BEDROCK"] == environ["CLAUDE_CODE_OAUTH_TOKEN"] == ""
    assert (environ["BASH_MAX_TIMEOUT_MS"], turn.environ["HOME"]) == ("300000", "/home/replay")
    with pytest.raises(CallFailed, match="session"):
        ACTING.turn("x", INSTALLED, way, setup=setup, turns=7, session="--mcp-config=/x")


def way_of(files: dict[str, bytes] | None = None, setup: Setup | None = None, **environ: str) -> RelayRoute:
    return ACTING.way(files or {}, environ, setup or Setup())


def test_a_key_goes_to_its_address_and_a_dummy_goes_inside() -> None:
    way = way_of(ANTHROPIC_API_KEY="sk-real")
    assert (way.address, way.headers) == ("https://api.anthropic.com", {"x-api-key": "sk-real"})
    assert "sk-real" not in str(way.environ) + repr(way)
    gateway = way_of(
        ANTHROPIC_AUTH_TOKEN="t",
        ANTHROPIC_BASE_URL="http://gateway/x",
        ANTHROPIC_CUSTOM_HEADERS="X-Team: a\nnonsense",
    )
    assert (gateway.address, gateway.headers) == ("http://gateway/x", {"authorization": "Bearer t", "x-team": "a"})
    named = way_of(setup=Setup(base_url="http://127.0.0.1:1", key_env="MINE"), MINE="k", ANTHROPIC_API_KEY="other")
    assert (named.address, named.headers) == ("http://127.0.0.1:1", {"x-api-key": "k"})
    assert list(named.environ) == ["ANTHROPIC_API_KEY"]


def test_a_subscription_goes_to_its_own_address_only() -> None:
    way = way_of(CLAUDE_CODE_OAUTH_TOKEN="oat")
    assert (way.headers, way.subscription) == ({"authorization": "Bearer oat"}, True)
    assert list(way.environ) == ["CLAUDE_CODE_OAUTH_TOKEN"]
    login = {"claudeAiOauth": {"accessToken": "oat2", "scopes": ["user:inference"], "refreshToken": "renew"}}
    found = way_of({".credentials.json": json.dumps(login).encode()})
    assert found.headers == {"authorization": "Bearer oat2"}
    elsewhere = way_of(CLAUDE_CODE_OAUTH_TOKEN="oat", ANTHROPIC_BASE_URL="http://gateway")
    assert "subscription" in elsewhere.problem
    assert not elsewhere.headers


@pytest.mark.parametrize("environ", [{"CLAUDE_CODE_USE_BEDROCK": "1"}, {"CLAUDE_CODE_USE_VERTEX": "true"}, {}])
def test_what_cannot_be_used_is_said_in_words(environ: dict[str, str]) -> None:
    way = ACTING.way({}, environ, Setup())
    assert way.problem
    assert way.remedy
    assert not way.headers
