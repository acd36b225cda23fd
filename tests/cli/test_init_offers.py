from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillopt_sleep.cli.init_offers import Offer, offers
from skillopt_sleep.settings import BackendSettings
from tests.doctor.machine import CLAUDE_VERSION, KEY, Machine


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
