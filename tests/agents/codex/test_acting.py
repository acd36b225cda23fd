"""How `codex` is started in a seal, what its events tell, and which logins the relay can use."""

import json
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.acting import AgentRun, Installed, RelayRoute
from skillopt_sleep.protocols.program import Setup

ACTING = AGENTS["codex"].acting
INSTALLED = Installed(("/opt/codex",), frozenset({Path("/opt/codex")}), path=(Path("/opt/tools"),))
SESSION = "01a21544-9d11-7e52-a72b-7dd9af46c4cc"
BEGUN = {"type": "thread.started", "thread_id": SESSION}
TURN, ENDED = {"type": "turn.started"}, {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}}


def item(kind: str, name: str, *, when: str = "completed", **fields: Any) -> Any:
    return {"type": f"item.{when}", "item": {"id": name, "type": kind, **fields}}


def ran(name: str, command: str, status: int | None, output: str = "") -> Any:
    return item("command_execution", name, command=command, exit_code=status, aggregated_output=output)


def begun(name: str, command: str) -> Any:
    fields = {"command": command, "exit_code": None, "aggregated_output": ""}
    return item("command_execution", name, when="started", **fields)


def run(*events: Any, status: int = 0, stopped: str = "") -> ProcessResult:
    return ProcessResult(status, b"\n".join(json.dumps(event).encode() for event in events), stopped=stopped)


def read(*runs: ProcessResult, transcript: bytes = b"") -> AgentRun:
    return ACTING.read(runs, transcript)


def test_each_command_is_told_as_the_model_wrote_it_with_how_it_ended() -> None:
    acted = read(
        run(
            *(BEGUN, TURN, item("agent_message", "item_0", text="I'll look.")),
            begun("item_1", "/usr/bin/bash -lc 'pytest -q; echo \"$?\"'"),
            ran("item_1", "/usr/bin/bash -lc 'pytest -q; echo \"$?\"'", 1, "1 failed\n"),
            item("file_change", "item_2", changes=[{"path": "/r/a", "kind": "update"}], status="completed"),
            begun("item_3", "/usr/bin/bash -lc 'sleep 99'"),
            *(ran("item_4", "/bin/zsh -lc ls", -1), ran("item_5", "it's odd", 0)),
            *(item("agent_message", "item_6", text="Done."), ENDED),
        )
    )
    found = [(command.text, command.status) for command in acted.commands]
    assert found == [('pytest -q; echo "$?"', 1), ("sleep 99", None), ("ls", None), ("it's odd", 0)]
    assert acted.tool_calls == ("exec_command", "apply_patch", "exec_command", "exec_command", "exec_command")
    assert (acted.response, acted.session, acted.problem) == ("Done.", SESSION, None)


def test_later_runs_count_their_items_anew() -> None:
    first = run(BEGUN, TURN, ran("item_0", "bash -lc a", 0), item("agent_message", "item_1", text="One."), ENDED)
    second = run(BEGUN, TURN, ran("item_0", "bash -lc b", 1), item("agent_message", "item_1", text="Two."), ENDED)
    acted = read(first, second)
    assert [(command.text, command.status) for command in acted.commands] == [("a", 0), ("b", 1)]
    assert acted.response == "Two."


def test_the_session_file_tells_the_model_and_how_often_it_answered() -> None:
    lines = [
        {"type": "turn_context", "payload": {"model": "gpt-5.5"}},
        {"type": "token_usage_record", "payload": {}},
        {"type": "token_usage_record", "payload": {}},
        {"type": "turn_context", "payload": 3},
    ]
    transcript = b"\n".join(json.dumps(line).encode() for line in lines) + b"\nnonsense"
    acted = read(run(BEGUN, TURN, item("agent_message", "i", text="Done."), ENDED), transcript=transcript)
    assert (acted.turns, acted.model) == (2, "gpt-5.5")


@pytest.mark.parametrize(
    ("last", "status", "stopped", "kind", "early"),
    [
        (
            {"type": "turn.failed", "error": {"message": "unexpected status 500"}},
            1,
            "",
            FailureKind.OVERLOADED,
            False,
        ),
        ({"type": "turn.failed", "error": {"message": "unexpected status 401 x"}}, 1, "", FailureKind.LOGIN, False),
        ({}, 137, "", FailureKind.KILLED, False),
        ({}, -15, "timed_out", FailureKind.TIMED_OUT, True),
        ({}, -15, "flooded", FailureKind.FLOODED, True),
    ],
)
def test_a_limit_is_no_failure_of_the_model(
    last: Any, status: int, stopped: str, kind: FailureKind, early: bool
) -> None:
    acted = read(run(BEGUN, TURN, last, status=status, stopped=stopped))
    assert acted.problem
    assert (acted.problem.kind, acted.stopped_early) == (kind, early)


def test_nothing_that_someone_wrote_becomes_an_option() -> None:
    setup, way = Setup(model="m"), RelayRoute(environ={"SEALED_MODEL_KEY": "dummy"})

    def turn(session: str) -> Any:
        return ACTING.turn("--help", INSTALLED, way, setup=setup, turns=40, session=session)

    first, later = turn(""), turn(SESSION)
    assert first.stdin == b"--help"
    assert "--help" not in first.argv
    assert first.argv[-1] == "-"
    assert later.argv[later.argv.index("resume") + 1] == SESSION
    assert "resume" not in first.argv
    assert first.environ["PATH"].endswith(":/opt/tools")
    assert first.environ["CODEX_HOME"] == "/home/replay/.codex"
    with pytest.raises(CallFailed, match="session"):
        turn("--last")


def way_of(files: dict[str, bytes] | None = None, setup: Setup | None = None, **environ: str) -> RelayRoute:
    return ACTING.way(files or {}, environ, setup or Setup())


def test_a_key_goes_to_its_address_and_a_dummy_goes_inside() -> None:
    way = way_of(CODEX_API_KEY="sk-real", OPENAI_ORGANIZATION="org-1")
    assert way.address == "https://api.openai.com"
    assert way.headers == {"authorization": "Bearer sk-real", "openai-organization": "org-1"}
    assert "sk-real" not in str(way.environ) + repr(way)
    named = way_of(setup=Setup(base_url="http://127.0.0.1:1/v1", key_env="MINE"), MINE="k", OPENAI_PROJECT="p")
    assert (named.address, named.headers) == ("http://127.0.0.1:1/v1", {"authorization": "Bearer k"})
    file = {"auth.json": b'{"auth_mode": "apikey", "OPENAI_API_KEY": "sk-file"}'}
    assert way_of(file).headers == {"authorization": "Bearer sk-file"}


def test_a_chatgpt_login_cannot_be_used_and_the_reason_is_said() -> None:
    tokens = {"id_token": "a.b.c", "access_token": "a.b.c", "refresh_token": "r", "account_id": "1"}
    way = way_of({"auth.json": json.dumps({"auth_mode": "chatgpt", "tokens": tokens}).encode()})
    assert "ChatGPT" in way.problem
    assert "api_key_env" in way.remedy
    assert not way.headers
    assert way_of().problem
