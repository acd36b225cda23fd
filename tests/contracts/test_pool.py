"""What every pool promises."""

import threading
import time
from collections.abc import Callable

import pytest

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, CallPending, ItemError
from skillopt_sleep.pools.ray import RayPool
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols.work import Pool
from tests.fakes import SerialPool

MAKERS: dict[str, Callable[[], Pool]] = {
    "serial": SerialPool,
    "one thread": lambda: ThreadPool(1, lambda label, done, total: None),
    "four threads": lambda: ThreadPool(4, lambda label, done, total: None),
    # What it doesn't send anywhere, as none of these functions; tests/pools/test_ray.py has those it sends.
    "ray": lambda: RayPool(4, lambda label, done, total: None),
}


@pytest.fixture(params=MAKERS)
def pool(request: pytest.FixtureRequest) -> Pool:
    return MAKERS[request.param]()


def test_results_are_in_the_order_of_the_items(pool: Pool) -> None:
    def late_first(number: int) -> int:
        time.sleep((20 - number) / 2_000)
        return number * number

    assert pool.map(late_first, range(20), label="squares") == tuple(number * number for number in range(20))


def test_without_items_there_are_no_results(pool: Pool) -> None:
    assert pool.map(lambda item: item, (), label="nothing") == ()


def test_every_item_is_done_once(pool: Pool) -> None:
    done: list[int] = []
    pool.map(done.append, range(100), label="once")
    assert sorted(done) == list(range(100))


@pytest.mark.parametrize(
    "error", [BudgetExhausted("spent"), BackendUnavailable("gone"), ItemError("spoilt"), KeyError("bug")]
)
def test_an_error_of_one_item_is_raised(pool: Pool, error: Exception) -> None:
    def fail_on_three(number: int) -> int:
        if number == 3:
            raise error
        return number

    with pytest.raises(type(error)) as caught:
        pool.map(fail_on_three, range(6), label="failing")
    assert caught.value is error


def test_after_a_night_error_the_rest_is_not_begun(pool: Pool) -> None:
    begun: list[int] = []
    lock = threading.Lock()

    def fail_at_once(number: int) -> None:
        with lock:
            begun.append(number)
        if number == 0:
            raise BackendUnavailable("gone")
        time.sleep(0.01)

    with pytest.raises(BackendUnavailable):
        pool.map(fail_at_once, range(400), label="failing")
    time.sleep(0.05)
    # What was in flight may end, and a worker may take one more before the others hear of it.
    assert len(begun) <= 100


def test_a_pool_may_be_used_again_after_an_error(pool: Pool) -> None:
    with pytest.raises(ZeroDivisionError):
        pool.map(lambda number: 1 // number, [0], label="failing")
    assert pool.map(lambda number: number + 1, [1, 2], label="again") == (2, 3)


def test_a_call_that_waits_keeps_no_other_from_being_asked(pool: Pool) -> None:
    asked: list[int] = []

    def wait_on_odd(number: int) -> None:
        asked.append(number)
        if number % 2:
            raise CallPending("it waits", waiting=number)

    with pytest.raises(CallPending) as caught:
        pool.map(wait_on_odd, range(20), label="waiting")
    assert sorted(asked) == list(range(20))
    assert caught.value.waiting == 19


# chains -------------------------------------------------------------------------------------------------


def test_chains_may_map_and_their_results_are_in_the_order_of_the_items(pool: Pool) -> None:
    def late_first(number: int) -> tuple[int, ...]:
        time.sleep((8 - number) / 500)
        return pool.map(lambda step: number + step, range(3), label="steps")

    assert list(pool.together(late_first, range(8))) == [(n, n + 1, n + 2) for n in range(8)]


def test_without_chains_there_are_no_results(pool: Pool) -> None:
    assert list(pool.together(lambda item: item, ())) == []


@pytest.mark.parametrize("error", [BudgetExhausted("spent"), KeyError("bug")])
def test_finished_results_come_before_the_error_of_a_chain(pool: Pool, error: Exception) -> None:
    first = threading.Event()

    def fail_second(number: int) -> int:
        if number == 1:
            first.wait(10)
            raise error
        first.set()
        return number

    found: list[int] = []
    with pytest.raises(type(error)) as caught:
        found.extend(pool.together(fail_second, range(2)))
    assert caught.value is error
    assert found == [0]


def test_after_a_night_error_in_one_chain_the_others_begin_nothing_more(pool: Pool) -> None:
    begun: list[int] = []

    def chain(number: int) -> None:
        def work(step: int) -> None:
            if number == 0:
                raise BackendUnavailable("gone")
            begun.append(step)
            time.sleep(0.01)

        pool.map(work, range(400), label="steps")

    with pytest.raises(BackendUnavailable, match="gone"):
        list(pool.together(chain, range(3)))
    assert len(begun) <= 100


def test_a_chain_that_waits_keeps_no_other_from_ending(pool: Pool) -> None:
    def wait_on_first(number: int) -> int:
        if number == 0:
            pool.map(lambda _: _wait(), range(2), label="waiting")
        return number

    found: list[int] = []
    with pytest.raises(CallPending):
        found.extend(pool.together(wait_on_first, range(3)))
    assert found == [1, 2]


def test_a_pool_may_be_used_again_after_a_chain_failed(pool: Pool) -> None:
    with pytest.raises(ZeroDivisionError):
        list(pool.together(lambda number: pool.map(lambda _: 1 // number, [0], label="failing"), [0]))
    assert pool.map(lambda number: number + 1, [1, 2], label="again") == (2, 3)
    assert list(pool.together(lambda number: pool.map(abs, [number], label="again"), [-1])) == [(1,)]


def _wait() -> None:
    raise CallPending("it waits")


def test_a_night_error_is_raised_rather_than_a_call_that_waits(pool: Pool) -> None:
    def wait_or_fail(number: int) -> None:
        raise BackendUnavailable("gone") if number == 3 else CallPending("it waits")

    with pytest.raises(BackendUnavailable):
        pool.map(wait_or_fail, range(6), label="failing")
