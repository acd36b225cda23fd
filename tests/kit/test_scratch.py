"""The folders of calls are removed once their process is gone, and never before."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from skillopt_sleep.kit.scratch import SCRATCH, SOCKETS, Cleared, clear, prefix, remove_tree, sweep

DAY = 24 * 3600


def a_call(folder: Path, name: str, *, age: float = 0.0) -> Path:
    """A call's folder with a login in it, of this age."""
    place = folder / f"{name}abc_1234"
    (place / "agent").mkdir(parents=True)
    (place / "agent" / "auth.json").write_text("{}", encoding="utf-8")
    aged(place, age)
    return place


def aged(place: Path, age: float) -> None:
    then = time.time() - age
    os.utime(place, (then, then))


def of_another(*, pid: int) -> str:
    return prefix().replace(f"-{os.getpid()}@", f"-{pid}@")


@pytest.fixture
def dead() -> int:
    """The number of a process that is over."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_where_nothing_was_called_nothing_is_made(tmp_path: Path) -> None:
    assert clear(tmp_path / "replays") == Cleared()
    assert list(tmp_path.iterdir()) == []


def test_what_belongs_to_a_process_that_is_gone_goes_and_what_is_at_work_stays(tmp_path: Path, dead: int) -> None:
    living = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        stay = [a_call(tmp_path, prefix()), a_call(tmp_path, of_another(pid=living.pid))]
        left = a_call(tmp_path, of_another(pid=dead))
        assert clear(tmp_path) == Cleared(gone=(left,))
        assert sorted(tmp_path.iterdir()) == sorted(stay)
    finally:
        living.communicate(b"\n")
    assert clear(tmp_path).gone == (stay[1],)


def test_a_later_process_of_the_same_number_keeps_nothing(tmp_path: Path) -> None:
    left = a_call(tmp_path, prefix(), age=30 * DAY)
    assert clear(tmp_path).gone == (left,)


@pytest.mark.parametrize("name", ["call-", "call-{own}@another-machine-"])
def test_of_another_machine_or_version_only_what_is_a_day_old_goes(tmp_path: Path, name: str) -> None:
    place = a_call(tmp_path, name.format(own=os.getpid()), age=DAY - 60)
    assert clear(tmp_path) == Cleared()
    aged(place, DAY + 60)
    assert clear(tmp_path).gone == (place,)


def test_what_is_no_call_and_a_link_are_left_alone(tmp_path: Path, dead: int) -> None:
    other, mine = tmp_path / "replays", tmp_path / "mine"
    other.mkdir()
    mine.mkdir()
    (mine / "notes").touch()
    (other / "notes").mkdir()
    link = other / f"{of_another(pid=dead)}abc"
    link.symlink_to(mine)
    assert clear(other) == Cleared(stuck=(link,))
    assert (mine / "notes").exists()
    assert (other / "notes").exists()


def test_what_is_not_ours_stays_in_the_systems_temporary_folder(tmp_path: Path) -> None:
    for name in ("relay-notes", "relay-7", "relay-of-2024-07", "scratch-pad", "call-log"):
        (tmp_path / name).mkdir()
        aged(tmp_path / name, 3 * DAY)
    assert clear(tmp_path, SOCKETS, shared=True) == Cleared()
    assert clear(tmp_path, SCRATCH, shared=True) == Cleared()
    assert len(list(tmp_path.iterdir())) == 5


def test_what_a_replay_left_goes_wherever_it_is(tmp_path: Path, dead: int) -> None:
    shared = tmp_path / "tmp"
    shared.mkdir()
    ended = prefix("").replace(f"{os.getpid()}@", f"{dead}@")
    left = [
        tmp_path / "replays" / f"attempt-{ended}a",
        tmp_path / "replays" / f"scratch-{ended}b",
        tmp_path / "replays" / f"base-{ended}c",
        tmp_path / "replays" / f"copy-{ended}d",
        shared / f"relay-{ended}e",
        shared / f"scratch-{ended}h",
    ]
    running = [tmp_path / "replays" / f"{prefix('attempt-')}f", shared / f"{prefix('relay-')}g"]
    for path in (*left, *running):
        path.mkdir(parents=True)
    assert sorted(sweep(tmp_path / "replays", shared).gone) == sorted(left)
    assert all(path.is_dir() for path in running)


def test_locked_folders_odd_names_links_and_pipes_go_and_what_links_lead_to_stays(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "in").mkdir(parents=True)
    (outside / "file").write_text("1")
    (outside / "in").chmod(0o500)
    top = tmp_path / "top"
    (top / "a" / "b").mkdir(parents=True)
    for name in (b"new\nline", b"\xff", b"-rf", b"0.removed"):
        os.mkdir(os.path.join(os.fsencode(top), b"a", name))  # noqa: PTH102, PTH118
    (top / "a" / "to-folder").symlink_to(outside)
    (top / "to-file").symlink_to(outside / "file")
    os.mkfifo(top / "a" / "b" / "pipe")
    (top / "a" / "b").chmod(0)
    (top / "a").chmod(0)
    assert remove_tree(top)
    assert not top.exists()
    assert (outside / "file").read_text() == "1"
    assert (outside / "in").stat().st_mode & 0o777 == 0o500


def test_a_folder_deeper_than_any_path_goes(tmp_path: Path) -> None:
    (tmp_path / "top").mkdir()
    at = os.open(tmp_path / "top", os.O_RDONLY)
    for _ in range(2_500):
        os.mkdir("d", dir_fd=at)
        below = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    assert remove_tree(tmp_path / "top")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["link", "file", "nothing"])
def test_what_is_no_folder_stays(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    if kind == "link":
        path.symlink_to(tmp_path)
    elif kind == "file":
        path.touch()
    assert remove_tree(path) is (kind == "nothing")
    assert os.path.lexists(path) is (kind != "nothing")
