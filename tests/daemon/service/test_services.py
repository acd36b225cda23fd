from pathlib import Path

import pytest

from skillopt_sleep.daemon.service.launch import Launch
from skillopt_sleep.daemon.service.services import CRON, LAUNCHD, SYSTEMD, own_files, services, start, stop
from skillopt_sleep.errors import SleepError
from tests.installs import CRONTAB, machine, program

TOLD = '#!/bin/sh\necho "${0##*/} $@" >> "$HOME/told"\n'


def told(home: Path) -> list[str]:
    path = home / "told"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def test_cron_is_for_where_nothing_else_is(tmp_path: Path) -> None:
    assert services(machine(tmp_path, has_systemd=False)) == (SYSTEMD,)
    program(tmp_path, "crontab", CRONTAB)
    assert services(machine(tmp_path)) == (SYSTEMD,)
    assert services(machine(tmp_path, has_systemd=False)) == (SYSTEMD, CRON)
    assert services(machine(tmp_path, platform="freebsd14", has_systemd=False)) == (CRON,)
    assert services(machine(tmp_path, platform="darwin", has_systemd=False)) == (LAUNCHD,)


@pytest.mark.parametrize("platform", ["linux", "darwin", "freebsd14"])
def test_every_platform_has_a_file_of_its_own(platform: str, tmp_path: Path) -> None:
    program(tmp_path, "crontab", CRONTAB)
    there = machine(tmp_path, platform=platform, has_systemd=platform == "linux")
    [file] = own_files(there, Launch("/py", {"PATH": "/bin"}, Path("/keys")), tmp_path / "own")
    assert "skillopt_sleep" in file.data.decode()
    assert file.path.is_relative_to(tmp_path)


def test_a_running_user_manager_is_told_at_once_and_not_again(tmp_path: Path) -> None:
    there = machine(tmp_path)
    start(there, changed=True)
    assert told(tmp_path)[1:] == [
        "--user daemon-reload",
        "--user enable skillopt-sleep.service",
        "--user restart skillopt-sleep.service",
    ]
    (tmp_path / "told").unlink()
    start(there, changed=False)
    assert "--user restart skillopt-sleep.service" not in told(tmp_path)
    stop(there)
    assert told(tmp_path)[-1] == "--user disable --now skillopt-sleep.service"


def test_without_a_user_manager_it_is_said_what_to_run(tmp_path: Path) -> None:
    notes = start(machine(tmp_path, NO_MANAGER="1"), changed=True)
    assert any("systemctl --user enable --now skillopt-sleep.service" in note for note in notes)
    wants = tmp_path / ".config" / "systemd" / "user" / "default.target.wants" / "skillopt-sleep.service"
    wants.parent.mkdir(parents=True)
    wants.symlink_to("../skillopt-sleep.service")
    stop(machine(tmp_path, NO_MANAGER="1"))
    assert not wants.is_symlink()


def test_a_manager_that_refuses_is_an_error_with_its_words(tmp_path: Path) -> None:
    there = machine(tmp_path)
    refuses = '#!/bin/sh\n[ "$2" = show-environment ] || { echo masked >&2; exit 1; }\n'
    program(tmp_path, "systemctl", refuses)
    with pytest.raises(SleepError, match="masked"):
        start(there, changed=True)


def test_launchd_is_told_by_its_own_program(tmp_path: Path) -> None:
    program(tmp_path, "launchctl", TOLD)
    mac = machine(tmp_path, platform="darwin")
    start(mac, changed=True)
    assert mac.paths.logs.is_dir()
    stop(mac)
    verbs = [" ".join(line.split()[:2]) for line in told(tmp_path)]
    assert verbs == ["launchctl bootout", "launchctl bootstrap", "launchctl bootout"]


def test_where_nothing_can_start_it_that_is_said(tmp_path: Path) -> None:
    [note] = start(machine(tmp_path, platform="freebsd14", has_systemd=False), changed=True)
    assert "skillopt-sleep daemon" in note
