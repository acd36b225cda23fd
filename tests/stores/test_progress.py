import json
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.records import Spend
from skillopt_sleep.stores.progress import NAME, ProgressFile, Stage, read_progress

STARTED = datetime(2026, 3, 2, 3, tzinfo=UTC)


class Spending:
    """Counts the writes of the file: each one asks once for the spending."""

    def __init__(self) -> None:
        self.asked = 0
        self.written = threading.Semaphore(0)

    def __call__(self) -> Spend:
        self.asked += 1
        self.written.release()
        return Spend(calls=7, tokens=1_200)

    def wait(self) -> None:
        assert self.written.acquire(timeout=30)


def opened(data: Path, spending: Spending, *, every: float = 0.01) -> ProgressFile:
    return ProgressFile(
        data, night="2026-03-02", started=STARTED, most_calls=300, most_minutes=60, spent=spending, every=every
    )


def hold(data: Path, pid: int, *, since: datetime | None = None) -> None:
    said = {"pid": pid, "since": (since or utc_now()).isoformat()}
    (data / "night.holder").write_text(json.dumps(said), encoding="utf-8")


def seen(data: Path, stages: tuple[Stage, ...]) -> bool:
    """Wait until the file says this, because another thread writes it; return whether it did."""
    for _ in range(1_000):
        progress = read_progress(data)
        if progress is not None and progress.stages == stages:
            return True
        threading.Event().wait(0.01)
    return False


def test_another_process_reads_the_progress_of_the_night(tmp_path: Path) -> None:
    hold(tmp_path, os.getpid())
    file = opened(tmp_path, Spending())
    file.advance("rollout shop/CLAUDE.md", 3, 12)
    assert seen(tmp_path, (Stage(label="rollout shop/CLAUDE.md", done=3, total=12),))
    progress = read_progress(tmp_path)
    assert progress is not None
    assert (progress.night, progress.calls, progress.tokens, progress.most_calls) == ("2026-03-02", 7, 1_200, 300)
    file.close()


def test_a_stage_that_is_done_is_told_no_more(tmp_path: Path) -> None:
    hold(tmp_path, os.getpid())
    file = opened(tmp_path, Spending())
    file.advance("mine", 0, 2)
    file.advance("prove", 1, 3)
    file.advance("mine", 2, 2)
    assert seen(tmp_path, (Stage(label="prove", done=1, total=3),))
    file.close()


def test_it_is_written_at_a_bounded_rate(tmp_path: Path) -> None:
    spending = Spending()
    file = opened(tmp_path, spending, every=60.0)
    spending.wait()
    for done in range(10_000):
        file.advance("rollout", done, 10_000)
    file.close()
    assert spending.asked == 1


def test_the_file_is_removed_at_the_end(tmp_path: Path) -> None:
    spending = Spending()
    file = opened(tmp_path, spending)
    spending.wait()
    file.close()
    assert list(tmp_path.iterdir()) == []


def test_the_file_of_a_killed_night_is_not_read_as_progress(tmp_path: Path) -> None:
    spending = Spending()
    file = opened(tmp_path, spending)
    spending.wait()
    hold(tmp_path, os.getpid())
    assert seen(tmp_path, ())
    left = (tmp_path / NAME).read_bytes()
    file.close()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait(30)
    (tmp_path / NAME).write_bytes(left.replace(str(os.getpid()).encode(), str(gone.pid).encode()))
    hold(tmp_path, gone.pid)
    assert read_progress(tmp_path) is None


def test_a_later_process_with_the_same_id_is_not_taken_for_the_night(tmp_path: Path) -> None:
    spending = Spending()
    file = opened(tmp_path, spending)
    spending.wait()
    hold(tmp_path, os.getpid(), since=utc_now() - timedelta(days=30))
    assert read_progress(tmp_path) is None
    file.close()


def test_another_nights_file_is_not_taken_for_this_one(tmp_path: Path) -> None:
    spending = Spending()
    file = opened(tmp_path, spending)
    spending.wait()
    hold(tmp_path, os.getppid())
    assert read_progress(tmp_path) is None
    file.close()


def test_a_file_that_cannot_be_read_is_no_progress(tmp_path: Path) -> None:
    assert read_progress(tmp_path) is None
    hold(tmp_path, os.getpid())
    (tmp_path / NAME).write_text('{"night": 3', encoding="utf-8")
    assert read_progress(tmp_path) is None


def test_a_night_continues_if_the_file_cannot_be_written(tmp_path: Path) -> None:
    spending = Spending()
    file = opened(tmp_path / "nowhere", spending)
    spending.wait()
    file.close()
