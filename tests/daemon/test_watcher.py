import os
import shutil
import sys
import threading
from pathlib import Path

import pytest
from watchdog.events import FileModifiedEvent, FileSystemEvent

from skillopt_sleep.daemon.watcher import EVERY_SECONDS, FolderChanges, Refresh, Watcher

PATIENCE = 120


class Ticks:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Noted(FolderChanges):
    """Changes that can be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.came = threading.Condition()

    def on_any_event(self, event: FileSystemEvent) -> None:
        with self.came:
            self.seen.add(Path(str(event.src_path)).name)
            self.came.notify_all()

    def wait_for(self, name: str) -> bool:
        with self.came:
            return self.came.wait_for(lambda: name in self.seen, PATIENCE)


def test_what_changed_is_read_once_and_not_too_often() -> None:
    ticks = Ticks()
    changes = FolderChanges(ticks)
    ticks.now = EVERY_SECONDS
    assert not changes.take(), "nothing changed"
    changes.on_any_event(FileModifiedEvent("/p/one.jsonl"))
    assert changes.take()
    changes.on_any_event(FileModifiedEvent("/p/one.jsonl"))
    ticks.now += EVERY_SECONDS - 1
    assert not changes.take()
    ticks.now += 1
    assert changes.take()
    assert not changes.take()


def test_what_is_no_session_is_nothing_to_read() -> None:
    ticks = Ticks()
    changes = FolderChanges(ticks)
    changes.on_any_event(FileModifiedEvent("/p/notes.md"))
    ticks.now += 10 * EVERY_SECONDS
    assert not changes.take()


def test_folders_may_come_go_and_come_back(tmp_path: Path) -> None:
    changes = Noted()
    watcher = Watcher([tmp_path / "projects", tmp_path / "sessions"], changes)
    try:
        watcher.look()
        (tmp_path / "projects" / "a").mkdir(parents=True)
        watcher.look()
        (tmp_path / "projects" / "a" / "one.jsonl").write_text("{}")
        assert changes.wait_for("one.jsonl")
        (tmp_path / "projects" / "b").mkdir()
        shutil.rmtree(tmp_path / "projects")
        watcher.look()
        (tmp_path / "projects" / "c").mkdir(parents=True)
        watcher.look()
        (tmp_path / "projects" / "c" / "two.jsonl").write_text("{}")
        assert changes.wait_for("two.jsonl")
    finally:
        watcher.stop()


class Unwatchable(type(Path())):
    """A folder that is there, and that the system can't watch."""

    def __fspath__(self) -> str:
        return super().__str__()

    def __str__(self) -> str:
        return "/nowhere/at/all"


def test_a_folder_that_cannot_be_watched_is_told_of_once_and_the_others_are_watched(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    changes = Noted()
    folder = tmp_path / "watched"
    folder.mkdir()
    watcher = Watcher([Unwatchable(tmp_path), folder], changes)
    try:
        with caplog.at_level("WARNING"):
            watcher.look()
            watcher.look()
        assert [record.message for record in caplog.records].count("folder can't be watched") == 1
        (folder / "one.jsonl").write_text("{}")
        assert changes.wait_for("one.jsonl")
    finally:
        watcher.stop()


def test_one_refresh_runs_at_a_time_and_is_ended_with_the_daemon(tmp_path: Path) -> None:
    (tmp_path / "count").write_text("")
    script = "import time; open('count', 'a').write('x'); time.sleep(60)"
    refresh = Refresh(tmp_path, os.environ, [sys.executable, "-c", script])
    assert not refresh.runs()
    refresh.start()
    refresh.start()
    while not (tmp_path / "count").read_text():
        pass
    assert refresh.runs()
    refresh.stop()
    assert not refresh.runs()
    assert (tmp_path / "count").read_text() == "x"
