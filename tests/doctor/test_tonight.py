"""By day it is told what the night will miss."""

from datetime import UTC, datetime, timedelta

from skillopt_sleep.daemon.service.manifest import Item, Kind, Ledger, Manifest
from skillopt_sleep.doctor.findings import Topic
from skillopt_sleep.doctor.tonight import tonight
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.settings import Settings
from tests.doctor.machine import Machine

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
ALWAYS = '[backend]\nname = "claude"\n[budget]\nminutes = 60\n'


def nights_run_by_themselves(machine: Machine) -> None:
    """A service as `install` leaves it."""
    file = machine.write(machine.home / ".config" / "systemd" / "user" / "sleep.service", "[Service]\n")
    item = Item(kind=Kind.OWN, path=str(file), target=str(file), before="", ours=())
    folder = Ledger(machine.paths.state / "install").folder
    machine.write(folder / "manifest.json", to_json(Manifest(items=(item,))).decode())


def in_hours(hours: int) -> str:
    """The local time so many hours from now, in a zone that is the machine's."""
    return f"{(datetime.now().astimezone() + timedelta(hours=hours)):%H:%M}"


def test_the_next_night_is_the_next_slot_and_its_longest(machine: Machine) -> None:
    assert tonight(Settings(), machine.paths, now=NOON, zone=UTC) is None
    nights_run_by_themselves(machine)
    found = tonight(Settings(), machine.paths, now=NOON, zone=UTC)
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


def test_an_installation_that_can_not_be_read_stops_no_check(machine: Machine) -> None:
    machine.write(machine.paths.state / "install" / "manifest.json", "no JSON")
    assert machine.problems(Topic.LOGINS) == []
