"""What a training takes: its wall time against the least that is possible, and what is paid twice.

`make bench NAME=trainer`. The environment variable SKILLRL_PYTHON names a Python that has skillrl==1.0.0; without it
pip installs it into a folder of its own.
"""

import json
import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.reduced import REDUCED, size
from bench.trainer_cost import DEFINITIONS as COST, call_cost, limit_overhead
from bench.trainer_ideal import Ideal, ideal
from bench.trainer_lab import our_runs
from bench.trainer_peer import PEER, Called, calls_of, peer_python, peer_runs

ROUNDS = size(5, 1)
WORKERS = 8
MEDIAN, SIGMA = size(0.12, 0.001), 0.3
SMALL = {"train": 16, "val": 8, "test": 8}
SIZES = size({"train": 64, "val": 40, "test": 40}, SMALL)
WALL = {"num_epochs": 2, "batch_size": 32, "minibatch_size": 4, "merge_batch_size": 8, "workers": WORKERS, "seed": 3}
SHORT = {"num_epochs": 2, "batch_size": 8, "minibatch_size": 2, "workers": WORKERS, "seed": 3}
KINDS = ("train", "reflect", "aggregate", "select", "val")
Runs = Callable[[Sequence[Mapping[str, Any]]], Sequence[float]]  # runs to the seconds of each
DEFINITIONS = f"""
training  the toy world: {SIZES}, {WALL["num_epochs"]} epochs in batches of {WALL["batch_size"]}, {WALL["minibatch_size"]} attempts a reflection, the strict gate, test at
          the end; slow update and meta skill are off, as {PEER} has none. Both trainers try and test the same skills
model     answers both roles after a lognormal time (median {MEDIAN} s, sigma {SIGMA}), the same for the same question
wall      seconds around train(), with every write to the run's folder; the median of {ROUNDS} rounds, taken in turns
ideal     the sum over the barriers of max(work / {WORKERS}, longest call), from how long the calls of that run took. A barrier
          is where calls need answers of all calls before, or where without them it isn't known whether they will be
          made: attempts at a batch (and, beside the first, the first skill on val, which needs none of them); reflect;
          each round of merges; select; the candidate on val. All tests are one level at the end
free      the same, but the first skill's test, which waits for nothing, is made by workers who would be idle: a bound
x ideal   wall / ideal, x free: wall / free; the median of the rounds
paid      calls answered in a run that was killed when a stage's first call was about to be made, and started again,
twice     beyond those of a run that wasn't: the sum over {len(KINDS) * 2} kills, one for each stage of the first and of the last step;
          a training of {SMALL} in batches of {SHORT["batch_size"]}
again     calls that are paid for when a finished run is started again
"""


class Side(NamedTuple):
    """One round of one trainer: seconds, what is possible, and its calls."""

    wall: float
    best: Ideal
    calls: tuple[Called, ...]


def main() -> None:
    """Train, ours and the peer's, in turns; kill and go on; print."""
    with tempfile.TemporaryDirectory(prefix="bench-trainer-") as name:
        home = Path(name)
        trainers: dict[str, Runs] = {"ours": lambda runs: our_runs(runs, home / "ours")}
        if not REDUCED:
            python = peer_python(home)
            trainers["skillrl"] = lambda runs: [run.wall for run in peer_runs(python, runs, home / "skillrl-jobs")]
        walls = {name: list[Side]() for name in trainers}
        for number in range(ROUNDS):
            for who, train in trainers.items():
                walls[who].append(side(train, home / f"{who}-{number}"))
        check(walls)
        twice = {who: paid_twice(train, home / f"{who}-killed") for who, train in trainers.items()}
        cost = call_cost(trainers, home)
    figures = show(walls) | show_paid(twice) | cost | limit_overhead()
    print(DEFINITIONS)
    print(COST)
    print(json.dumps(figures))


def check(walls: Mapping[str, Sequence[Side]]) -> None:
    """Both must have tried the same skills on val, and tested the same ones, in every round."""
    ways = {
        frozenset((call.kind, call.item, call.rules) for call in one.calls if call.rules or call.kind == "test")
        for rounds in walls.values()
        for one in rounds
    }
    if len(ways) != 1:
        raise SystemExit("two trainings on the same items did not come to the same")


def side(train: Runs, folder: Path) -> Side:
    """One training, measured."""
    (wall,) = train([a_run(folder)])
    calls = calls_of(folder)
    best = ideal(calls, batch=WALL["batch_size"], epoch=SIZES["train"], workers=WORKERS)
    return Side(wall, best, calls)


def a_run(folder: Path, config: Mapping[str, Any] = WALL, **fields: Any) -> dict[str, Any]:
    """A run of either trainer."""
    run = {"folder": str(folder), "config": config, "seed": 3, "sizes": SIZES, "median": MEDIAN, "sigma": SIGMA}
    return run | fields


def paid_twice(train: Runs, home: Path) -> tuple[int, int]:
    """Calls answered twice over all kills, and when a finished run is started again."""

    def short(name: str, **fields: Any) -> dict[str, Any]:
        return a_run(home / name, SHORT, sizes=SMALL, median=0.01, **fields)

    def answered(name: str) -> int:
        return len(calls_of(home / name))

    train([short("whole")])
    whole = calls_of(home / "whole")
    train([short("whole")])
    again = answered("whole") - len(whole)
    twice = 0
    for kind, number in boundaries(whole):
        name = f"{kind}-{number}"
        train([short(name, kill=[kind, number])])
        if answered(name) >= len(whole):
            raise SystemExit(f"{name}: nobody was killed")
        train([short(name)])
        twice += answered(name) - len(whole)
    return twice, again


def boundaries(whole: Sequence[Called]) -> list[tuple[str, int]]:
    """The first call of each stage of the first step that has it, and of the last."""
    found: list[tuple[str, int]] = []
    for kind in KINDS:
        begun = sorted(call.begun for call in whole if call.kind == kind)
        others = sorted((call.begun, call.kind) for call in whole)
        firsts = [
            begun.index(at) + 1
            for (at, one), (_, before) in zip(others[1:], others, strict=False)
            if one == kind != before
        ]
        found += [(kind, number) for number in dict.fromkeys((firsts[0], firsts[-1]))]
    return found


def show(walls: Mapping[str, Sequence[Side]]) -> dict[str, float]:
    """The wall times beside what is possible."""
    print(f"\n{WORKERS} workers, {ROUNDS} rounds")
    print("          calls   wall s  ideal s  x ideal (min-max)        free s  x free")
    figures: dict[str, float] = {}
    for who, rounds in walls.items():
        ratios = [one.wall / one.best.staged for one in rounds]
        over = statistics.median(one.wall / one.best.free for one in rounds)
        wall, middle = statistics.median(one.wall for one in rounds), statistics.median(ratios)
        staged, free = (statistics.median(column) for column in zip(*(one.best for one in rounds), strict=True))
        spread = f"{middle:7.3f} ({min(ratios):.3f}-{max(ratios):.3f})"
        calls = len(rounds[0].calls)
        print(f"{who:8} {calls:6} {wall:8.2f} {staged:8.2f}  {spread} {free:13.2f} {over:7.3f}")
        mark = "" if who == "ours" else f"_{who}"
        figures |= {f"wall_x_ideal_{WORKERS}{mark}": round(middle, 3), f"wall_x_free_{WORKERS}{mark}": round(over, 3)}
        figures |= {f"wall_{WORKERS}{mark}": round(wall, 2), f"calls{mark}": calls}
    return figures


def show_paid(twice: Mapping[str, tuple[int, int]]) -> dict[str, float]:
    """What was paid twice."""
    print("\n          paid twice   again")
    figures: dict[str, float] = {}
    for who, (paid, again) in twice.items():
        print(f"{who:8} {paid:12} {again:7}")
        mark = "" if who == "ours" else f"_{who}"
        figures |= {f"calls_paid_twice{mark}": paid, f"calls_again{mark}": again}
    return figures


if __name__ == "__main__":
    main()
