"""What doctor says of programs, logins and endpoints, with programs and a server of our own."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from skillopt_sleep.doctor.findings import FindingState, Topic
from skillopt_sleep.kit.clock import utc_now
from tests.doctor.machine import KEY, Machine
from tests.server import ModelServer


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def openai(machine: Machine, base_url: str, more: str = "") -> None:
    machine.configured(f'[backend]\nname = "openai"\nmodel = "scripted-1"\nbase_url = "{base_url}"\n{more}')


def test_a_program_that_no_setting_names_may_be_missing_or_logged_out(machine: Machine) -> None:
    assert machine.problems() == []
    machine.has_claude()
    machine.has_codex(says="something else")
    assert machine.problems() == []
    assert f"claude 2.1.332 ({machine.bin}/claude)" in machine.says(Topic.PROGRAMS)
    assert "no setting uses it" in machine.says(Topic.LOGINS)


@pytest.mark.parametrize("section", ["backend", "target", "judge"])
def test_a_program_that_a_role_asks_must_be_there_and_logged_in(machine: Machine, section: str) -> None:
    machine.configured(
        f'[backend]\nname = "simulated"\n[{section}]\nname = "claude"\n'.replace(
            '[backend]\nname = "simulated"\n[backend]', "[backend]"
        )
    )
    assert [wrong.topic for wrong in machine.problems()] == [Topic.PROGRAMS]
    machine.has_claude()
    assert [wrong.topic for wrong in machine.problems()] == [Topic.LOGINS]
    machine.environ["ANTHROPIC_API_KEY"] = KEY
    assert machine.problems() == []
    assert "claude: the key in ANTHROPIC_API_KEY" in machine.says(Topic.LOGINS)


def test_a_program_too_old_for_us_is_a_problem_where_it_is_asked(machine: Machine) -> None:
    machine.configured('[backend]\nname = "claude"\n')
    machine.has_claude("1.0.128 (Claude Code)")
    (wrong,) = machine.problems()
    assert wrong.topic is Topic.PROGRAMS
    assert "too old" in wrong.says


def test_a_login_that_ends_before_the_night_is_a_problem(machine: Machine) -> None:
    machine.configured('[backend]\nname = "claude"\n[budget]\nminutes = 60\n')
    machine.has_claude()
    machine.logged_in_to_claude(utc_now() + timedelta(minutes=59))
    (wrong,) = machine.problems()
    assert wrong.topic is Topic.LOGINS
    assert "before a night that begins now may end" in wrong.says
    machine.logged_in_to_claude(utc_now() + timedelta(minutes=61))
    assert machine.problems() == []
    assert "ends at" in machine.says(Topic.LOGINS)


def test_a_login_that_is_over_is_told_as_over_and_how_it_is_renewed(machine: Machine) -> None:
    machine.configured('[backend]\nname = "claude"\n')
    machine.has_claude()
    over = utc_now() - timedelta(days=2)
    machine.logged_in_to_claude(over)
    (wrong,) = machine.problems()
    assert wrong.says == f"claude: the login ended at {over:%Y-%m-%d %H:%M} UTC"
    assert wrong.remedy == "use claude once, which renews it"


def test_a_login_nobody_asks_for_is_told_as_over_too_and_is_no_problem(machine: Machine) -> None:
    machine.has_claude()
    over = utc_now() - timedelta(days=2)
    machine.logged_in_to_claude(over)
    assert machine.problems() == []
    assert f"ended at {over:%Y-%m-%d %H:%M} UTC" in machine.says(Topic.LOGINS)


def test_auto_says_which_agent_and_why_or_that_there_is_none(machine: Machine) -> None:
    machine.configured('[backend]\nname = "auto"\n')
    assert [wrong.topic for wrong in machine.problems()] == [Topic.LOGINS]
    machine.has_codex()
    machine.environ["CODEX_API_KEY"] = KEY
    assert machine.problems() == []
    assert "auto is codex" in machine.says(Topic.MODELS)


def test_an_endpoint_that_knows_the_model_is_fine_and_was_asked_nothing(
    machine: Machine, server: ModelServer
) -> None:
    openai(machine, server.base_url, 'api_key_env = "MY_KEY"\n')
    machine.environ["MY_KEY"] = KEY
    assert machine.problems() == []
    assert "knows the model" in machine.says(Topic.MODELS)
    assert server.requests == []


def test_an_endpoint_that_does_not_tell_is_unknown(machine: Machine, server: ModelServer) -> None:
    server.models = "no_route"
    openai(machine, server.base_url)
    (found,) = [finding for finding in machine.look() if finding.topic is Topic.MODELS]
    assert found.state is FindingState.UNKNOWN
    assert "when a night begins" in found.says


def test_an_endpoint_that_refuses_the_key_is_a_missing_login(machine: Machine, server: ModelServer) -> None:
    server.behaviour = "unauthorized"
    openai(machine, server.base_url)
    machine.environ["OPENAI_API_KEY"] = KEY
    (wrong,) = machine.problems()
    assert wrong.topic is Topic.LOGINS
    assert KEY not in wrong.says + wrong.remedy


def test_an_endpoint_where_nothing_listens_is_a_problem(machine: Machine) -> None:
    openai(machine, "http://127.0.0.1:9/v1")
    (wrong,) = machine.problems()
    assert wrong.topic is Topic.MODELS
    assert "connection refused" in wrong.says


def test_a_missing_key_or_model_is_a_problem(machine: Machine) -> None:
    machine.configured('[backend]\nname = "openai"\nmodel = "m"\n')
    (wrong,) = machine.problems()
    assert (wrong.topic, wrong.remedy) == (Topic.LOGINS, "export OPENAI_API_KEY=…")
    machine.configured('[backend]\nname = "openai"\n')
    (wrong,) = machine.problems()
    assert wrong.topic is Topic.MODELS
    assert "--model" in wrong.remedy


def test_consent_that_was_not_given_is_told_and_is_no_problem(machine: Machine, server: ModelServer) -> None:
    openai(machine, server.base_url, 'api_key_env = "MY_KEY"\n')
    assert "not confirmed" in machine.says(Topic.CONSENT)
    assert machine.problems() == []
    openai(machine, server.base_url, 'api_key_env = "MY_KEY"\nconfirmed = true\n')
    assert machine.says(Topic.CONSENT) == f"every night may send to openai at {server.base_url}"


@pytest.mark.parametrize("name", ["simulated", "handoff"])
def test_what_needs_no_model_is_fine(machine: Machine, name: str) -> None:
    machine.configured(f'[backend]\nname = "{name}"\n')
    assert machine.problems() == []
    assert name in machine.says(Topic.MODELS)
