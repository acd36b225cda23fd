from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillopt_sleep.cli.init_asked import Given, Offer, offers, taken
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.settings import BackendSettings, Settings
from tests.doctor.machine import CLAUDE_VERSION, KEY, Machine

CLAUDE, CODEX = Offer("claude", ready=False, says="no login"), Offer("codex", ready=True, says="a login")
OPENAI = Offer("openai", ready=True, says="a key")


def test_the_agent_that_is_logged_in_is_taken_and_never_an_api() -> None:
    assert taken(Given(), (CLAUDE, CODEX, OPENAI), Settings())["backend"] == {"name": "codex", "confirmed": False}
    assert taken(Given(), (CLAUDE, OPENAI), Settings())["backend"] == {"name": ""}


def test_naming_a_backend_is_consent() -> None:
    assert taken(Given(backend="claude"), (CLAUDE,), Settings())["backend"] == {"name": "claude", "confirmed": True}


def test_what_was_set_up_before_stays_with_its_consent() -> None:
    before = Settings(backend=BackendSettings(name="claude", confirmed=True))
    assert taken(Given(), (CODEX,), before) == {"backend": {"name": "claude"}}


def test_another_address_needs_a_consent_of_its_own() -> None:
    before = Settings(backend=BackendSettings(name="openai", model="m", confirmed=True))
    assert taken(Given(base_url="https://elsewhere.example"), (), before)["backend"]["confirmed"] is False


def test_an_api_keeps_the_model_it_had_and_needs_one_where_it_had_none() -> None:
    before = Settings(backend=BackendSettings(name="openai", model="m"))
    assert taken(Given(backend="openai"), (), before)["backend"] == {"name": "openai", "confirmed": True}
    with pytest.raises(ConfigError, match="needs a model"):
        taken(Given(backend="anthropic"), (), before)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(tmp_path)
    monkeypatch.setenv("HOME", str(machine.home))
    return machine


def named(machine: Machine) -> dict[str, Offer]:
    return {offer.name: offer for offer in offers(machine.paths, machine.environ, BackendSettings())}


def test_an_agent_that_is_logged_in_is_ready(machine: Machine) -> None:
    machine.has_claude()
    machine.logged_in_to_claude(datetime.now(UTC) + timedelta(days=1))
    found = named(machine)
    assert found["claude"].ready
    assert found["claude"].subscription
    assert CLAUDE_VERSION.split()[0] in found["claude"].says
    assert not found["codex"].ready


def test_one_whose_login_ended_is_not(machine: Machine) -> None:
    machine.has_claude()
    machine.logged_in_to_claude(datetime.now(UTC) - timedelta(days=1))
    found = named(machine)["claude"]
    assert not found.ready
    assert "login ended" in found.says


def test_one_without_a_login_says_so(machine: Machine) -> None:
    machine.has_codex()
    found = named(machine)["codex"]
    assert not found.ready
    assert found.says


def test_an_agent_that_is_configured_with_a_key_is_ready(machine: Machine) -> None:
    machine.has_codex()
    machine.environ["OPENAI_API_KEY"] = KEY
    own = BackendSettings(name="codex", model="m", api_key_env="OPENAI_API_KEY")
    found = {offer.name: offer for offer in offers(machine.paths, machine.environ, own)}
    assert found["codex"].ready
    assert "OPENAI_API_KEY" in found["codex"].says


def test_an_api_is_ready_where_its_key_is_set_and_the_key_is_not_told(machine: Machine) -> None:
    machine.environ["ANTHROPIC_API_KEY"] = KEY
    found = named(machine)
    assert found["anthropic"].ready
    assert not found["openai"].ready
    assert KEY not in str(found)


def test_looking_leaves_everything_as_it_is(machine: Machine) -> None:
    machine.has_claude()
    before = machine.files()
    named(machine)
    assert machine.files() == before
