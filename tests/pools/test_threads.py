import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, CallPending
from skillopt_sleep.pools.threads import ThreadPool


class Progress:
    """Records the reports."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, int, int]] = []

    def __call__(self, label: str, done: int, total: int) -> None:
        self.heard.append((label, done, total))


KEYBOARD = """
import os, signal, threading, time
from skillopt_sleep.pools.threads import ThreadPool


pool = ThreadPool(2, lambda label, done, total: None)

def chain(number):
    if number == 0:
        return number
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
    pool.map(time.sleep, [0.01] * 5000, label="x")
    return number

found = []
try:
    found.extend(pool.together(chain, range(2)))
except KeyboardInterrupt:
    print(found, "stopped")
"""


def _quiet(label: str, done: int, total: int) -> None:
    pass


def test_order_is_kept_however_long_each_takes() -> None:
    def late_first(number: int) -> int:
        time.sleep(0.02 if number == 0 else 0)
        return number

    assert ThreadPool(4, _quiet).map(late_first, range(12), label="x") == tuple(range(12))


def test_as_many_run_at_once_as_there_are_workers_and_no_more() -> None:
    together = threading.Barrier(3, timeout=10)
    ThreadPool(3, _quiet).map(lambda _: together.wait(), range(9), label="x")

    running, most, lock = 0, 0, threading.Lock()

    def count(_: int) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.002)
        with lock:
            running -= 1

    ThreadPool(3, _quiet).map(count, range(30), label="x")
    assert most <= 3


def test_progress_hears_the_beginning_and_every_end() -> None:
    progress = Progress()
    ThreadPool(2, progress).map(lambda item: item, "abc", label="rollout")
    assert progress.heard == [("rollout", done, 3) for done in range(4)]


def test_a_question_that_waits_for_its_answer_is_not_done() -> None:
    progress = Progress()

    def asked(item: str) -> str:
        if item != "b":
            raise CallPending(f"{item} waits")
        return item

    with pytest.raises(CallPending):
        ThreadPool(2, progress).map(asked, "abc", label="mine")
    assert progress.heard == [("mine", 0, 3), ("mine", 1, 3)]


def test_progress_hears_nothing_of_nothing() -> None:
    progress = Progress()
    ThreadPool(2, progress).map(lambda item: item, (), label="rollout")
    assert progress.heard == []


def test_the_first_night_error_is_the_one_that_is_raised() -> None:
    login = threading.Event()

    def fail(number: int) -> None:
        if number == 0:
            login.wait(10)
            time.sleep(0.2)
            raise BudgetExhausted("second")
        login.set()
        raise BackendUnavailable("first")

    with pytest.raises(BackendUnavailable, match="first"):
        ThreadPool(2, _quiet).map(fail, range(2), label="x")


def test_running_calls_end_before_an_error_is_raised() -> None:
    ended = threading.Event()
    begun = threading.Event()

    def work(number: int) -> None:
        if number == 0:
            begun.wait(10)
            raise BackendUnavailable("gone")
        begun.set()
        time.sleep(0.05)
        ended.set()

    with pytest.raises(BackendUnavailable):
        ThreadPool(2, _quiet).map(work, range(2), label="x")
    assert ended.is_set()


def test_no_thread_outlives_its_map() -> None:
    ThreadPool(4, _quiet).map(lambda _: time.sleep(0.001), range(20), label="x")
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("sleep")] == []


# chains -------------------------------------------------------------------------------------------------


def test_chains_share_the_workers() -> None:
    pool = ThreadPool(3, _quiet)
    running, most, lock = 0, 0, threading.Lock()

    def count(_: int) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.002)
        with lock:
            running -= 1

    list(pool.together(lambda _: pool.map(count, range(10), label="x"), range(5)))
    assert most == 3


def test_one_chain_goes_on_while_another_waits_for_its_last_call() -> None:
    pool = ThreadPool(2, _quiet)
    other_ended = threading.Event()

    def chain(number: int) -> bool:
        if number == 0:
            return all(pool.map(lambda _: other_ended.wait(10), [0], label="slow"))
        for step in range(3):
            pool.map(abs, [step], label="quick")
        other_ended.set()
        return True

    assert list(pool.together(chain, range(2))) == [True, True]


def test_an_earlier_chain_goes_first_where_workers_are_few() -> None:
    pool = ThreadPool(1, _quiet)
    order: list[int] = []
    taken, queued = threading.Event(), threading.Barrier(4, timeout=10)

    def hold(number: int) -> None:
        taken.set()
        queued.wait()
        time.sleep(0.3)
        order.append(number)

    def chain(number: int) -> None:
        if number == 3:
            pool.map(hold, [number], label="x")
            return
        taken.wait(10)
        queued.wait()
        time.sleep(0.05 * (2 - number))  # the last one asks first
        pool.map(order.append, [number], label="x")

    list(pool.together(chain, range(4)))
    assert order == [3, 0, 1, 2]


def test_chains_stopped_from_the_keyboard_keep_finished_results(tmp_path: Path) -> None:
    script = tmp_path / "chains.py"
    script.write_text(KEYBOARD, encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == ["[0]", "stopped"], done.stderr


def test_progress_is_told_by_one_chain_at_a_time() -> None:
    telling = threading.Lock()
    clashes: list[str] = []

    def progress(label: str, done: int, total: int) -> None:
        if not telling.acquire(blocking=False):
            clashes.append(label)
            return
        time.sleep(0.001)
        telling.release()

    pool = ThreadPool(4, progress)
    list(pool.together(lambda _: pool.map(abs, range(10), label="x"), range(4)))
    assert clashes == []
