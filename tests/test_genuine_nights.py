"""Whole nights by the genuine `claude` and `codex` against a scripted server, and what they may not touch."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillopt_sleep.records import Purpose
from tests import genuine
from tests.agents_at_night import AGENTS, CLAUDE, CODEX, Agent, Fence, Person, section
from tests.command import ASKS, KEY, ONE_ROUND
from tests.genuine import Programs
from tests.server import Behaviour, ModelServer
from tests.sweeps import WHOLE, sampled

pytestmark = pytest.mark.cli
VERSIONS = {"claude": genuine.CLAUDE, "codex": genuine.CODEX}
IN_WORDS = {Purpose.PREFLIGHT, Purpose.ROLLOUT}
TOKEN, RENEWS = "sk-ant-oat01-made-up", "sk-ant-ort01-made-up"
SUBSCRIPTION = {
    "accessToken": TOKEN,
    "refreshToken": RENEWS,
    "expiresAt": 4102444800000,
    "scopes": ["user:inference", "user:profile"],
    "subscriptionType": "max",
}


@pytest.fixture
def fence() -> Iterator[Fence]:
    with Fence() as fence:
        yield fence


@pytest.fixture
def person(tmp_path: Path, fence: Fence) -> Person:
    person = Person(tmp_path, fence.environ)
    person.had_sessions()
    # Both agents read it, so a trial with either is a proof.
    (person.project / "CLAUDE.md").rename(person.project / "AGENTS.md")
    return person


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def role(agent: Agent, server: ModelServer) -> dict[str, str]:
    return {"name": agent.name, "model": agent.model, "base_url": agent.address(server)}


# Nights of one agent alone are those below, on its login.
@pytest.mark.parametrize(
    "roles",
    [(CLAUDE, CODEX), (CODEX, CLAUDE), *(((CLAUDE, CLAUDE), (CODEX, CODEX)) if WHOLE else ())],
    ids=lambda roles: " with ".join(agent.name for agent in roles),
)
def test_a_whole_night_by_the_persons_own_agents(
    person: Person, server: ModelServer, fence: Fence, programs: Programs, roles: tuple[Agent, Agent]
) -> None:
    optimizer, target = roles
    config = section("backend", **role(optimizer, server), program=getattr(programs, optimizer.name), timeout="60s")
    if target is not optimizer:
        # The program of another role is found in PATH.
        found = getattr(programs, target.name).parent
        person.added["PATH"] = os.pathsep.join((str(found), person.environment["PATH"]))
        config += "confirmed = true\n" + section("target", **role(target, server))
    person.configured(config)
    before = person.own_files()

    rounds = {} if target is optimizer else ONE_ROUND
    done = person.command("run", "--json", "--backend", optimizer.name, **rounds)
    assert done.code == 0, done.err + done.out
    answer, asked = done.json, list(server.requests)
    assert (answer["verdict"], answer["sessions"]["used"], len(answer["proposals"])) == ("improved", len(ASKS), 1)
    assert answer["spend"]["calls"] == len(asked)
    assert answer["spend"]["tokens"] == 120 * len(asked)

    again = person.command("run", "--json", "--backend", optimizer.name, **rounds)
    assert again.json["verdict"] == "nothing_new"
    assert len(server.requests) == len(asked)

    folder = Path(answer["folder"])
    told = {name: json.loads((folder / name).read_bytes()) for name in ("report.json", "diagnostics.json")}
    attempts = [request.protocol for request in asked if request.purpose == Purpose.ROLLOUT]
    others = [request.protocol for request in asked if request.purpose not in IN_WORDS]
    (taught,) = told["report.json"]["documents"]
    after = 2 * len(taught["fresh"]["pairs"]) + 2 * len(taught["kept_back"]["pairs"])
    assert attempts == [target.protocol] * (taught["trial"]["calls"] + after)
    assert set(others) == {optimizer.protocol}
    assert all(request.wants_json is (request.purpose not in IN_WORDS) for request in asked)

    for agent in {optimizer.name: optimizer, target.name: target}.values():
        assert agent.shown(server, VERSIONS[agent.name]) in told["report.json"]["run"]["model"]
    assert told["diagnostics.json"]["run"]["model"] == told["report.json"]["run"]["model"]

    assert person.own_files() == before
    assert list((person.data / "replays").iterdir()) == []
    assert fence.met == []


@pytest.mark.parametrize("login", sampled(["a file that claude wrote", "a token in the environment"], every=2))
def test_a_night_on_a_subscription_costs_nothing_more_and_cannot_renew_the_login(
    person: Person, server: ModelServer, fence: Fence, programs: Programs, login: str
) -> None:
    person.left_out = {"ANTHROPIC_API_KEY"}
    person.added["ANTHROPIC_BASE_URL"] = server.root_url
    if login == "a token in the environment":
        person.added["CLAUDE_CODE_OAUTH_TOKEN"] = TOKEN
    else:
        file = person.folder / ".claude" / ".credentials.json"
        file.write_text(json.dumps({"claudeAiOauth": SUBSCRIPTION}), encoding="utf-8")
    person.configured(section("backend", program=programs.claude, model=CLAUDE.model, timeout="60s"))
    before = person.own_files()
    done = person.command("run", "--json", "--backend", "claude", **ONE_ROUND)
    assert done.code == 0, done.err + done.out
    assert done.json["verdict"] == "improved"
    assert done.json["spend"]["usd"] == 0
    assert {request.headers.get("Authorization") for request in server.requests} == {f"Bearer {TOKEN}"}
    assert RENEWS not in repr(server.requests)
    assert person.own_files() == before
    assert fence.met == []


def test_a_subscription_is_not_sent_to_another_address(
    person: Person, server: ModelServer, programs: Programs
) -> None:
    person.left_out = {"ANTHROPIC_API_KEY"}
    person.added["CLAUDE_CODE_OAUTH_TOKEN"] = TOKEN
    person.configured(section("backend", **role(CLAUDE, server), program=programs.claude))
    done = person.command("run", "--json", "--backend", "claude")
    assert (done.code, done.json["verdict"]) == (4, "backend_failed")
    assert "another address" in done.json["because"]
    assert server.requests == []


def test_codex_by_its_own_login_goes_to_openai_alone_and_leaves_the_login_as_it_is(
    person: Person, fence: Fence, programs: Programs
) -> None:
    """What it would be told there no loopback server can say: the fence shows where it wants to go."""
    person.left_out = {"OPENAI_API_KEY"}
    login = {"auth_mode": "apikey", "OPENAI_API_KEY": KEY}
    (person.folder / ".codex" / "auth.json").write_text(json.dumps(login), encoding="utf-8")
    person.configured(section("backend", program=programs.codex, model=CODEX.model, timeout="8s"))
    before = person.own_files()
    done = person.command("run", "--json", "--backend", "codex")
    assert (done.code, done.json["verdict"]) == (1, "backend_failed"), done.out
    assert set(fence.met) == {"CONNECT api.openai.com:443 HTTP/1.1"}
    assert person.own_files() == before


def test_auto_takes_the_agent_that_is_logged_in_and_says_why(
    person: Person, server: ModelServer, fence: Fence, programs: Programs
) -> None:
    person.left_out = {"OPENAI_API_KEY"}
    person.added["ANTHROPIC_BASE_URL"] = server.root_url
    folder = programs.claude.parent
    person.added["PATH"] = f"{folder}:{person.environment['PATH']}"
    done = person.command("run", "--json", "--backend", "auto", **ONE_ROUND)
    assert done.code == 0, done.err + done.out
    report = json.loads((Path(done.json["folder"]) / "report.json").read_bytes())
    assert report["run"]["model"] == f"claude:default ({genuine.CLAUDE}) (auto: the key in ANTHROPIC_API_KEY)"
    assert fence.met == []


# What each program makes of each outage is told in test_genuine_failures.
OUTAGES: dict[Behaviour, int] = {"unauthorized": 4, "not_found": 1, "usage_limit": 1, "html": 1}
CASES = [(agent, outage) for outage in OUTAGES for agent in AGENTS]
# Every outage once, in turns with one agent and the other.
IN_TURNS = list(zip(AGENTS * 2, OUTAGES, strict=True))


@pytest.mark.parametrize(("agent", "outage"), CASES if WHOLE else IN_TURNS, ids=lambda one: getattr(one, "name", one))
def test_an_outage_ends_the_night_and_costs_no_session(
    person: Person, server: ModelServer, programs: Programs, agent: Agent, outage: Behaviour
) -> None:
    person.configured(section("backend", **role(agent, server), program=getattr(programs, agent.name), timeout="60s"))
    server.behaviour = outage
    done = person.command("run", "--json", "--backend", agent.name)
    assert (done.code, done.json["verdict"]) == (OUTAGES[outage], "backend_failed"), done.out
    assert done.json["because"]
    assert done.json["remedy"]
    server.behaviour = "healthy"
    healthy = person.command("run", "--json", "--backend", agent.name, **ONE_ROUND).json
    assert (healthy["verdict"], healthy["sessions"]["used"]) == ("improved", len(ASKS))


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_the_fence_meets_whoever_wants_to_leave(
    person: Person, fence: Fence, programs: Programs, agent: Agent
) -> None:
    program = getattr(programs, agent.name)
    keys = {"program": program, "model": agent.model, "base_url": "https://outside.invalid/v1", "timeout": "8s"}
    person.configured(section("backend", **keys))
    done = person.command("run", "--json", "--backend", agent.name)
    assert (done.code, done.json["verdict"]) == (1, "backend_failed"), done.out
    assert set(fence.met) == {"CONNECT outside.invalid:443 HTTP/1.1"}
