"""Every kind of model call once through the genuine `claude` and `codex`, against a scripted server."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillopt_sleep.kit.codec import strict_schema
from skillopt_sleep.prompts import template
from skillopt_sleep.prompts.grading import UNSEEN
from skillopt_sleep.records import Prompt, Purpose
from tests.agents_at_night import AGENTS, CLAUDE, CODEX, Agent, Fence
from tests.asked import Call, all_calls, an_answer
from tests.genuine import Programs
from tests.server import ModelServer
from tests.server_protocols import Said
from tests.test_genuine_failures import Bench

pytestmark = pytest.mark.cli

NAMES = {Purpose.PROVE: "grade", Purpose.JUDGE: "grade"}


@pytest.fixture
def bench(tmp_path: Path, programs: Programs) -> Iterator[Bench]:
    with Fence() as fence:
        yield Bench(tmp_path, programs, fence)


@pytest.mark.parametrize("call", all_calls(), ids=str)
@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_a_call_is_answered_as_it_wants(bench: Bench, agent: Agent, call: Call) -> None:
    answer = json.dumps(an_answer(call.schema)) if call.schema else "ready"
    text = template(NAMES.get(call.purpose, call.purpose.value))
    if call.purpose is Purpose.PROVE:
        text += UNSEEN
    with ModelServer() as server:
        server.acts = lambda asked: Said(answer)
        prompt = Prompt(purpose=call.purpose, text=text, schema=call.schema)
        done = bench.backend(agent, agent.address(server)).complete(prompt)
    (asked,) = server.requests
    assert asked.purpose == call.purpose
    if call.schema is None:
        assert done.text == answer
        return
    assert isinstance(done.structured, call.schema)
    if agent is CLAUDE:
        assert [tool["name"] for tool in asked.body["tools"]] == ["StructuredOutput"]
    if agent is CODEX:
        assert asked.body["text"]["format"]["schema"] == strict_schema(call.schema)
        assert asked.body["text"]["format"]["strict"] is True
    assert bench.fence.met == []
