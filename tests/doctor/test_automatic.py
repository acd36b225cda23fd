"""Whether nights run automatically, what a night will miss by day, and whether the agents have our plugin."""

import json
import sys
from datetime import UTC, datetime, timedelta

import pytest

from skillopt_sleep import __version__
from skillopt_sleep.daemon.service import service_file
from skillopt_sleep.daemon.state import DaemonState as Daemon
from skillopt_sleep.doctor.automatic import look_at_daemon, tonight
from skillopt_sleep.doctor.findings import Finding, FindingState, Topic
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.settings import Settings
from tests.doctor.machine import Machine, script

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
ALWAYS = '[backend]\nname = "claude"\n[budget]\nminutes = 60\n'
VERSION = {"claude": "2.1.332 (Claude Code)", "codex": "codex-cli 0.171.0"}


def nights_run_by_themselves(machine: Machine) -> None:
    """A service as `install` leaves it."""
    path = service_file.service_path(sys.platform, machine.home, machine.environ)
    assert path
    service_file.write(path, f"# {service_file.first_line(machine.paths)}\n".encode())


def in_hours(hours: int) -> str:
    """The local time so many hours from now, in a zone that is the machine's."""
    return f"{(datetime.now().astimezone() + timedelta(hours=hours)):%H:%M}"


def test_not_wanting_automatic_nights_is_no_problem_but_a_service_that_does_not_run_is(machine: Machine) -> None:
    (found,) = look_at_daemon(machine.paths, machine.environ)
    assert (found.state, found.remedy) == (FindingState.FINE, "skillopt-sleep install")
    nights_run_by_themselves(machine)
    (found,) = look_at_daemon(machine.paths, machine.environ)
    assert found.state is FindingState.PROBLEM
    assert "no daemon is running" in found.says
    assert found.remedy
    with Daemon(machine.paths.state).only_daemon():
        (found,) = look_at_daemon(machine.paths, machine.environ)
        assert found.state is FindingState.FINE


def test_the_next_night_is_the_next_slot_and_its_longest(machine: Machine) -> None:
    assert tonight(Settings(), machine.paths, environ=machine.environ, now=NOON, zone=UTC) is None
    nights_run_by_themselves(machine)
    found = tonight(Settings(), machine.paths, environ=machine.environ, now=NOON, zone=UTC)
    assert found == ("04:17", datetime(2026, 11, 21, 5, 17, tzinfo=UTC))


def test_a_login_that_ends_before_the_scheduled_night_is_over_is_told_by_day(machine: Machine) -> None:
    at = in_hours(10)
    machine.configured(f'{ALWAYS}[daemon]\nat = "{at}"\n')
    machine.has_claude()
    ends = utc_now() + timedelta(hours=8)
    machine.logged_in_to_claude(ends)
    assert machine.problems(Topic.LOGINS) == []
    nights_run_by_themselves(machine)
    (wrong,) = machine.problems(Topic.LOGINS)
    assert f"ends at {ends:%Y-%m-%d %H:%M} UTC, before the night that begins at {at}" in wrong.says
    assert "claude setup-token" in wrong.remedy
    machine.logged_in_to_claude(utc_now() + timedelta(hours=12))
    assert machine.problems(Topic.LOGINS) == []


def test_a_token_that_lasts_is_fine(machine: Machine) -> None:
    machine.configured(ALWAYS)
    machine.has_claude()
    nights_run_by_themselves(machine)
    machine.logged_in_to_claude(utc_now() + timedelta(hours=2))
    machine.environ["CLAUDE_CODE_OAUTH_TOKEN"] = "dummy"
    assert machine.problems(Topic.LOGINS) == []


def of_plugin(machine: Machine, name: str, listed: object) -> list[Finding]:
    """What is found of the plugin in an agent whose program lists this."""
    (machine.home / f".{name}").mkdir(exist_ok=True)
    shows = json.dumps(listed) if not isinstance(listed, str) else listed
    script(machine.bin / name, f"[ \"$1\" = --version ] && echo '{VERSION[name]}' && exit\necho '{shows}'")
    return [found for found in machine.look() if found.topic is Topic.INSTALLS and "plugin" in found.says]


def claude_lists(version: str) -> object:
    return [{"id": "skillopt-sleep@skillopt-sleep", "version": version, "enabled": True}]


def test_a_plugin_of_another_version_is_a_problem_and_a_missing_one_a_hint(machine: Machine) -> None:
    (old,) = of_plugin(machine, "claude", claude_lists("0.0.1"))
    assert old.state is FindingState.PROBLEM
    assert f"version 0.0.1, and this program is {__version__}" in old.says
    (new,) = of_plugin(machine, "claude", claude_lists(__version__))
    assert (new.state, new.remedy) == (FindingState.FINE, "")
    (missing,) = of_plugin(machine, "claude", [])
    assert (missing.state, missing.remedy) == (FindingState.FINE, "skillopt-sleep install")
    assert old.remedy == "skillopt-sleep install"


@pytest.mark.parametrize("name", VERSION)
def test_a_program_that_does_not_list_plugins_is_no_problem(machine: Machine, name: str) -> None:
    (found,) = of_plugin(machine, name, "unknown command")
    assert found.state is FindingState.UNKNOWN


def test_an_agent_that_was_never_used_is_not_asked(machine: Machine) -> None:
    machine.has_claude()
    assert [found for found in machine.look() if "plugin" in found.says] == []
