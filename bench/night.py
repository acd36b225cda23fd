"""What a night takes: its wall time against the least that is possible, and its calls against PyPI's skillopt 0.2.0.

`make bench NAME=night`. The environment variable SKILLOPT_PEER_PYTHON names a Python that has skillopt==0.2.0;
without it pip installs it into a folder of its own.
"""

import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench.harvest import PEER, peer_python
from bench.history import SECRETS
from bench.night_history import CORRECTED, LESSONS, NOW, SESSIONS, Asked, requests, write_history
from bench.night_ideal import Ideal, ideal
from bench.night_model import MEDIAN, SIGMA, Call, SlowModel
from bench.night_peer import Nights, peer_nights
from bench.reduced import REDUCED, size
from skillopt_sleep.agents.claude_code.sessions import ClaudeCode
from skillopt_sleep.backends.cached import Cached
from skillopt_sleep.backends.metered import Limits, Metered, NightMeter
from skillopt_sleep.backends.wrappers import Recorded, Redacted, Repaired, Retried, Watched
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.night.night import run_night
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.proposals.stage import FolderStager
from skillopt_sleep.proposals.targets import FileTargets
from skillopt_sleep.protocols.models import Preflight
from skillopt_sleep.records import Limit, NightReport, Outcome, Split, Task
from skillopt_sleep.replay.judges import ReferenceJudge
from skillopt_sleep.replay.text import SingleShot
from skillopt_sleep.reporters import REPORTERS
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.nights import a_crew, a_plan

ROUNDS = size({1: 1, 4: 3, 8: 3}, {4: 1})  # workers: how often
SEEDS = range(40, 47)  # of the peer's split, whose sides differ in size from seed to seed
RUBRICS = sum(asked.corrected and asked.by_rubric for asked in requests().values())
DEFINITIONS = f"""
night      {SESSIONS * len(LESSONS)} sessions of Claude Code in {len(LESSONS)} projects, each of two requests or of one that was corrected ({CORRECTED * len(LESSONS)}
           of them); {RUBRICS} of these are graded by the model, the others by checks; every stage, store, pool and wrapper is
           the real one, with the default plan; the gate's rule is strict, one rollout for each arm
model      the simulated one, slowed down: a call takes a lognormal time (median {MEDIAN} s, sigma {SIGMA}), the same for the
           same question; no two attempts read the same
wall       seconds around run_night, harvest, mining and reports included; the median of the rounds
ideal      the sum over the barriers of max(work / workers, longest call), from how long the calls of that night took.
           A barrier is where calls need answers of all calls before, or where without these answers it isn't known
           whether they will be made at all: preflight; mine; prove (which tasks a night takes is chosen among all);
           then attempts at train tasks; their grades; reflect; aggregate; select, of all documents together. Then the
           documents come one after the other, as a night tries the best-founded rule first: both arms of the trial;
           their grades; both arms of the fresh round and their grades, both arms of test and their grades (of an
           accepted edit only). A call grades several answers, so it needs several attempts: grades are a level of
           their own, which a night that asks for each grade by itself would not have, at the price of more calls.
           Where a trial leaves workers idle, the next begins, so that a night can be quicker than its ideal
free       the same, but documents wait for nothing of one another: after prove it is max(all work / workers, the sum
           over the barriers of the slowest document): a bound that can't be had where work is short at the end
x ideal    wall / ideal, x free: wall / free; the median of the rounds
calls      what was asked of a model, by purpose: the miner's and the judge's calls and the preflight's among them; what
           a side's own cache answered is not paid for and not counted
peer       {PEER}: its own night on each of the projects, at its defaults (it may change a skill and the memory), on
           the same sessions, asked in its own prompts, answered by the same model; the night must use the same
           sessions, find as many tasks and improve the same projects as ours; memory: where only memory may change.
           Its split is drawn by chance: the night whose calls are the median of {len(SEEDS)} draws is shown
x peer     our calls / the peer's
"""


class Run(NamedTuple):
    """One night as it was: seconds of all, the calls as the model saw them, the side of each request, the report."""

    wall: float
    calls: tuple[Call, ...]
    sides: Mapping[str, Split]
    report: NightReport

    @property
    def purposes(self) -> Counter[str]:
        """How many calls were paid for what."""
        return Counter(self.report.spend.purposes)

    @property
    def improved(self) -> frozenset[str]:
        """The projects whose document got better."""
        done = (one for one in self.report.documents if one.outcome is Outcome.IMPROVED)
        return frozenset(Path(one.document.project).name for one in done)


def main() -> None:
    """Run the nights, ours and the peer's, check that they agree, print."""
    for secret in SECRETS:
        redact(f"token = {secret}")  # the patterns are compiled at the first text that needs them
    with tempfile.TemporaryDirectory(prefix="bench-night-") as name:
        home = Path(name)
        write_history(home / "ours")
        write_history(home / "theirs")
        asked = requests()
        runs = {
            workers: [night(home, asked, workers=workers, name=f"{workers}-{n}") for n in range(often)]
            for workers, often in ROUNDS.items()
        }
        peers: dict[str, list[Nights]] = {}
        if not REDUCED:
            python = peer_python(home)
            for which in ("both", "memory"):
                peers[which] = [
                    peer_nights(python, home / "theirs", asked, documents=which, seed=seed) for seed in SEEDS
                ]
    first = next(iter(runs.values()))[0]
    check(first, [run for some in runs.values() for run in some], [one for some in peers.values() for one in some])
    middle = {which: sorted(some, key=lambda one: one.calls.total())[len(some) // 2] for which, some in peers.items()}
    figures = show_walls(runs) | show_calls(first, middle)
    print(DEFINITIONS)
    print(json.dumps(figures))


def night(home: Path, asked: Mapping[str, Asked], *, workers: int, name: str) -> Run:
    """One night on the history, with a store of its own."""
    model = SlowModel(asked)
    store = SqliteStore(home / "data" / name, clock=lambda: NOW, lookback=timedelta(days=7), config="")
    meter = NightMeter(store.ledger, Limits(night=Limit(10_000, 100_000_000), minutes=60), clock=lambda: NOW)
    metered = Retried(Repaired(Metered(model, meter, model=model.name, price=model.price)))
    cached = Cached(metered, store.calls, model=model.name, version=lambda: model.version)
    backend = Recorded(Watched(Redacted(cached), meter), lambda: store.page.folder)
    crew = a_crew(
        sources=(ClaudeCode(home / "ours" / ".claude"),),
        preflights=(Preflight(model.ready, backend),),
        optimizer=backend,
        grader=backend,
        executor=SingleShot(backend, night=lambda: store.page.drawn),
        judge=ReferenceJudge(backend),
        pool=ThreadPool(workers, lambda _label, _done, _total: None),
        meter=meter,
        store=store,
        targets=FileTargets(home / "ours"),
        stager=FolderStager(),
        reporters=REPORTERS,
        clock=lambda: NOW,
    )
    begun = time.perf_counter()
    report = run_night(crew, a_plan(heuristic=False))
    wall = time.perf_counter() - begun
    store.close()
    lines = (Path(report.run.folder) / "tasks.jsonl").read_bytes().splitlines()
    tasks = [msgspec.json.decode(line, type=Task) for line in lines]
    print(f"{workers} workers: {wall:.1f} s", flush=True)
    return Run(wall, tuple(model.calls), {task.prompt: task.split for task in tasks if task.split}, report)


def check(first: Run, runs: list[Run], peers: list[Nights]) -> None:
    """All nights must have come to the same."""
    for run in runs:
        if len(run.calls) != run.report.spend.calls:
            raise SystemExit(f"{len(run.calls)} calls were made, {run.report.spend.calls} counted")
        if run.report.trouble:
            raise SystemExit(f"a night had problems: {run.report.trouble}")
        if (run.purposes, run.report.documents) != (first.purposes, first.report.documents):
            raise SystemExit("two nights on the same sessions did not come to the same")
    used, tasks = first.report.found.sessions.used, sum(first.report.found.tasks.values())
    for theirs in peers:
        if (theirs.improved, theirs.sessions, theirs.tasks) != (first.improved, used, tasks):
            raise SystemExit(f"the peer: {theirs}; we: {first.improved}, {used} sessions, {tasks} tasks")


def show_walls(runs: Mapping[int, list[Run]]) -> dict[str, float]:
    """The wall times beside what is possible."""
    first = next(iter(runs.values()))[0]
    report, improved = first.report, len(first.improved)
    print(
        f"\n{report.found.sessions.used} sessions, {report.found.tasks}, {report.spend.calls} calls, {improved} documents improved"
    )
    print("workers  rounds   wall s  ideal s  x ideal (min-max)        free s  x free")
    figures: dict[str, float] = {"improved": improved}
    for workers, some in runs.items():
        best = [ideal(run.calls, run.sides, workers) for run in some]
        ratios = [run.wall / one.staged for run, one in zip(some, best, strict=True)]
        over = statistics.median(run.wall / one.free for run, one in zip(some, best, strict=True))
        middle, wall = statistics.median(ratios), statistics.median(run.wall for run in some)
        least = Ideal(*(statistics.median(column) for column in zip(*best, strict=True)))
        spread = f"{middle:7.3f} ({min(ratios):.3f}-{max(ratios):.3f})"
        print(f"{workers:7} {len(some):7} {wall:8.2f} {least.staged:8.2f}  {spread} {least.free:13.2f} {over:7.3f}")
        figures |= {f"wall_{workers}": round(wall, 2), f"wall_x_ideal_{workers}": round(middle, 3)}
        figures[f"wall_x_free_{workers}"] = round(over, 3)
    return figures


def show_calls(ours: Run, peers: Mapping[str, Nights]) -> dict[str, float]:
    """The calls of both sides by purpose."""
    sides = {"ours": ours.purposes, **{f"peer, {which}": theirs.calls for which, theirs in peers.items()}}
    purposes = list(dict.fromkeys(key for counts in sides.values() for key in counts))
    print(f"\n{'calls':14}" + "".join(f"{purpose:>10}" for purpose in (*purposes, "all")))
    for name, counts in sides.items():
        print(f"{name:14}" + "".join(f"{number:10}" for number in (*(counts[p] for p in purposes), counts.total())))
    paid = ours.purposes.total()
    if not peers:
        return {"calls": paid}
    ratios = {which: round(paid / theirs.calls.total(), 3) for which, theirs in peers.items()}
    print(f"ours / peer: {ratios['both']} at its defaults, {ratios['memory']} where only memory may change")
    return {
        "calls": paid,
        "calls_peer": peers["both"].calls.total(),
        "calls_x_peer": ratios["both"],
        "calls_x_peer_memory": ratios["memory"],
    }


if __name__ == "__main__":
    main()
