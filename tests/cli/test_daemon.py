import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import filelock

from skillopt_sleep.daemon.state import Cancel, DaemonState
from skillopt_sleep.settings import find_paths
from tests.command import Home


def state(home: Home) -> DaemonState:
    return DaemonState(find_paths(home.environment).state)


def test_a_pause_may_have_an_end(tmp_path: Path) -> None:
    home = Home(tmp_path)
    done = home.command("pause", "7d")
    assert done.code == 0
    assert "pause --off" in done.out
    pause = state(home).pause()
    assert pause is not None
    assert pause.until is not None
    assert pause.until - pause.since == timedelta(days=7)
    assert pause.holds(datetime.now(UTC))


def test_a_pause_without_a_length_holds_until_it_is_taken_back(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.command("pause")
    pause = state(home).pause()
    assert pause is not None
    assert pause.until is None
    assert (
        home.command("pause", "--off").out
        == "No longer paused.\n" + home.command("status").out.splitlines()[1] + "\n"
    )
    assert state(home).pause() is None
    assert "Nothing was paused" in home.command("pause", "--off").out


def test_a_length_that_is_none_is_refused(tmp_path: Path) -> None:
    done = Home(tmp_path).command("pause", "tomorrow")
    assert done.code == 2
    assert "12h" in done.err


def test_there_is_nothing_to_cancel_where_no_night_runs(tmp_path: Path) -> None:
    done = Home(tmp_path).command("pause", "--now")
    assert (done.code, done.out.strip()) == (0, "No night is running.")


def test_a_process_that_only_has_the_number_of_a_killed_night_is_not_signalled(tmp_path: Path) -> None:
    home = Home(tmp_path)
    data = find_paths(home.environment).data
    data.mkdir(parents=True)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as bystander:
        said = {"pid": bystander.pid, "since": (datetime.now(UTC) - timedelta(days=1)).isoformat()}
        (data / "night.holder").write_text(json.dumps(said), encoding="utf-8")
        with filelock.FileLock(data / "night.lock"):
            done = home.command("pause", "--now")
        assert done.code == 11, done.out
        assert "nothing was stopped" in done.err
        assert bystander.poll() is None
        bystander.communicate(b"\n")
        assert bystander.returncode == 0
    assert state(home).read("cancelled", Cancel) is None
