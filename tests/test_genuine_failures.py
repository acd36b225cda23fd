"""What goes wrong with the genuine `claude` and `codex`, by the server or around them, and the type it is given."""

import os
import re
import signal
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from skillopt_sleep.backends.cli import CliBackend
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.protocols.program import Setup
from skillopt_sleep.records import Prompt
from tests.agents_at_night import AGENTS, CLAUDE, CODEX, LOGINS, Agent, Fence
from tests.builders import a_prompt
from tests.command import KEY
from tests.genuine import Programs
from tests.server import Asked, Behaviour, ModelServer
from tests.sweeps import WHOLE

pytestmark = pytest.mark.cli
PATIENCE, SHORT = 60.0, 3.0
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


class Bench:
    """A person's program with one login, asked for one answer after the other."""

    def __init__(self, folder: Path, programs: Programs, fence: Fence) -> None:
        self.folder, self.programs, self.fence = folder, programs, fence
        self.environ = {"PATH": os.environ["PATH"], **fence.environ, **dict.fromkeys(LOGINS, KEY)}

    def backend(
        self, agent: Agent, address: str, *, timeout: float = PATIENCE, program: Path | None = None, most: int = 0
    ) -> CliBackend:
        return CliBackend(
            agent.dialect,
            setup=Setup(model=agent.model, base_url=address, max_output_tokens=most),
            program=str(program or getattr(self.programs, agent.name)),
            environ=self.environ,
            home=self.folder,
            folder=self.folder / "replays",
            timeout=timeout,
        )

    def failure(self, backend: CliBackend, prompt: Prompt | None = None) -> CallFailed:
        """What the call fails with; nothing of it is left, and nobody went outside."""
        with pytest.raises(CallFailed) as failed:
            backend.complete(prompt or a_prompt())
        assert failed.value.message
        assert failed.value.remedy
        replays = self.folder / "replays"
        assert not replays.exists() or list(replays.iterdir()) == []
        assert self.fence.met == []
        return failed.value


@pytest.fixture
def bench(tmp_path: Path, programs: Programs) -> Iterator[Bench]:
    with Fence() as fence:
        yield Bench(tmp_path, programs, fence)


class Case(NamedTuple):
    """What the server does, what each program's failure is then, and how often each asks."""

    behaviour: Behaviour
    claude: FailureKind
    codex: FailureKind
    claude_asks: int = 1
    schema: type[SelectReply] | None = None
    late: bool = False


# Where the two differ, the id says which of them cannot tell what it was.
CASES: Mapping[str, Case] = {
    "a key that is refused": Case("unauthorized", FailureKind.LOGIN, FailureKind.LOGIN),
    "a key that may not": Case("forbidden", FailureKind.LOGIN, FailureKind.LOGIN),
    "no such model": Case("not_found", FailureKind.MODEL, FailureKind.MODEL, 2),
    "no money left": Case("quota", FailureKind.QUOTA, FailureKind.QUOTA),
    "too many requests": Case("rate_limited", FailureKind.RATE_LIMITED, FailureKind.RATE_LIMITED),
    "an error of the server": Case("error500", FailureKind.OVERLOADED, FailureKind.OVERLOADED),
    "overloaded": Case("overloaded", FailureKind.OVERLOADED, FailureKind.OVERLOADED),
    "overloaded once the answer had begun": Case(
        "overloaded", FailureKind.OVERLOADED, FailureKind.OVERLOADED, late=True
    ),
    "too long a prompt": Case("context_too_long", FailureKind.TOO_LONG, FailureKind.TOO_LONG),
    "refused, which codex passes on as nothing": Case("refusal", FailureKind.REFUSED, FailureKind.EMPTY, 2),
    "an empty answer": Case("empty", FailureKind.EMPTY, FailureKind.EMPTY, 2),
    "no answer in the reply": Case("no_choices", FailureKind.EMPTY, FailureKind.EMPTY, 2),
    "an empty body": Case("empty_body", FailureKind.MALFORMED, FailureKind.MALFORMED),
    "words for JSON": Case("garbage_body", FailureKind.MALFORMED, FailureKind.MALFORMED),
    "half of the JSON": Case("half_json", FailureKind.MALFORMED, FailureKind.MALFORMED),
    "a page": Case("html", FailureKind.MALFORMED, FailureKind.MALFORMED),
    "words where a schema was given": Case(
        "garbage", FailureKind.MALFORMED, FailureKind.MALFORMED, 2, schema=SelectReply
    ),
    "an answer that is cut off": Case("cut_off", FailureKind.MALFORMED, FailureKind.MALFORMED, 4),
    "a stream that breaks, which codex can't tell from a bad one": Case(
        "cut_stream", FailureKind.UNREACHABLE, FailureKind.MALFORMED
    ),
    "a connection that is dropped": Case("reset", FailureKind.UNREACHABLE, FailureKind.UNREACHABLE),
    "a flood": Case("flood", FailureKind.FLOODED, FailureKind.FLOODED),
}


# Every failure once, in turns with one agent and the other.
PAIRS = [(agent, name) for name in CASES for agent in AGENTS]
IN_TURNS = [(AGENTS[place % len(AGENTS)], name) for place, name in enumerate(CASES)]


@pytest.mark.parametrize(("agent", "name"), PAIRS if WHOLE else IN_TURNS, ids=lambda one: getattr(one, "name", one))
def test_a_failure_of_the_server_has_its_type(bench: Bench, server: ModelServer, agent: Agent, name: str) -> None:
    case = CASES[name]
    server.behaviour, server.late_errors = case.behaviour, case.late
    error = bench.failure(bench.backend(agent, agent.address(server)), a_prompt(schema=case.schema))
    assert error.kind is (case.claude if agent is CLAUDE else case.codex), error.message
    assert len(server.requests) == (case.claude_asks if agent is CLAUDE else 1)


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
@pytest.mark.parametrize("behaviour", ["hang", "slow_drip"])
def test_an_answer_that_never_ends_is_timed_out(
    bench: Bench, server: ModelServer, agent: Agent, behaviour: Behaviour
) -> None:
    server.behaviour = behaviour
    began = time.monotonic()
    error = bench.failure(bench.backend(agent, agent.address(server), timeout=SHORT))
    assert error.kind is FailureKind.TIMED_OUT
    assert SHORT <= time.monotonic() - began < SHORT + 5


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_nobody_listening_is_unreachable(bench: Bench, agent: Agent) -> None:
    """By itself `codex` would wait for the network for ever."""
    assert bench.failure(bench.backend(agent, NOWHERE, timeout=2 * SHORT)).kind is FailureKind.UNREACHABLE


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda number: number.name)
def test_a_program_that_is_killed_in_the_middle(
    bench: Bench, server: ModelServer, agent: Agent, number: signal.Signals
) -> None:
    where = bench.folder / "pid"
    program = bench.folder / agent.name
    program.write_text(f'#!/bin/sh\necho $$ > "{where}"\nexec "{getattr(bench.programs, agent.name)}" "$@"\n')
    program.chmod(0o700)

    def kills(asked: Asked) -> Behaviour:
        os.kill(int(where.read_text()), number)
        return "hang"

    server.behaviour = kills
    error = bench.failure(bench.backend(agent, agent.address(server), program=program))
    assert error.kind is FailureKind.KILLED, error.message


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_no_login_asks_nothing(bench: Bench, server: ModelServer, agent: Agent) -> None:
    for name in LOGINS:
        del bench.environ[name]
    assert bench.failure(bench.backend(agent, agent.address(server))).kind is FailureKind.LOGIN
    assert server.requests == []


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_a_program_that_is_not_there(bench: Bench, server: ModelServer, agent: Agent) -> None:
    backend = bench.backend(agent, agent.address(server), program=bench.folder / "nothing")
    assert bench.failure(backend).kind is FailureKind.NOT_INSTALLED
    with pytest.raises(CallFailed, match="nothing is not installed"):
        assert backend.version
    assert server.requests == []


def test_claude_names_when_the_limit_of_a_subscription_ends(bench: Bench, server: ModelServer) -> None:
    del bench.environ["ANTHROPIC_API_KEY"]
    bench.environ |= {"CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-made-up", "ANTHROPIC_BASE_URL": server.root_url}
    server.behaviour = "usage_limit"
    error = bench.failure(bench.backend(CLAUDE, ""))
    assert error.kind is FailureKind.QUOTA
    assert f"until {datetime.fromtimestamp(server.resets_at, UTC):%Y-%m-%d %H:%M} UTC" in error.message
    assert error.usd == 0
    assert len(server.requests) == 1


def test_claude_with_a_key_takes_the_limit_of_a_subscription_for_too_many_requests(
    bench: Bench, server: ModelServer
) -> None:
    server.behaviour = "usage_limit"
    assert bench.failure(bench.backend(CLAUDE, server.root_url)).kind is FailureKind.RATE_LIMITED


def test_codex_names_when_the_limit_of_a_subscription_ends(bench: Bench, server: ModelServer) -> None:
    server.behaviour = "usage_limit"
    error = bench.failure(bench.backend(CODEX, server.base_url))
    assert error.kind is FailureKind.QUOTA
    assert re.search(r"try again at .*\d+:\d\d [AP]M, as it says", error.remedy)


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_neither_program_passes_on_how_long_a_server_asks_to_wait(
    bench: Bench, server: ModelServer, agent: Agent
) -> None:
    server.behaviour = "rate_limited"
    assert bench.failure(bench.backend(agent, agent.address(server))).retry_after is None


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_an_answer_without_usage_has_an_unknown_price(bench: Bench, server: ModelServer, agent: Agent) -> None:
    server.behaviour = "no_usage"
    answered = bench.backend(agent, agent.address(server)).complete(a_prompt())
    assert (answered.usage, answered.usd) == (None, None)
    assert answered.text


def test_claude_is_told_how_long_an_answer_may_be(bench: Bench, server: ModelServer) -> None:
    agent = next(agent for agent in AGENTS if agent.name == "claude")
    bench.backend(agent, agent.address(server), most=777).complete(a_prompt())
    assert {asked.body["max_tokens"] for asked in server.requests if "max_tokens" in asked.body} == {777}
