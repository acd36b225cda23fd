import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import filelock
import pytest

from skillopt_sleep.daemon.backlog import Backlog
from skillopt_sleep.daemon.state import DaemonState, Pause, end
from skillopt_sleep.errors import NightLocked

NOW = datetime(2027, 5, 2, tzinfo=UTC)


def test_what_was_never_said_is_nothing(tmp_path: Path) -> None:
    state = DaemonState(tmp_path / "state")
    assert (state.pause(), state.standing(), state.backlog()) == (None, None, Backlog())
    assert not state.daemon_runs()
    assert not state.forget("pause")
    assert not (tmp_path / "state").exists(), "asking leaves nothing behind"


def test_a_pause_is_kept_private_and_taken_back(tmp_path: Path) -> None:
    state = DaemonState(tmp_path / "state")
    pause = Pause(since=NOW, until=NOW + timedelta(days=1))
    state.write("pause", pause)
    assert state.pause() == pause
    assert pause.holds(NOW)
    assert not pause.holds(NOW + timedelta(days=1))
    assert (tmp_path / "state" / "pause.json").stat().st_mode & 0o777 == 0o600
    assert state.forget("pause")
    assert state.pause() is None


def test_a_file_that_cannot_be_read_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "schedule.json").write_bytes(b'{"served": 7')
    assert DaemonState(tmp_path).backlog() == Backlog()
    assert (tmp_path / "schedule.json.corrupt").read_bytes() == b'{"served": 7'


def test_there_is_one_daemon_and_it_is_seen(tmp_path: Path) -> None:
    state = DaemonState(tmp_path)
    with state.only_daemon():
        assert DaemonState(tmp_path).daemon_runs()
        with pytest.raises(NightLocked, match="another daemon"), DaemonState(tmp_path).only_daemon():
            pass
    assert not state.daemon_runs()


def test_a_look_at_whether_a_daemon_waits_keeps_none_from_beginning(tmp_path: Path) -> None:
    state, looker = DaemonState(tmp_path), filelock.FileLock(tmp_path / "daemon.lock", thread_local=False)
    looker.acquire()
    looked = threading.Timer(0.2, looker.release)
    looked.start()
    with state.only_daemon():
        assert state.daemon_runs()
    looked.join()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_process_is_ended_and_one_that_is_gone_is_no_trouble(number: signal.Signals) -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    end(process.pid, number)
    assert process.wait(30) == -number
    end(process.pid, number)
