import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep import __version__
from skillopt_sleep.daemon.backlog import Backlog, Missed, Pending
from skillopt_sleep.daemon.schedule import Slot
from skillopt_sleep.daemon.service import service_file
from skillopt_sleep.daemon.state import DaemonState, DaemonStatus, Pause
from skillopt_sleep.daemon.status import daemon_data, daemon_rows, first_step, installed_says
from skillopt_sleep.settings import BackendSettings, Paths, Settings

NOW = datetime(2027, 5, 2, 9, tzinfo=UTC)
SLOT = Slot(at=NOW - timedelta(hours=5), day=date(2027, 5, 2))
STANDING = DaemonStatus(pid=7, since=NOW, version=__version__, next=NOW + timedelta(hours=19))


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(config=tmp_path, data=tmp_path)


def test_without_a_daemon_it_says_how_to_get_one(paths: Paths) -> None:
    DaemonState(paths.state).write("daemon", STANDING)
    (row,) = daemon_rows(paths, now=NOW)
    assert "skillopt-sleep install" in row[1]
    assert daemon_data(paths, now=NOW)["process"] is None


def test_the_next_night_is_told_in_local_time(paths: Paths) -> None:
    state = DaemonState(paths.state)
    with state.only_daemon():
        state.write("daemon", STANDING)
        (row,) = daemon_rows(paths, now=NOW)
        assert row == ("Next night", f"tomorrow {STANDING.next.astimezone():%H:%M}")
        assert daemon_data(paths, now=NOW)["process"] == 7


@pytest.mark.parametrize("late", [timedelta(), timedelta(seconds=1), timedelta(hours=3)])
def test_a_daemon_that_let_its_time_pass_promises_no_night(late: timedelta, paths: Paths) -> None:
    state = DaemonState(paths.state)
    with state.only_daemon():
        state.write("daemon", replace(STANDING, next=NOW - late))
        (row,), (says, remedy) = daemon_rows(paths, now=NOW), installed_says(paths, {}, now=NOW)
        assert "is waiting" in row[1]
        assert "is running" not in says
        for text in (row[1], remedy):
            assert "kill -CONT 7" in text
        assert daemon_data(paths, now=NOW)["next"] is None


def test_a_day_that_was_missed_long_ago_is_told_no_more(paths: Paths) -> None:
    DaemonState(paths.state).write("schedule", Backlog(missed=Missed(day=date(2027, 4, 20), because="on battery")))
    assert [label for label, _ in daemon_rows(paths, now=NOW)] == ["Next night"]


def test_what_a_night_waits_for_is_told_and_which_one_never_ran(paths: Paths) -> None:
    state = DaemonState(paths.state)
    with state.only_daemon():
        state.write("daemon", STANDING)
        missed = Missed(day=date(2027, 5, 1), because="on battery")
        state.write(
            "schedule", Backlog(pending=Pending(slot=SLOT, since=NOW, waiting="an agent is at work"), missed=missed)
        )
        first, second = daemon_rows(paths, now=NOW)
        assert first == ("Next night", "that of 2027-05-02 is waiting: an agent is at work")
        assert second == ("Did not run", "2027-05-01: on battery")


def test_a_pause_is_told_as_long_as_it_holds(paths: Paths) -> None:
    state = DaemonState(paths.state)
    with state.only_daemon():
        state.write("daemon", STANDING)
        state.write("pause", Pause(since=NOW, until=NOW + timedelta(hours=1)))
        assert "paused until" in daemon_rows(paths, now=NOW)[0][1]
        assert "skillopt-sleep pause --off" in daemon_rows(paths, now=NOW)[0][1]
        assert "paused" not in daemon_rows(paths, now=NOW + timedelta(hours=1))[0][1]


def test_a_pause_is_told_where_no_daemon_waits(paths: Paths) -> None:
    DaemonState(paths.state).write("pause", Pause(since=NOW))
    assert daemon_rows(paths, now=NOW)[1] == ("", "paused until you end it: skillopt-sleep pause --off")


def test_a_service_that_was_not_started_is_told_with_the_command_that_starts_it(
    paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(paths.config))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    unit = service_file.service_path(sys.platform, paths.config, {})
    assert unit
    service_file.write(unit, f"# {service_file.first_line(paths)}\n".encode())
    (row,) = daemon_rows(paths, now=NOW)
    assert "installed, but not started: systemctl --user" in row[1]
    says, remedy = installed_says(paths, {"HOME": str(paths.config)}, now=NOW)
    assert says == f"installed: {unit}; no daemon is running"
    assert remedy.startswith("start it: systemctl --user")


def test_what_the_settings_lack_is_told_once(paths: Paths) -> None:
    state = DaemonState(paths.state)
    with state.only_daemon():
        state.write("daemon", replace(STANDING, settings="no backend is named"))
        assert daemon_rows(paths, now=NOW)[1] == ("Can't start", "no backend is named")
        state.write("schedule", Backlog(pending=Pending(slot=SLOT, since=NOW, waiting="no backend is named")))
        (row,) = daemon_rows(paths, now=NOW)
        assert row[1].endswith("no backend is named")


def test_the_example_is_a_first_step_only_for_who_has_named_no_backend_and_has_no_daemon(paths: Paths) -> None:
    state = DaemonState(paths.state)
    assert "--example" in first_step(paths, Settings())
    assert first_step(paths, Settings(backend=BackendSettings(name="claude"))) == ""
    with state.only_daemon():
        assert first_step(paths, Settings()) == ""
        state.write("daemon", STANDING)
        assert installed_says(paths, {}, now=NOW) == (
            "no service is installed; the daemon is running (process 7)",
            "",
        )


def test_a_daemon_of_another_version_is_to_be_restarted(paths: Paths) -> None:
    state = DaemonState(paths.state)
    with state.only_daemon():
        state.write("daemon", replace(STANDING, version="0.0.1"))
        says, remedy = installed_says(paths, {}, now=NOW)
    assert "still version 0.0.1" in says
    assert "restart" in remedy
