"""What a call costs besides its answer: under limits with 100,000 calls behind it, and beside the peer's."""

import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.reduced import size
from bench.trainer_peer import PEER, calls_of
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Completion, Prompt, Purpose, Usage
from skillopt_sleep.stores.calls import RUN, CallStore
from skillopt_sleep.trainer.calls import meter, wrap_model
from skillopt_sleep.trainer.config import LimitsSection

BEHIND = size(100_000, 100)
BLOCK, BLOCKS = size((1_000, 7), (10, 1))
ZERO_TURNS, ZERO_RUNS = size((3, 3), (1, 1))
ZERO = {"num_epochs": 3, "batch_size": 32, "minibatch_size": 4, "merge_batch_size": 8, "workers": 8, "seed": 3}
ZERO_SIZES = size({"train": 96, "val": 60, "test": 60}, {"train": 16, "val": 8, "test": 8})
NONE = LimitsSection()
ALL = LimitsSection(calls=10**7, tokens=10**10, usd=10**6, minutes=10**6)
DEFINITIONS = f"""
limit     a call that passes all wrappers (kept answers, failures, meter, ledger) under limits of calls, tokens, dollars
overhead  and minutes, over one without a limit: both in turns in one run folder with {BEHIND:,} calls behind it; the median
          of {BLOCKS} blocks of {BLOCK:,} new calls each. The model answers at once
call ms   wall / calls of a whole training whose model answers at once, {ZERO_SIZES}, {ZERO["num_epochs"]} epochs, {ZERO["workers"]} workers; the
          median of {ZERO_TURNS} turns of {ZERO_RUNS} runs, each after one that warms up. Ours keeps every answer durably before it is used, {PEER} keeps none
"""


class AtOnce:
    """Answers at once, at a price."""

    name = "at-once"

    def complete(self, prompt: Prompt) -> Completion:
        """Answer in a word."""
        return Completion(text="yes", usage=Usage(input_tokens=len(prompt.text) // 4, output_tokens=1), usd=1e-6)


def limit_overhead(behind: int = BEHIND) -> dict[str, float]:
    """How much longer a call takes under limits, with so many calls behind it."""
    with tempfile.TemporaryDirectory(prefix="bench-limits-") as name:
        store = CallStore(Path(name) / "calls.db", lambda: datetime.now(UTC))
        _fill(store, behind)
        sides = {side: _asked(store, limits) for side, limits in (("without", NONE), ("with", ALL))}
        for backend in sides.values():
            _seconds(backend, "first", 10)  # the sums are read once, when a run begins
        taken: dict[str, list[float]] = {side: [] for side in sides}
        for number in range(BLOCKS):
            for side, backend in sides.items():
                taken[side].append(_seconds(backend, f"{side} {number}", BLOCK))
        store.close()
    medians = {side: statistics.median(seconds) for side, seconds in taken.items()}
    ratio = medians["with"] / medians["without"]
    print(f"\na call with {behind:,} behind it, in ms")
    for side, seconds in medians.items():
        print(f"  {side:8} a limit {1000 * seconds / BLOCK:7.3f}")
    print(f"  limit overhead   {ratio:7.3f}")
    return {"limit_overhead": round(ratio, 3), "limited_call_ms": round(1000 * medians["with"] / BLOCK, 3)}


def call_cost(
    trainers: Mapping[str, Callable[[Sequence[Mapping[str, Any]]], Sequence[float]]], home: Path
) -> dict[str, float]:
    """The milliseconds of a call at zero latency, ours and the peer's."""
    taken: dict[str, list[float]] = {who: [] for who in trainers}
    for turn in range(ZERO_TURNS):
        for who, train in trainers.items():
            runs = [_at_once(home / f"zero-{who}-{turn}-{number}") for number in range(ZERO_RUNS + 1)]
            walls = train(runs)
            for run, wall in list(zip(runs, walls, strict=True))[1:]:  # the first one imports and compiles
                taken[who].append(1000 * wall / len(calls_of(Path(run["folder"]))))
            for run in runs:
                shutil.rmtree(run["folder"])
    medians = {who: statistics.median(some) for who, some in taken.items()}
    print("\na call at zero latency, in ms (median, min-max)")
    figures: dict[str, float] = {}
    for who, some in taken.items():
        print(f"  {who:8} {medians[who]:7.2f} ({min(some):.2f}-{max(some):.2f})")
        mark = "" if who == "ours" else f"_{who}"
        figures[f"call_ms{mark}"] = round(medians[who], 2)
    if "skillrl" in medians:
        figures["call_x_skillrl"] = round(medians["ours"] / medians["skillrl"], 2)
        print(f"  x skillrl {figures['call_x_skillrl']:6.2f}")
    return figures


def _at_once(folder: Path) -> dict[str, Any]:
    """A training whose model answers at once."""
    return {"folder": str(folder), "config": ZERO, "seed": 3, "sizes": ZERO_SIZES, "median": 0.0, "sigma": 0.0}


def _fill(store: CallStore, rows: int) -> None:
    """Put calls into the ledger that a run made before."""
    connection = store._connection
    line = (RUN, "2026-01-01T00:00:00+00:00", Purpose.ROLLOUT.value, "at-once", "done", 30, 1, 0, 1e-6)
    connection.execute("BEGIN")
    connection.executemany(
        "INSERT INTO ledger (night, at, purpose, model, state, input_tokens, output_tokens, cached_tokens, usd) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (line for _ in range(rows)),
    )
    connection.execute("COMMIT")


def _asked(store: CallStore, limits: LimitsSection) -> Backend:
    counter = meter(limits, store.ledger, lambda: datetime.now(UTC))
    return wrap_model(AtOnce(), calls=store.calls, failures=store.failures, meter=counter)


def _seconds(backend: Backend, asker: str, calls: int) -> float:
    """The seconds of so many new questions."""
    begun = time.perf_counter()
    for number in range(calls):
        backend.complete(Prompt(purpose=Purpose.ROLLOUT, text=f"question {number} " * 8, asker=asker))
    return time.perf_counter() - begun
