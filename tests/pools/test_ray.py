"""Test the Ray pool on a local cluster of two processes, started once for the whole file."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from skillopt_sleep.backends.metered import Limits, NightMeter
from skillopt_sleep.errors import (
    BackendUnavailable,
    BudgetExhausted,
    CallFailed,
    CallPending,
    ConfigError,
    FailureKind,
    ItemError,
)
from skillopt_sleep.pools.ray import RayPool, WorkerModel
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Completion, Limit, Prompt, Usage
from skillopt_sleep.trainer import TrainerConfig
from skillopt_sleep.trainer.calls import wrap_model
from skillopt_sleep.trainer.loading import load_class
from skillopt_sleep.trainer.models import FunctionModel, for_workers
from tests.fakes import FakeBackend, FakeCalls, FakeClock, FakeFailures, FakeLedger
from tests.pools.portable import (
    Broken,
    Echo,
    Nobody,
    Work,
    ask,
    ask_from_threads,
    ask_in_vain,
    die,
    die_once,
    end_all,
    fail,
    never_gives_up,
    pid,
    square,
    unpicklable,
    variable,
)
from tests.trainer.test_loop import MODES
from tests.trainer.toy import Scripted, a_config, a_trainer, bytes_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


HEARD: list[tuple[str, int, int]] = []


@pytest.fixture(scope="module")
def pool() -> Iterator[RayPool]:
    with closing(RayPool(2, lambda *told: HEARD.append(told))) as ray_pool:
        pids_of(ray_pool)
        yield ray_pool


def pids_of(pool: RayPool) -> set[int]:
    """Return the ids of both processes."""
    found: set[int] = set()
    until = time.monotonic() + 60
    while len(found) < 2 and time.monotonic() < until:
        found |= set(pool.map(Work(pid, Nobody()), [0.1] * 4, label="where"))
    return found


def test_attempts_are_made_in_two_processes_and_neither_is_this_one(pool: RayPool) -> None:
    pids = pids_of(pool)
    assert len(pids) == 2
    assert os.getpid() not in pids


def test_results_are_in_the_order_of_the_items(pool: RayPool) -> None:
    assert pool.map(Work(square, Nobody()), range(20), label="x") == tuple(n * n for n in range(20))


def test_progress_is_reported_for_work_done_by_workers(pool: RayPool) -> None:
    pool.map(Work(square, Nobody()), range(3), label="squares")
    assert HEARD[-4:] == [("squares", done, 3) for done in range(4)]


def test_a_model_of_this_process_is_called_here_whoever_asks(pool: RayPool) -> None:
    model = Echo()
    answers = pool.map(Work(ask, model), range(12), label="x")
    assert answers == tuple(f"{n} {os.getpid()}" for n in range(12))
    assert sorted(model.asked) == sorted(map(str, range(12)))


def test_a_worker_model_is_called_in_the_cluster(pool: RayPool) -> None:
    model = Echo()
    answers = pool.map(Work(ask, WorkerModel(model, Echo)), range(12), label="x")
    assert str(os.getpid()) not in {text.split()[1] for text in answers}
    assert model.asked == []


def where(_text: str) -> str:
    return str(os.getpid())


def test_a_model_that_is_a_function_is_called_in_the_cluster_from_python_too(pool: RayPool) -> None:
    (there,) = pool.map(Work(ask, for_workers(FunctionModel(where), where)), ["where"], label="x")
    assert there != str(os.getpid())
    mine = Echo()
    assert for_workers(mine, mine) is mine


def test_an_attempt_may_ask_from_several_threads(pool: RayPool) -> None:
    (answers,) = pool.map(Work(ask_from_threads, Echo()), [["a", "b", "c"]], label="x")
    assert [answer.split()[0] for answer in answers] == ["a", "b", "c"]


def test_a_failed_call_is_the_attempts_to_deal_with(pool: RayPool) -> None:
    broken = Broken(CallFailed(FailureKind.REFUSED, "no", remedy="ask less"))
    assert pool.map(Work(ask_in_vain, broken), ["why"], label="x") == ("refused: no (ask less)",)


@pytest.mark.parametrize("error", [BackendUnavailable("gone"), BudgetExhausted("spent"), KeyError("bug")])
def test_what_ends_more_than_an_attempt_is_raised_here_as_it_is(pool: RayPool, error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        pool.map(Work(ask, Broken(error)), range(6), label="x")
    assert caught.value is error
    assert pool.map(Work(square, Nobody()), [3], label="x") == (9,)


def test_an_attempt_that_never_gives_up_can_still_be_ended(pool: RayPool) -> None:
    with pytest.raises(BudgetExhausted):
        pool.map(Work(never_gives_up, Broken(BudgetExhausted("spent"))), range(6), label="x")


def test_what_an_attempt_raises_comes_back_whole(pool: RayPool) -> None:
    with pytest.raises(CallFailed) as caught:
        pool.map(Work(fail, Nobody()), range(4), label="x")
    error = caught.value
    assert (type(error), error.kind, error.message, error.tokens) == (
        *(CallFailed, FailureKind.QUOTA, "no more"),
        (1, 2, 3),
    )
    assert "in fail" in str(error.__cause__)
    with pytest.raises(KeyError) as bug:
        pool.map(Work(fail, Nobody()), [4], label="x")
    assert type(bug.value) is KeyError


def test_what_cannot_be_sent_is_a_bug_and_not_an_outage(pool: RayPool) -> None:
    with pytest.raises(Exception, match="lock"):
        pool.map(Work(unpicklable, Nobody()), [1], label="x")


def test_after_a_night_error_the_rest_is_not_begun(pool: RayPool, tmp_path: Path) -> None:
    with pytest.raises(BackendUnavailable) as caught:
        pool.map(Work(end_all, Nobody()), [(str(tmp_path), n) for n in range(200)], label="x")
    assert caught.value.exit_code == BackendUnavailable("", login=True).exit_code
    time.sleep(0.1)
    assert len(list(tmp_path.iterdir())) <= 50


def test_a_call_that_waits_keeps_no_other_from_being_asked(pool: RayPool) -> None:
    model = FakeBackend(otherwise=lambda prompt: CallPending("it waits") if int(prompt.text) % 2 else "done")
    with pytest.raises(CallPending):
        pool.map(Work(ask, model), range(8), label="x")
    assert sorted(prompt.text for prompt in model.prompts) == [str(n) for n in range(8)]


def test_chains_run_here_and_what_they_map_goes_to_the_workers(pool: RayPool) -> None:
    def chain(number: int) -> int:
        return sum(pool.map(Work(square, Nobody()), range(number), label="x"))

    assert list(pool.together(chain, [1, 2, 3])) == [0, 1, 5]


# workers that die ---------------------------------------------------------------------------------------


def test_an_attempt_whose_worker_dies_is_made_again_with_the_same_result(pool: RayPool, tmp_path: Path) -> None:
    mark = str(tmp_path / "died")
    items = [(str(n), mark if n == 5 else "") for n in range(12)]
    model = Echo()
    kept = wrap_model(
        model, calls=FakeCalls(), failures=FakeFailures(), meter=NightMeter(FakeLedger(), limits(), clock=FakeClock())
    )
    answers = pool.map(Work(die_once, kept), items, label="x")
    assert answers == tuple(f"{n} {os.getpid()}" for n in range(12))
    # The answers were kept here before a worker had them.
    assert sorted(model.asked) == sorted(str(n) for n in range(12))


def test_a_worker_that_is_killed_from_outside_is_replaced(pool: RayPool) -> None:
    pids = pids_of(pool)
    threading.Timer(0.5, os.kill, (min(pids), signal.SIGKILL)).start()
    answers = pool.map(Work(ask, Echo(0.2)), range(24), label="x")
    assert [text.split()[0] for text in answers] == [str(n) for n in range(24)]
    after = pids_of(pool)
    assert len(after) == 2
    assert min(pids) not in after


def test_an_item_that_kills_every_worker_is_lost_and_ends_nothing(pool: RayPool) -> None:
    first, second = pool.map(Work(die, Nobody()), range(2), label="rollout")
    assert first == 0
    assert second.startswith("1 is lost: 3 Ray workers died at it")


def test_what_an_attempt_takes_is_passed_on(pool: RayPool) -> None:
    assert pool.map(Work(square, Nobody()), [3], label="x") == (9,)
    options = {
        "num_cpus": 2,
        "resources": {"node:__internal_head__": 0.01},
        "runtime_env": {"env_vars": {"KIND": "own"}},
    }
    heavy = RayPool(2, lambda *told: None, **options)
    assert heavy.map(Work(variable, Nobody()), ["KIND"], label="x") == ("own",)
    heavy.close()
    with pytest.raises(ConfigError, match="no option 'gpus'"):
        RayPool(2, lambda *told: None, gpus=1)


def test_a_module_beside_the_environments_file_is_sent_along(pool: RayPool, tmp_path: Path) -> None:
    (tmp_path / "neighbour_of_env.py").write_text("class Told:\n    word = 'beside'\n", encoding="utf-8")
    (tmp_path / "near.py").write_text(
        "from neighbour_of_env import Told\n\n\ndef said(_target, _item):\n    return Told.word\n", encoding="utf-8"
    )
    said = load_class("near.py:said", tmp_path)
    (tmp_path / "neighbour_of_env.py").unlink()
    assert pool.map(Work(said, Nobody()), [1], label="x") == ("beside",)


# spending -----------------------------------------------------------------------------------------------


def limits(calls: int = 0) -> Limits:
    return Limits(night=Limit(calls), minutes=60)


@pytest.mark.parametrize("by_worker", [True, False])
def test_calls_never_exceed_their_limit_over_all_workers(pool: RayPool, *, by_worker: bool) -> None:
    ledger, echo = FakeLedger(), Echo(0.01)
    target: Backend = WorkerModel(echo, Echo) if by_worker else echo
    limited = wrap_model(
        target, calls=FakeCalls(), failures=FakeFailures(), meter=NightMeter(ledger, limits(10), clock=FakeClock())
    )
    with pytest.raises(BudgetExhausted, match="10 calls"):
        pool.map(Work(ask, limited), range(40), label="x")
    assert len(ledger.reserved) == 10
    spent = ledger.spent()
    assert (spent.calls, spent.usage, spent.unnamed) == (10, Usage(input_tokens=10), 0)


def test_an_equal_question_is_asked_once_whoever_asks(pool: RayPool) -> None:
    ledger = FakeLedger()
    kept = wrap_model(
        WorkerModel(Echo(), Echo),
        calls=FakeCalls(),
        failures=FakeFailures(),
        meter=NightMeter(ledger, limits(), clock=FakeClock()),
    )
    answers = pool.map(Work(ask, kept), ["the same"] * 12, label="x")
    assert len(set(answers)) == 1
    assert len(ledger.reserved) == 1


class Dying(Echo):
    """Kills its process in the first call."""

    def __init__(self, mark: Path) -> None:
        super().__init__()
        self._mark = mark

    def complete(self, prompt: Prompt) -> Completion:
        if not self._mark.exists():
            self._mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().complete(prompt)


def test_a_worker_models_call_that_dies_with_its_worker_counts_as_spent(pool: RayPool, tmp_path: Path) -> None:
    ledger = FakeLedger()
    kept = wrap_model(
        WorkerModel(Echo(), partial(Dying, tmp_path / "died")),
        calls=FakeCalls(),
        failures=FakeFailures(),
        meter=NightMeter(ledger, limits(), clock=FakeClock()),
    )
    answers = pool.map(Work(ask, kept), range(12), label="x")
    assert [text.split()[0] for text in answers] == [str(n) for n in range(12)]
    assert len(ledger.reserved) == 13


# a whole training ---------------------------------------------------------------------------------------


def scripted_worker_model(model: Scripted) -> WorkerModel:
    return WorkerModel(Model(model), Scripted)


class Model:
    """A scripted model with everything that a Model needs."""

    name, version = Scripted.name, Scripted.version

    def __init__(self, inner: Scripted) -> None:
        self.complete = inner.complete

    def ready(self, _until: object) -> bool:
        return True

    def price(self, _model: str, _usage: Usage) -> float | None:
        return None


def killing(pid: int, at: int) -> Callable[[object, int], None]:
    def stop(_: object, number: int) -> None:
        if number == at:
            os.kill(pid, signal.SIGKILL)

    return stop


OWN_ENV = """
from tests.trainer.toy import Toy


class Own(Toy):
    def initial_skill(self):
        return "# Own skill\\n"
"""
CONFIGS = {name: MODES[name] for name in ("patch", "everything")}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_a_training_is_the_same_on_threads_and_on_ray_with_a_worker_killed_in_the_middle(
    pool: RayPool, tmp_path: Path, config: TrainerConfig
) -> None:
    (tmp_path / "own.py").write_text(OWN_ENV, encoding="utf-8")
    env = load_class("own.py:Own", tmp_path)()
    on_threads, on_ray = Scripted(), Scripted(killing(min(pids_of(pool)), 60))
    a_trainer(tmp_path / "threads" / "run", on_threads, config=config, env=env).train()
    summary = a_trainer(tmp_path / "ray" / "run", on_ray, config=config, env=env, pool=pool).train()
    assert summary.best_skill.startswith("# Own skill")
    assert bytes_of(tmp_path / "threads" / "run") == bytes_of(tmp_path / "ray" / "run")
    assert sorted(on_ray.keys()) == sorted(on_threads.keys())


def test_a_training_with_a_worker_model_is_the_same_too(pool: RayPool, tmp_path: Path) -> None:
    threads, here = Scripted(), Scripted()
    a_trainer(tmp_path / "threads" / "run", threads).train()
    a_trainer(tmp_path / "ray" / "run", here, target=scripted_worker_model(here), pool=pool).train()
    assert bytes_of(tmp_path / "threads" / "run") == bytes_of(tmp_path / "ray" / "run")
    assert here.counts()["rollout"] == 0
    assert sorted(here.keys()) == sorted(key for key in list(threads.keys()) if key[0] != "rollout")


def test_a_limit_ends_a_training_on_ray_and_going_on_pays_for_nothing_twice(pool: RayPool, tmp_path: Path) -> None:
    first, second, whole = Scripted(), Scripted(), Scripted()
    ended = a_trainer(tmp_path / "ended" / "run", first, config=a_config(limits={"calls": 40}), pool=pool).train()
    assert "40 calls" in ended.stopped
    a_trainer(tmp_path / "ended" / "run", second, pool=pool).train()
    a_trainer(tmp_path / "whole" / "run", whole).train()
    assert len(first.prompts) <= 40
    both = first.keys() + second.keys()
    assert len(set(both)) == len(both)
    assert set(both) >= set(whole.keys())


def test_an_item_error_of_an_attempt_is_no_outage(pool: RayPool) -> None:
    with pytest.raises(ItemError, match="spoilt"):
        pool.map(Work(ask, Broken(ItemError("spoilt"))), [1], label="x")
