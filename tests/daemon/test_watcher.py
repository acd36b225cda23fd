import os
import shutil
import sys
import threading
from pathlib import Path

import pytest
from watchdog.events import FileModifiedEvent, FileSystemEvent
from watchdog.observers.polling import PollingObserver

from skillopt_sleep.daemon import watcher as watching
from skillopt_sleep.daemon.watcher import EVERY_SECONDS, QUIET_SECONDS, Changes, Refresh, Watcher, is_remote

PATIENCE = 30


class Ticks:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Noted(Changes):
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


def polls() -> bool:
    """Whether some folder is looked at from time to time, as the system doesn't report changes in it."""
    return any(isinstance(thread, PollingObserver) for thread in threading.enumerate())


def test_a_burst_is_read_once_it_rests() -> None:
    ticks = Ticks()
    changes = Changes(ticks)
    ticks.now = EVERY_SECONDS
    assert not changes.take()
    changes.on_any_event(FileModifiedEvent("/p/one.jsonl"))
    ticks.now += QUIET_SECONDS - 1
    assert not changes.take()
    ticks.now += 1
    assert changes.take()
    assert not changes.take()


def test_what_never_rests_is_read_now_and_then() -> None:
    ticks = Ticks()
    changes = Changes(ticks)
    reads = 0
    for _ in range(int(10 * EVERY_SECONDS / 30)):
        changes.on_any_event(FileModifiedEvent("/p/one.jsonl"))
        ticks.now += 30
        reads += changes.take()
    assert 4 <= reads <= 6


def test_what_is_no_session_is_nothing_to_read() -> None:
    ticks = Ticks()
    changes = Changes(ticks)
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
        assert not polls()
        shutil.rmtree(tmp_path / "projects")
        watcher.look()
        (tmp_path / "projects" / "c").mkdir(parents=True)
        watcher.look()
        (tmp_path / "projects" / "c" / "two.jsonl").write_text("{}")
        assert changes.wait_for("two.jsonl")
    finally:
        watcher.stop()


def test_more_folders_than_may_be_watched_are_polled(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / str(number)).mkdir()
    watcher = Watcher([tmp_path], Noted(), most_folders=4)
    try:
        watcher.look()
        assert polls()
    finally:
        watcher.stop()


@pytest.mark.parametrize(
    ("mounted", "remote"),
    [
        ([("/", "ext4")], False),
        ([("/", "ext4"), ("{}", "nfs4")], True),
        ([("/", "nfs"), ("{}", "ext4")], False),
        ([("/", "ext4"), ("{}", "9p")], True),
        ([], False),
    ],
)
def test_a_folder_of_another_machine_is_known_by_its_file_system(
    tmp_path: Path, mounted: list[tuple[str, str]], remote: bool
) -> None:
    assert is_remote(tmp_path / "x", [(point.format(tmp_path), kind) for point, kind in mounted]) is remote


def test_the_mounts_of_this_machine_can_be_read() -> None:
    assert all(len(mount) == 2 for mount in watching.mounts())


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
