"""What the first nights bring of a fortnight that was written from the promise, with a mind that errs as one did.

`make bench NAME=fortnight`, or with other numbers `make bench NAME=fortnight ARGS="--seeds 5 --by-hand 1"`.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import msgspec

from bench.fortnight_mind import Known, rule_of
from bench.fortnight_nights import SETTINGS, Machine, Night
from bench.fortnight_world import Fortnight, fortnight, is_useful, learnable
from bench.reduced import size
from skillopt_sleep.records import Decision, Proposal, Split, Task

SEEDS = size(20, 1)
BY_HAND = size(4, 1)
NIGHTS = 3
PROCESSES = 2
LASTING = 9
PROVABLE = 3  # sessions
DEFINITIONS = f"""
fortnight   over sixty sessions in four projects and languages, written from the promise without sight of the code: {LASTING} lessons
            that came up in three sessions and more, others twice, once, or until they were taken back, and praise. The mind
            paraphrases, misses one wish in twenty, takes one in twenty for another kind, mistypes quotes, writes one rule
            in fifteen that helps nothing, and is wrong about three grades in a hundred. The target obeys in 5 to 50 % without
            a rule, in 90 to 98 % with it
night       the real night on a real store, with the real prompts and default settings ({SETTINGS.budget.calls} calls). Three nights follow each
            other; the person does nothing in between: no session is new, what is left unread comes again, proposals wait
first, all  right rules that the first night proposes, and all three: of lasting lessons, with what the target obeys
first at    calls that the first night had made when a rule was accepted, or the limit if none was
ceiling     lasting lessons that the mind named truly in three sessions; provable: those of which mining and proving left
            tasks in three sessions
adopted     right rules after three nights if each morning all proposals are adopted (--adopt)
wrong       proposed rules without what the target obeys, or for wishes that held once or were taken back; `no_progress` are those
            for wishes of which the mind missed the taking back, or took a single time for lasting: nobody told the night
stops       how often the same first night stops for answers if the mind answers by hand, and the target is a program

first_night, three_nights, calls_to_first, handoff_stops: means; wrong: the sum over all seeds.
"""


class Found(NamedTuple):
    """What the nights of one seed came to."""

    seed: int
    right: tuple[int, ...]  # after each night
    wrong: int
    no_progress: int
    first_at: int
    calls: tuple[int, ...]
    ceiling: int
    provable: int
    stops: int | None


class Rules(NamedTuple):
    """The lasting lessons with a right rule among proposals, and the proposed rules that are wrong."""

    right: frozenset[str]
    wrong: tuple[str, ...]
    no_progress: tuple[str, ...]


def main() -> None:
    """Run the nights of each seed, and print what they came to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument(
        "--by-hand", type=int, default=BY_HAND, help="seeds whose first night is answered by hand, too"
    )
    parser.add_argument("--processes", type=int, default=PROCESSES)
    options = parser.parse_args()
    begun = time.perf_counter()
    found: list[Found] = []
    print(f"seed  ceiling  provable  {'right after each night':24} first at  wrong  no_progress  stops  calls")
    with ProcessPoolExecutor(options.processes) as pool:
        jobs = [(seed, seed < options.by_hand) for seed in range(options.seeds)]
        for one in pool.map(_job, jobs):
            found.append(one)
            print(_row(one), flush=True)
    print(f"\n{time.perf_counter() - begun:.0f} s\n{DEFINITIONS}")
    print(f"means: ceiling {fmean(one.ceiling for one in found):.2f}", end=", ")
    print(
        f"provable {fmean(one.provable for one in found):.2f}, no_progress {sum(one.no_progress for one in found)} in all"
    )
    print(json.dumps(figures(found)))


def _job(job: tuple[int, bool]) -> Found:
    return of_seed(*job)


def of_seed(seed: int, by_hand: bool = False, nights: int = NIGHTS) -> Found:
    """Run the nights of a seed; `by_hand`, the first once more as somebody answers it file by file."""
    world = fortnight(seed)
    with tempfile.TemporaryDirectory(prefix="bench-fortnight-") as name:
        machine = Machine(Path(name), world)
        made = [machine.night() for _ in range(nights)]
        provable = _provable(world, Path(made[0].report.run.folder))
    stops = None
    if by_hand:
        with tempfile.TemporaryDirectory(prefix="bench-fortnight-") as name:
            stops = Machine(Path(name), world).night(by_hand=True).stops
    proposals = [proposal for night in made for proposal in night.report.proposals]
    rules = proposed(world, proposals)
    right = [
        proposed(world, [p for night in made[: n + 1] for p in night.report.proposals]).right for n in range(nights)
    ]
    return Found(
        seed=seed,
        right=tuple(map(len, right)),
        wrong=len(rules.wrong),
        no_progress=len(rules.no_progress),
        first_at=_first_at(made[0]),
        calls=tuple(night.report.spend.calls for night in made),
        ceiling=len(learnable(world)),
        provable=provable,
        stops=stops,
    )


def proposed(world: Fortnight, proposals: Sequence[Proposal]) -> Rules:
    """Return which of the proposed rules are right, and which are wrong."""
    right: set[str] = set()
    wrong: list[str] = []
    no_progress: list[str] = []
    for proposal in proposals:
        for edit in proposal.edits:
            lesson = rule_of(world, Path(proposal.path).parent.name, edit.content)
            if lesson is None or not is_useful(lesson, edit.content) or lesson.kind == "once":
                wrong.append(edit.content)
            elif lesson.kind == "taken_back":
                no_progress.append(edit.content)
            elif lesson.kind == "lasting":
                right.add(lesson.id)
    return Rules(frozenset(right), tuple(wrong), tuple(no_progress))


def _first_at(night: Night) -> int:
    accepted = [one.calls for one in night.decided if one.decision is Decision.ACCEPT]
    return min(accepted, default=int(SETTINGS.budget.calls))


def _provable(world: Fortnight, folder: Path) -> int:
    """Count the lasting lessons of which tasks in three sessions have one lesson, and one to learn from."""
    known = Known(world)
    sessions: dict[tuple[str, str], set[str]] = {}
    learned: set[tuple[str, str]] = set()
    for line in (folder / "tasks.jsonl").read_bytes().splitlines():
        task = msgspec.json.decode(line, type=Task)
        lesson = known.of_request(task.prompt)
        if lesson is not None and lesson.kind == "lasting":
            key = (lesson.id, task.lesson)
            sessions.setdefault(key, set()).add(task.session)
            if task.split is Split.TRAIN:
                learned.add(key)
    return len(
        {lesson for (lesson, name), some in sessions.items() if len(some) >= PROVABLE and (lesson, name) in learned}
    )


def _row(one: Found) -> str:
    right = "  ".join(f"{count}" for count in one.right)
    stops = "-" if one.stops is None else one.stops
    return (
        f"{one.seed:4} {one.ceiling:8} {one.provable:9}  {right:24} {one.first_at:8} {one.wrong:6} {one.no_progress:7} {stops:>6}"
        f"  {' '.join(map(str, one.calls))}"
    )


def figures(found: Sequence[Found]) -> dict[str, float]:
    """Return what the benchmark claims."""
    stops = [one.stops for one in found if one.stops is not None]
    return {
        "first_night": round(fmean(one.right[0] for one in found), 2),
        "three_nights": round(fmean(one.right[-1] for one in found), 2),
        "wrong": sum(one.wrong for one in found),
        "calls_to_first": round(fmean(one.first_at for one in found), 1),
        "handoff_stops": round(fmean(stops), 1) if stops else 0.0,
    }


if __name__ == "__main__":
    main()
