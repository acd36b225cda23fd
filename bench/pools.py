"""What a pool adds to a rollout: threads of this process against processes of a local Ray cluster.

`make bench NAME=pools`.
"""

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import cast

from bench.reduced import REDUCED, size
from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.pools.ray import RayPool, WorkerModel
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols.models import Model
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import Completion, Prompt, Split, Usage
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer.attempts import Attempt, Job
from skillopt_sleep.trainer.calls import meter, wrap_model
from skillopt_sleep.trainer.config import LimitsSection
from tests.trainer.toy import Toy

WORKERS = 8
ALONE, TOGETHER, SLOW = size((60, 400, 160), (4, 16, 16))
SECONDS = size(0.1, 0.01)
ROUNDS = size(5, 1)
CHARS = 8_000
DEFINITIONS = f"""
rollout    an attempt as a training makes it: one call of a model with a prompt of {CHARS:,} characters, through the cache, the
           limits and the ledger of a run's calls.db; no call was made before, except for `again`
threads    the default pool
ray        a local cluster, each attempt in a process of its own; the model is asked by the process that trains
workers    the same; the model is called by a task of its own in the cluster, as in a training from the command line
alone      milliseconds a rollout, one after the other, of a model that answers at once ({ALONE} rollouts)
side       milliseconds a rollout of the same model, {WORKERS} workers: wall time / rollouts ({TOGETHER} rollouts)
by side
again      the same, answered from calls.db
x ideal    wall time of {SLOW} rollouts with {WORKERS} workers of a model that takes {SECONDS} s, / ({SLOW} / {WORKERS} x {SECONDS} s)
start      seconds until the first result of a pool that was just made
All are the median of {ROUNDS} rounds, taken in turns.
"""


class Quick:
    """Answers in so many seconds."""

    name, version = "quick", ""

    def __init__(self, seconds: float = 0.0) -> None:
        self._seconds = seconds

    def complete(self, prompt: Prompt) -> Completion:
        time.sleep(self._seconds)
        return decoded(
            prompt, Completion(text="done", usage=Usage(input_tokens=CHARS // 4), usd=0.0, model=self.name)
        )

    def ready(self, _until: object) -> bool:
        return True

    def price(self, _model: str, _usage: Usage) -> float | None:
        return 0.0


def _quiet(label: str, done: int, total: int) -> None:
    pass


def _own(model: Quick, _recipe: Callable[[], Quick]) -> Model:
    return model


def _lent(model: Quick, recipe: Callable[[], Quick]) -> Model:
    return cast("Model", WorkerModel(model, recipe))


KINDS: dict[str, tuple[Callable[[int], ThreadPool | RayPool], Callable[[Quick, Callable[[], Quick]], Model]]] = {
    "threads": (lambda workers: ThreadPool(workers, _quiet), _own),
    "ray": (lambda workers: RayPool(workers, _quiet), _own),
    "workers": (lambda workers: RayPool(workers, _quiet), _lent),
}
if REDUCED:
    del KINDS["ray"]  # `workers` starts a cluster too
COLUMNS = ("alone", "side_by_side", "again", "x_ideal", "start")


def main() -> None:
    """Measure, print."""
    found: dict[str, dict[str, list[float]]] = {kind: {column: [] for column in COLUMNS} for kind in KINDS}
    for number in range(ROUNDS):
        for kind in KINDS:
            with tempfile.TemporaryDirectory(prefix="bench-pools-") as folder:
                for column, figure in _round(kind, Path(folder)):
                    found[kind][column].append(figure)
            print(f"round {number + 1}, {kind}", flush=True)
    print(DEFINITIONS)
    print(f"{'pool':<10} {'alone ms':>9} {'side by side ms':>16} {'again ms':>9} {'x ideal':>8} {'start s':>8}")
    figures: dict[str, float] = {}
    for kind, columns in found.items():
        row = {column: statistics.median(values) for column, values in columns.items()}
        print(
            f"{kind:<10} {row['alone']:>9.2f} {row['side_by_side']:>16.2f} {row['again']:>9.2f} "
            f"{row['x_ideal']:>8.3f} {row['start']:>8.2f}"
        )
        name = kind.replace(", ", "_")
        figures |= {f"{name}_{column}": round(figure, 3) for column, figure in row.items()}
    print(json.dumps(figures))


def _round(kind: str, folder: Path) -> Iterator[tuple[str, float]]:
    with _pool(kind, 1) as pool, _attempt(kind, folder / "alone.db", 0.0) as attempt:
        pool.map(attempt, _jobs(2), label="first")
        yield "alone", 1000 * _timed(pool, attempt, _jobs(ALONE, sample=1)) / ALONE
    began = time.perf_counter()
    with _pool(kind, WORKERS) as pool, _attempt(kind, folder / "calls.db", 0.0) as attempt:
        pool.map(attempt, _jobs(1), label="first")
        yield "start", time.perf_counter() - began
        # So that every process is there, and knows the environment and the model.
        pool.map(attempt, _jobs(20 * WORKERS, sample=2), label="warm up")
        time.sleep(1.0)
        pool.map(attempt, _jobs(20 * WORKERS, sample=3), label="warm up")
        jobs = _jobs(TOGETHER, sample=1)
        yield "side_by_side", 1000 * _timed(pool, attempt, jobs) / TOGETHER
        yield "again", 1000 * _timed(pool, attempt, jobs) / TOGETHER
        with _attempt(kind, folder / "slow.db", SECONDS) as slow:
            pool.map(slow, _jobs(4 * WORKERS), label="warm up")
            yield "x_ideal", _timed(pool, slow, _jobs(SLOW, sample=1)) / (SLOW / WORKERS * SECONDS)


@contextmanager
def _pool(kind: str, workers: int) -> Generator[Pool]:
    pool = KINDS[kind][0](workers)
    with closing(pool) if isinstance(pool, RayPool) else nullcontext():
        yield pool


@contextmanager
def _attempt(kind: str, path: Path, seconds: float) -> Generator[Attempt]:
    recipe = partial(Quick, seconds)
    store = CallStore(path, utc_now)
    try:
        target = KINDS[kind][1](recipe(), recipe)
        counter = meter(LimitsSection(), store.ledger, utc_now)
        yield Attempt(
            Toy({Split.TRAIN: TOGETHER}),
            wrap_model(target, calls=store.calls, failures=store.failures, meter=counter),
        )
    finally:
        store.close()


def _jobs(count: int, *, sample: int = 0) -> Sequence[Job]:
    items = Toy({Split.TRAIN: count}).items(Split.TRAIN)
    return [Job(item, "x" * CHARS, "sha", sample, "train") for item in items]


def _timed(pool: Pool, attempt: Attempt, jobs: Sequence[Job]) -> float:
    began = time.perf_counter()
    pool.map(attempt, jobs, label="rollout")
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
