import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest

from skillopt_sleep.daemon.service.machine import Launch
from skillopt_sleep.daemon.service.service_file import LABEL, UNIT, first_line, owner
from skillopt_sleep.daemon.service.services import (
    Service,
    plist,
    put_in_place,
    service_of,
    take_away,
    unit,
    why_no_service,
)
from skillopt_sleep.errors import SleepError
from skillopt_sleep.settings import Paths
from tests.installs import machine, program, told

FIRST = "skillopt-sleep: written by `skillopt-sleep install` for /home/me/100%25"
ODD = '/a "b" %h $HOME \\c\t;#é'


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze here")
@pytest.mark.parametrize("odd", ["/plain", "/a b%c$HOME;é", "/o'brien", ODD])
def test_systemd_itself_takes_the_unit(odd: str, tmp_path: Path) -> None:
    python = tmp_path / odd.strip("/").replace("\t", " ") / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\n", encoding="utf-8")
    python.chmod(0o755)
    path = tmp_path / UNIT
    launch = Launch(str(python), {"PATH": "/usr/bin:/bin", "CODEX_HOME": odd}, tmp_path / "a b %" / "environment")
    path.write_text(unit(launch, first=FIRST), encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", str(path)],
        capture_output=True,
        text=True,
        env={"XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_what_has_a_meaning_to_systemd_is_written_so_that_it_has_none() -> None:
    text = unit(Launch("/py", {"CODEX_HOME": ODD}, Path("/keys%")), first=FIRST)
    assert 'Environment="CODEX_HOME=/a \\"b\\" %%h $HOME \\\\c\\t;#é"' in text
    assert "EnvironmentFile=-/keys%%\n" in text
    assert 'ExecStart="/py" "-P" "-m" "skillopt_sleep" "daemon"\n' in text
    assert 'ExecStart="/a$b" "-P"' in unit(Launch("/a$b", {}, Path("/keys")), first=FIRST)
    assert 'ExecStart="/usr/bin/env" "/o\'brien/a$$b" "-P"' in unit(
        Launch("/o'brien/a$b", {}, Path("/keys")), first=FIRST
    )


def test_the_property_list_says_what_to_start_and_with_what_and_whose_it_is(tmp_path: Path) -> None:
    launch = Launch("/a b/python", {"PATH": "/bin", "CODEX_HOME": "/x & <y>"}, Path("/keys"))
    config = tmp_path / "a--b ü\n&"
    data = plist(launch, log=Path("/log"), first=first_line(Paths(config=config, data=config)))
    read = plistlib.loads(data)
    assert read["Label"] == LABEL
    assert read["ProgramArguments"][-6:] == ["/keys", "/a b/python", "-P", "-m", "skillopt_sleep", "daemon"]
    assert read["EnvironmentVariables"] == launch.environment
    assert read["KeepAlive"] == {"SuccessfulExit": False}
    assert read["StandardErrorPath"] == "/log"
    path = tmp_path / "x.plist"
    path.write_bytes(data)
    assert owner(path) == str(config)


def service(home: Path) -> Service:
    """A service whose manager is a program that writes down what it is told."""
    paths = Paths(config=home, data=home)
    return Service(
        path=home / "systemd" / "user" / UNIT,
        data=f"# {first_line(paths)}\n".encode(),
        start=(("manager", "start"),),
        stop=(("manager", "stop"),),
        forget=(("manager", "forget"),),
        logs=home / "logs",
    )


def test_a_service_is_stopped_written_and_started_and_taken_away_in_the_other_order(tmp_path: Path) -> None:
    program(tmp_path, "manager", '#!/bin/sh\necho "$1 $(ls "$HOME/systemd/user" 2>/dev/null)" >> "$HOME/told"\n')
    mine = service(tmp_path)
    put_in_place(mine, machine(tmp_path))
    assert mine.path.read_bytes() == mine.data
    assert mine.logs
    assert mine.logs.is_dir()
    take_away(mine, machine(tmp_path))
    assert told(tmp_path) == ["stop ", f"start {UNIT}", f"stop {UNIT}", "forget "]


def test_a_manager_that_refuses_to_start_it_is_an_error_and_one_that_refuses_to_stop_it_is_none(
    tmp_path: Path,
) -> None:
    program(tmp_path, "manager", "#!/bin/sh\necho masked >&2\nexit 1\n")
    mine = service(tmp_path)
    with pytest.raises(SleepError, match="`manager start` failed: masked"):
        put_in_place(mine, machine(tmp_path))
    take_away(mine, machine(tmp_path))
    assert not mine.path.exists()


def test_each_platform_has_its_own_service_or_a_reason_why_not(tmp_path: Path) -> None:
    for platform, name in (("linux", UNIT), ("darwin", f"{LABEL}.plist"), ("freebsd14", "")):
        there = machine(tmp_path, platform=platform)
        mine = service_of(there)
        assert (mine.path.name if mine else "") == name
        assert bool(why_no_service(there)) == (not name)
    assert "Failed to connect to bus" in why_no_service(machine(tmp_path, systemd=False))
