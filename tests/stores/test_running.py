import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.records import Spend
from skillopt_sleep.stores.events import EventLog
from skillopt_sleep.stores.running import HOLDER, StageProgress, living_holder, name_running, read_progress
from tests.fakes import FakeClock

STARTED = datetime(2026, 3, 2, 3, tzinfo=UTC)


def hold(data: Path, pid: int, *, since: datetime | None = None) -> None:
    file = data / HOLDER
    known = json.loads(file.read_bytes()) if file.exists() else {}
    said = {**known, "pid": pid, "since": (since or utc_now()).isoformat()}
    file.write_text(json.dumps(said), encoding="utf-8")


def running(data: Path, *stages: tuple[str, int, int]) -> None:
    """Let this process run a night that is at these stages."""
    log = EventLog(data, spent=lambda: Spend(calls=7, tokens=1_200, usd=0.5), clock=FakeClock())
    for label, done, total in stages:
        log.advance(label, done, total)
    log.close()
    name_running(data, night="2026-03-02", started=STARTED, folder=data, most_calls=300, most_minutes=60)


def test_another_process_reads_how_far_the_night_is(tmp_path: Path) -> None:
    running(tmp_path, ("rollout shop/CLAUDE.md", 3, 12))
    progress = read_progress(tmp_path)
    assert progress is not None
    assert progress.stages == (StageProgress(label="rollout shop/CLAUDE.md", done=3, total=12),)
    assert (progress.night, progress.calls, progress.tokens, progress.usd) == ("2026-03-02", 7, 1_200, 0.5)
    assert (progress.most_calls, progress.most_minutes) == (300, 60)


def test_a_stage_that_is_done_is_told_no_more(tmp_path: Path) -> None:
    running(tmp_path, ("mine", 0, 2), ("prove", 1, 3), ("mine", 2, 2))
    progress = read_progress(tmp_path)
    assert progress is not None
    assert progress.stages == (StageProgress(label="prove", done=1, total=3),)


def test_a_night_that_goes_on_begins_its_stages_anew(tmp_path: Path) -> None:
    running(tmp_path, ("mine", 1, 2))
    running(tmp_path, ("prove", 1, 3))
    progress = read_progress(tmp_path)
    assert progress is not None
    assert [stage.label for stage in progress.stages] == ["prove"]


def test_when_it_is_over_nothing_runs(tmp_path: Path) -> None:
    running(tmp_path)
    (tmp_path / HOLDER).unlink()
    assert read_progress(tmp_path) is None
    hold(tmp_path, os.getpid())
    assert read_progress(tmp_path) is None, "a purge holds the lock, not a night"


def test_what_a_killed_night_left_is_not_read_as_progress(tmp_path: Path) -> None:
    running(tmp_path)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait(30)
    hold(tmp_path, gone.pid)
    assert read_progress(tmp_path) is None


def test_a_later_process_with_the_same_id_is_not_taken_for_the_night(tmp_path: Path) -> None:
    running(tmp_path)
    hold(tmp_path, os.getpid(), since=utc_now() - timedelta(days=30))
    assert read_progress(tmp_path) is None


def test_a_file_that_cannot_be_read_is_no_progress(tmp_path: Path) -> None:
    assert read_progress(tmp_path) is None
    hold(tmp_path, os.getpid())
    (tmp_path / HOLDER).write_text('{"night": 3', encoding="utf-8")
    assert read_progress(tmp_path) is None


def test_a_night_continues_if_the_file_cannot_be_written(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    name_running(nowhere, night="n", started=STARTED, folder=nowhere, most_calls=1, most_minutes=1)
    assert not nowhere.exists()


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
