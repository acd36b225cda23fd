"""Sharing the reading of files out among processes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Event, Thread

import pytest

from skillopt_sleep.agents.claude_code import sessions as claude_code
from skillopt_sleep.agents.codex import sessions as codex
from skillopt_sleep.agents.transcripts.files import read_each, stamp_of
from skillopt_sleep.agents.transcripts.shared import BATCH, can_share, read_shared
from skillopt_sleep.records import Reading, Stamp
from tests.sessions import Exchange, ToolCall, claude_session, codex_session

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks safely"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),  # of the test runner's threads
]

START = datetime(2026, 10, 1, 7, 0, tzinfo=UTC)
ME = os.getpid()
ROOT = Path(__file__).parents[3]


def some_files(folder: Path, count: int) -> list[str]:
    folder.mkdir(exist_ok=True)
    paths = [folder / f"{number:03}.jsonl" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_bytes(b"x" * (number * 5000))
    return [str(path) for path in paths]


def reader_of(path: str) -> tuple[Stamp, Reading]:
    """Which process read the file."""
    return stamp_of(path), Reading(unreadable=str(os.getpid()))


def reads_slowly(path: str) -> tuple[Stamp, Reading]:
    time.sleep(0.002)
    return reader_of(path)


def reads_the_first_last(first: str, last: str, done: Path, path: str) -> tuple[Stamp, Reading]:
    if path == last:
        done.touch()
    while path == first and not done.exists():
        time.sleep(0.001)
    return reader_of(path)


def is_killed_at(where: str, path: str) -> tuple[Stamp, Reading]:
    if path == where and os.getpid() != ME:
        os.kill(os.getpid(), signal.SIGKILL)
    return stamp_of(path), Reading(unreadable=path)


def fails(path: str) -> tuple[Stamp, Reading]:
    raise ValueError(path)


def says_much(path: str) -> tuple[Stamp, Reading]:
    return stamp_of(path), Reading(unreadable="x" * 100_000)


def notes_its_process(folder: Path, path: str) -> tuple[Stamp, Reading]:
    (folder / str(os.getpid())).touch()
    time.sleep(60)
    return reader_of(path)


def shared(paths: Sequence[str], workers: int = 2) -> list[str]:
    """Who read each file."""
    return [reading.unreadable for _, reading in read_shared(paths, reader_of, workers=workers)]


def interrupts_the_group(path: str) -> tuple[Stamp, Reading]:
    if path.endswith("020.jsonl"):
        os.killpg(0, signal.SIGINT)
    return reader_of(path)


def wait_until(true: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not true():
        assert time.monotonic() < until
        time.sleep(0.01)


def is_running(process: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return False


def no_children_are_left() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


def test_reading_with_processes_gives_exactly_what_reading_without_gives(tmp_path: Path) -> None:
    for number in range(90):
        tools = (ToolCall(command="make", output="no rule\n" * number, exit_code=number % 2),)
        exchanges = (Exchange(f"mend the build, {number} ☕ " + "ghp_" + "a1B2" * 9, "It is mended.", tools=tools),)
        when = START + timedelta(minutes=number)
        claude_session(tmp_path / "projects", cwd="/home/dev/app", started=when, exchanges=exchanges)
        codex_session(tmp_path / "codex", cwd="/home/dev/app", started=when, exchanges=exchanges)
    for parse, pattern in ((claude_code.parse, "projects/**/*.jsonl"), (codex.parse, "codex/**/*.jsonl")):
        paths = [*(str(path) for path in sorted(tmp_path.glob(pattern))), str(tmp_path / "gone.jsonl")]
        alone = list(read_each(paths, parse, large=1 << 40))
        apart = list(read_shared(paths[:-1], parse, workers=3))
        assert list(read_each(paths, parse, large=0)) == alone
        assert [(path, *found) for path, found in zip(paths[:-1], apart, strict=True)] == alone[:-1]
        assert alone[-1][2].unreadable.endswith("gone.jsonl: No such file or directory")


def test_the_workers_share_the_files_and_are_gone_afterwards(tmp_path: Path) -> None:
    paths = some_files(tmp_path, 250)
    found = read_shared(paths, reads_slowly, workers=2)
    readers = [reading.unreadable for _, reading in found]
    assert str(ME) not in readers
    assert len(set(readers)) == 2
    assert no_children_are_left()


@pytest.mark.slow
def test_a_worker_that_is_slow_holds_nobody_up(tmp_path: Path) -> None:
    paths = some_files(tmp_path, 640)
    last_read = tmp_path / "last-read"

    parse = partial(reads_the_first_last, paths[0], paths[-1], last_read)
    readers = [reading.unreadable for _, reading in read_shared(paths, parse, workers=2)]
    assert readers.count(readers[0]) == BATCH


def test_few_files_take_few_workers(tmp_path: Path) -> None:
    assert len(set(shared(some_files(tmp_path, 3), workers=4))) == 1
    assert shared([]) == []


def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    paths = some_files(tmp_path, 200)

    found = list(read_shared(paths, partial(is_killed_at, paths[100]), workers=2))
    assert found == [(stamp_of(path), Reading(unreadable=path)) for path in paths]
    assert no_children_are_left()


def test_an_error_in_a_worker_is_raised_here(tmp_path: Path) -> None:
    paths = some_files(tmp_path, 100)
    with pytest.raises(ValueError, match=r"000\.jsonl"):
        list(read_shared(paths, fails, workers=2))
    assert no_children_are_left()


def test_readings_that_nobody_takes_leave_no_worker_behind(tmp_path: Path) -> None:
    found = read_shared(some_files(tmp_path, 300), says_much, workers=2)
    next(found)
    found.close()
    assert no_children_are_left()


def test_the_workers_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    paths = some_files(tmp_path / "files", 100)
    workers = tmp_path / "workers"
    workers.mkdir()
    parent = os.fork()
    if not parent:
        try:
            list(read_shared(paths, partial(notes_its_process, workers), workers=2))
        finally:
            os._exit(0)
    wait_until(lambda: len(list(workers.iterdir())) == 2)
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    wait_until(lambda: not any(is_running(int(path.name)) for path in workers.iterdir()))


def test_an_interrupt_is_the_parents_alone(tmp_path: Path) -> None:
    """Ctrl-C reaches all processes of a terminal: what a worker says of it would be noise."""
    code = """if True:
        import os, signal, sys
        from tests.agents.transcripts.test_shared import interrupts_the_group, some_files
        from skillopt_sleep.agents.transcripts.shared import read_shared
        from pathlib import Path
        try:
            list(read_shared(some_files(Path(sys.argv[1]), 100), interrupts_the_group, workers=2))
        except KeyboardInterrupt:
            print("interrupted")
    """
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, start_new_session=True,
        check=False, timeout=60,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_an_interrupt_before_a_worker_can_ignore_it_is_the_parents_alone_too(tmp_path: Path) -> None:
    code = """if True:
        import os, signal, sys
        from pathlib import Path
        from tests.agents.transcripts.test_shared import reader_of, some_files
        from skillopt_sleep.agents.transcripts.shared import read_shared
        os.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), signal.SIGINT))
        print(len(list(read_shared(some_files(Path(sys.argv[1]), 100), reader_of, workers=2))))
    """
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, start_new_session=True,
        check=False, timeout=60,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("100\n", "")


@pytest.mark.parametrize("free", range(0, 24, 3))
def test_where_the_system_allows_no_more_pipes_the_files_are_read_here(free: int, tmp_path: Path) -> None:
    code = """if True:
        import os, resource, sys
        from pathlib import Path
        from tests.agents.transcripts.test_shared import reader_of, some_files
        from skillopt_sleep.agents.transcripts.shared import read_shared
        paths = some_files(Path(sys.argv[1]), 100)
        lowest = os.open(os.devnull, os.O_RDONLY)
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + int(sys.argv[2]),) * 2)
        print(len(list(read_shared(paths, reader_of, workers=2))))
    """
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), str(free)], cwd=ROOT, capture_output=True, text=True,
        check=False, timeout=60,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("100\n", "")


def test_a_process_with_threads_reads_alone(tmp_path: Path) -> None:
    done = Event()
    thread = Thread(target=done.wait)
    thread.start()
    try:
        assert not can_share()
        paths = some_files(tmp_path, 100)
        assert {reading.unreadable for _, _, reading in read_each(paths, reader_of, large=0)} == {str(ME)}
    finally:
        done.set()
        thread.join()
