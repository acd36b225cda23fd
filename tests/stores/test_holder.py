import json
import os
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import psutil
import pytest

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.stores.holder import living_holder


def hold(data: Path, pid: int, *, since: datetime | None = None) -> None:
    said = {"pid": pid, "since": (since or utc_now()).isoformat()}
    (data / "night.holder").write_text(json.dumps(said), encoding="utf-8")


def test_the_process_that_took_the_lock_and_lives_holds_it(tmp_path: Path) -> None:
    hold(tmp_path, os.getpid())
    assert living_holder(tmp_path) == os.getpid()


def test_a_later_process_with_the_same_id_does_not(tmp_path: Path) -> None:
    hold(tmp_path, os.getpid(), since=utc_now() - timedelta(days=30))
    assert living_holder(tmp_path) is None


def test_a_process_that_ended_does_not_whether_or_not_it_was_reaped(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    hold(tmp_path, gone.pid)
    assert living_holder(tmp_path) == gone.pid
    assert gone.stdin is not None
    gone.stdin.close()
    while psutil.Process(gone.pid).status() != psutil.STATUS_ZOMBIE:
        pass
    assert living_holder(tmp_path) is None
    gone.wait()
    assert living_holder(tmp_path) is None


@pytest.mark.parametrize("said", ["{", "{}", "[]", '{"pid": 7}', '{"pid": -7, "since": "2026-03-02T03:00:00+00:00"}'])
def test_an_unreadable_holder_file_names_no_process(tmp_path: Path, said: str) -> None:
    assert living_holder(tmp_path) is None
    (tmp_path / "night.holder").write_text(said, encoding="utf-8")
    assert living_holder(tmp_path) is None
