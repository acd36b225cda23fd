"""A model server on this machine: called by its address, free, no consent, and a night at its pace."""

from typing import Any

import pytest

from skillopt_sleep.backends.openai import OpenAIBackend
from skillopt_sleep.cli.init_asked import local_servers
from skillopt_sleep.cli.init_shown import next_lines
from skillopt_sleep.cli.plan import dollars, recipients
from skillopt_sleep.daemon.conditions import lacking
from skillopt_sleep.doctor.findings import Topic
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.records import Prompt, Purpose, Usage, model_names
from skillopt_sleep.settings import BackendSettings, RoleSettings, Settings, load
from skillopt_sleep.wiring import harvest_rules, mine_rules
from skillopt_sleep.wiring.models import choose, destination, tariff_of, unconfirmed
from tests.builders import a_prompt
from tests.cli.test_init_shown import AHEAD
from tests.command import Home
from tests.doctor.machine import Machine
from tests.server import MODEL, ModelServer
from tests.terminal import typed

ADDRESS = "http://127.0.0.1:8077/v1"
USAGE = Usage(input_tokens=1000, output_tokens=1000)


def local(address: str = ADDRESS, **fields: Any) -> Settings:
    return Settings(backend=BackendSettings(name="openai", model="qwen", base_url=address, **fields))


@pytest.mark.parametrize("host", ["127.0.0.1:8077", "localhost:8077", "[::1]:8077", "127.8.8.8:8077"])
def test_it_is_called_by_its_address_costs_nothing_and_needs_no_consent(machine: Machine, host: str) -> None:
    settings = local(f"http://{host}/v1")
    assert destination(settings) == f"the server at {host} on this machine (qwen)"
    assert unconfirmed(settings) == ()
    assert recipients(settings) == ()
    assert lacking(settings) == ""
    assert dollars(settings) == 0.0
    model = choose(settings, machine.paths, machine.environ).optimizer
    assert model.price("qwen", USAGE) == 0.0
    assert model.name == f"qwen@http://{host}/v1"
    assert model_names(model.name) == "qwen"


@pytest.mark.parametrize(
    "elsewhere",
    [
        local("http://127.0.0.1.evil.example/v1"),
        local("http://192.168.0.7:8077/v1"),
        local("http://ada@llm.example:8077/v1#127.0.0.1"),
        local(api_key_env="GATEWAY_KEY"),  # it may pass on what it is sent, and be paid for that
    ],
)
def test_any_other_address_and_one_with_a_key_of_its_own_needs_consent_and_has_no_known_price(
    elsewhere: Settings,
) -> None:
    assert unconfirmed(elsewhere) == ("openai",)
    assert recipients(elsewhere)
    assert dollars(elsewhere) is None


def test_a_price_that_was_set_counts_here_too() -> None:
    settings = local()
    assert tariff_of(settings.backend, settings.prices) == (0.0, 0.0)
    own = {"qwen": (1.0, 2.0)}
    assert tariff_of(settings.backend, own) == (1.0, 2.0)


def test_beside_one_elsewhere_only_that_one_needs_consent(machine: Machine) -> None:
    machine.configured(
        f'[backend]\nname = "openai"\nmodel = "qwen"\nbase_url = "{ADDRESS}"\n[target]\nname = "claude"\n'
    )
    settings = load(machine.paths, environ={})
    names = unconfirmed(settings)
    assert names == ("claude",)
    assert "server" not in destination(settings, names)
    both = Settings(backend=BackendSettings(name="openai", model="m"), judge=RoleSettings(base_url=ADDRESS))
    assert "8077" not in destination(both, unconfirmed(both))


def test_a_night_is_planned_for_its_pace_unless_something_else_is_set(machine: Machine) -> None:
    here = f'[backend]\nname = "openai"\nmodel = "qwen"\nbase_url = "{ADDRESS}"\n'
    machine.configured(here)
    settings = load(machine.paths, environ={})
    assert (settings.backend.timeout, settings.night.workers) == ("30m", 2)
    assert settings.backend.max_output_tokens > 0
    assert mine_rules(settings).sessions_per_call == 1
    assert harvest_rules(settings, machine.paths)
    machine.configured(f'{here}timeout = "300s"\nmax_output_tokens = 0\n[night]\nworkers = 4\n')
    settings = load(machine.paths, environ={})
    assert (settings.backend.timeout, settings.night.workers, settings.backend.max_output_tokens) == ("300s", 4, 0)
    assert load(machine.paths, environ={}, flags={"backend.base_url": "https://llm.example/v1"}).night.workers == 4
    machine.configured('[backend]\nname = "claude"\n')
    assert load(machine.paths, environ={}) == Settings(backend=BackendSettings(name="claude"))
    assert mine_rules(load(machine.paths, environ={})).sessions_per_call > 1


def test_what_is_sent_there_goes_through_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with ModelServer() as server:
        model = OpenAIBackend(
            model=MODEL, base_url=server.base_url, api_key="", api_key_env="OPENAI_API_KEY", timeout=20
        )
        assert model.complete(a_prompt()).text
        (found,) = local_servers([server.base_url])
    assert found.models == (MODEL,)


class Waiting(OpenAIBackend):
    """Notes how long it would wait for an answer, and gets none."""

    async def _send(self, prompt: Prompt, *, structured: bool, seconds: float) -> Any:
        raise CallFailed(FailureKind.TIMED_OUT, f"{seconds:.0f}")


@pytest.mark.parametrize(("address", "waits"), [(ADDRESS, "1800"), ("http://llm.example/v1", "30")])
def test_a_first_call_waits_until_the_server_has_loaded_its_model(address: str, waits: str) -> None:
    model = Waiting(model="m", base_url=address, api_key="", api_key_env="OPENAI_API_KEY", timeout=1800)
    with pytest.raises(CallFailed, match=rf"^{waits}\b"):
        model.complete(a_prompt(purpose=Purpose.PREFLIGHT))


def test_servers_that_answer_are_offered_with_their_models_and_others_are_not() -> None:
    with ModelServer() as server, ModelServer() as without:
        without.models = "no_route"
        found = local_servers([server.base_url, without.base_url, "http://127.0.0.1:9/v1"])
        (offer,) = found
    assert (offer.name, offer.base_url, offer.models) == ("openai", server.base_url, (MODEL,))


def test_the_doctor_says_that_nothing_leaves_the_machine(machine: Machine) -> None:
    with ModelServer() as server:
        machine.configured(f'[backend]\nname = "openai"\nmodel = "{MODEL}"\nbase_url = "{server.base_url}"\n')
        assert machine.problems() == []
        assert "needs no consent" in machine.says(Topic.CONSENT)
        assert "openai" not in machine.says(Topic.CONSENT) + machine.says(Topic.MODELS)


def test_the_next_step_asks_for_no_consent() -> None:
    steps = "\n".join(next_lines(local(), AHEAD))
    assert "--backend" not in steps
    assert "skillopt-sleep install" in steps


@pytest.mark.slow
def test_a_night_with_it_runs_by_itself_and_the_next_plan_says_how_long_one_takes(home: Home) -> None:
    with ModelServer() as server:
        (home.folder / "sleep").mkdir()
        here = f'[backend]\nname = "openai"\nmodel = "{MODEL}"\nbase_url = "{server.base_url}"\n'
        (home.folder / "sleep" / "config.toml").write_text(here, encoding="utf-8")
        plan = home.command("run", "--plan").out
        assert "to nobody else" in plan
        assert "at most $0.00" in plan
        assert "openai" not in plan
        assert "minutes at" not in plan
        night = home.command("run", "--json")
        assert night.code == 0, night.err
        home.had_sessions([("cut a release", "no - we always use pnpm here, never npm")], days_ago=1)
        assert "as the last nights" in " ".join(home.command("run", "--plan").out.split())
        assert "openai" not in home.command("report", "--cost").out


@pytest.mark.slow
def test_on_a_terminal_it_is_a_choice_by_its_address_and_no_consent_is_asked_for(home: Home) -> None:
    with ModelServer() as server:
        (home.folder / "sleep").mkdir()
        here = f'[backend]\nname = "openai"\nmodel = "m"\nbase_url = "{server.base_url}"\n'
        (home.folder / "sleep" / "config.toml").write_text(here, encoding="utf-8")
        out = home.command("init", "--yes").out
        assert f"init --yes --backend openai --base-url {server.base_url} --model {MODEL}" in out
        address = server.base_url.removeprefix("http://").removesuffix("/v1")
        done = typed(home, "init", answers=[address, MODEL, "", "", "", "", ""])
    assert done.code == 0, done.out
    assert "Allow every night" not in done.out
    assert f"the server at {address} on this machine" in " ".join(done.out.split())


@pytest.fixture
def home(tmp_path: Any) -> Home:
    home = Home(tmp_path)
    home.had_sessions()
    return home
