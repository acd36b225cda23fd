import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.records import Spend
from skillopt_sleep.stores.events import EventLog
from skillopt_sleep.stores.progress import NAME, Stage, name_none, name_running, read_progress
from tests.fakes import FakeClock

STARTED = datetime(2026, 3, 2, 3, tzinfo=UTC)


def hold(data: Path, pid: int, *, since: datetime | None = None) -> None:
    said = {"pid": pid, "since": (since or utc_now()).isoformat()}
    (data / "night.holder").write_text(json.dumps(said), encoding="utf-8")


def running(data: Path, *stages: tuple[str, int, int]) -> None:
    """Let this process run a night that is at these stages."""
    log = EventLog(data, spent=lambda: Spend(calls=7, tokens=1_200, usd=0.5), clock=FakeClock())
    for label, done, total in stages:
        log.advance(label, done, total)
    log.close()
    name_running(data, night="2026-03-02", started=STARTED, folder=data, most_calls=300, most_minutes=60)
    hold(data, os.getpid())


def test_another_process_reads_how_far_the_night_is(tmp_path: Path) -> None:
    running(tmp_path, ("rollout shop/CLAUDE.md", 3, 12))
    progress = read_progress(tmp_path)
    assert progress is not None
    assert progress.stages == (Stage(label="rollout shop/CLAUDE.md", done=3, total=12),)
    assert (progress.night, progress.calls, progress.tokens, progress.usd) == ("2026-03-02", 7, 1_200, 0.5)
    assert (progress.most_calls, progress.most_minutes) == (300, 60)


def test_a_stage_that_is_done_is_told_no_more(tmp_path: Path) -> None:
    running(tmp_path, ("mine", 0, 2), ("prove", 1, 3), ("mine", 2, 2))
    progress = read_progress(tmp_path)
    assert progress is not None
    assert progress.stages == (Stage(label="prove", done=1, total=3),)


def test_a_night_that_goes_on_begins_its_stages_anew(tmp_path: Path) -> None:
    running(tmp_path, ("mine", 1, 2))
    running(tmp_path, ("prove", 1, 3))
    progress = read_progress(tmp_path)
    assert progress is not None
    assert [stage.label for stage in progress.stages] == ["prove"]


def test_when_it_is_over_nothing_runs(tmp_path: Path) -> None:
    running(tmp_path)
    name_none(tmp_path)
    name_none(tmp_path)
    assert read_progress(tmp_path) is None


def test_what_a_killed_night_left_is_not_read_as_progress(tmp_path: Path) -> None:
    running(tmp_path)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait(30)
    left = (tmp_path / NAME).read_bytes()
    (tmp_path / NAME).write_bytes(left.replace(str(os.getpid()).encode(), str(gone.pid).encode()))
    hold(tmp_path, gone.pid)
    assert read_progress(tmp_path) is None


def test_a_later_process_with_the_same_id_is_not_taken_for_the_night(tmp_path: Path) -> None:
    running(tmp_path)
    hold(tmp_path, os.getpid(), since=utc_now() - timedelta(days=30))
    assert read_progress(tmp_path) is None


def test_another_process_is_not_taken_for_the_one_that_runs_the_night(tmp_path: Path) -> None:
    running(tmp_path)
    hold(tmp_path, os.getppid())
    assert read_progress(tmp_path) is None


def test_a_file_that_cannot_be_read_is_no_progress(tmp_path: Path) -> None:
    assert read_progress(tmp_path) is None
    hold(tmp_path, os.getpid())
    (tmp_path / NAME).write_text('{"night": 3', encoding="utf-8")
    assert read_progress(tmp_path) is None


def test_a_night_continues_if_the_file_cannot_be_written(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    name_running(nowhere, night="n", started=STARTED, folder=nowhere, most_calls=1, most_minutes=1)
    assert not nowhere.exists()
