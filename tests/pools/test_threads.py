import threading
import time

import pytest

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted
from skillopt_sleep.pools.threads import ThreadPool


class Progress:
    """Remembers what it heard."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, int, int]] = []

    def __call__(self, label: str, done: int, total: int) -> None:
        self.heard.append((label, done, total))


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


def test_what_is_in_flight_when_an_error_comes_may_end_before_it_is_raised() -> None:
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
