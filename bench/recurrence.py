"""Whether what is said of an adopted rule holds: the interval of the change, and that corrections are fewer.

`make bench NAME=recurrence`, or with other numbers `make bench NAME=recurrence ARGS="--people 300"`.
"""

import argparse
import json
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from statistics import fmean
from typing import NamedTuple, get_args

from bench.gate_figures import Count
from bench.recurrence_people import (
    BEYOND,
    CHANGES,
    DRIFT_WEEKS,
    HELPED,
    LATELY,
    LOOK_BACK,
    MOST_WEEKS,
    NO_BETTER,
    TIMES,
    Adopts,
    Life,
    Lived,
    World,
    life,
)
from bench.reduced import size
from skillopt_sleep.night.recurrence import compare

PEOPLE = size(100, 2)
PROCESSES = 2
LOOKS = (20, 40, 80, 160)  # counted sessions since the rule, when the interval is looked at
FOUND_WITHIN, FALSE_WITHIN = 200, 400  # counted sessions since the rule
FISHER = 0.05
HOLDS, FEWER_FOUND, FEWER_FALSE = 0.88, 0.90, 0.05
HEADER = f"{'world':40} {'holds':^42} {'none':>6} {'found':>7} {'called':>7} {'new':>8} {'lately':>7} {'any':>7} {'fisher':>7}"
WORLDS = (*CHANGES, *NO_BETTER, *BEYOND)
DEFINITIONS = f"""
person    works in sessions, on days and in weeks that differ, on one to three projects; the lesson comes up in some of the
          sessions, and is corrected in some of these: on tired days in fewer. Nothing else makes two sessions alike
adopted   new: a lesson that never came up before, after {TIMES[0]} to {TIMES[1]} corrected sessions; lately: so many within {LATELY} days, {LOOK_BACK} days of
          sessions or more being known; any: on a day that has nothing to do with corrections. A third each. The first
          two choose a moment at which corrections are frequent, as the product does
counted   sessions in which the lesson could come up, as it is recognised, or was corrected
change    the true one: the mean rate of correcting it, in the sessions in which it came up since, minus that before
holds     intervals that hold the true change, after {", ".join(map(str, LOOKS))} counted sessions since; none: times that no interval is given
found     people whose corrections are called fewer within {FOUND_WITHIN} counted sessions since, looked at after each; called: within {FALSE_WITHIN},
          or in {MOST_WEEKS} weeks; new, lately, any: the same of each third
fisher    beside it: people for whom Fisher's one-sided exact test at {FISHER:.0%}, looked at once, after {FOUND_WITHIN} counted sessions, says
          fewer. It knows nothing of looks or of the chosen moment, so it is too often false
drifts    are linear, over the first {DRIFT_WEEKS} weeks. Where some are overlooked it is a fifth of the sessions in which the lesson came
          up, where some are imagined a twentieth of the others

interval_holds: of all worlds and looks (the goal is {HOLDS} or more). fewer_found: `{HELPED.title}` ({FEWER_FOUND} or more). fewer_false: called in the
worst of the worlds in which nothing gets better ({FEWER_FALSE} or less). The world in parentheses is in no figure: in the
end all that is counted there was taken for a session with the lesson, so there is no true share since; a call of fewer would mislead.
Where the person gets laxer it truly is fewer, though the rule did nothing.
"""


class Told(NamedTuple):
    """What one person was told of a rule."""

    held: int
    intervals: int
    looks: int
    fewer_at: int | None  # counted sessions since, when corrections were first called fewer
    fewer_at_any: int | None  # sessions of every kind since, at that moment
    fisher: bool
    known: int  # counted sessions before


def main() -> None:
    """Follow the people of each world, print what they are told."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=PEOPLE, help="people of each world and way to adopt a rule")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    options = parser.parse_args()
    begun = time.perf_counter()
    found: dict[World, dict[str, list[Told]]] = {}
    print(HEADER)
    with ProcessPoolExecutor(options.processes) as pool:
        for world in WORLDS:
            found[world] = {}
            for adopts in get_args(Adopts):
                jobs = [(world, adopts, seed) for seed in range(options.people)]
                found[world][adopts] = list(pool.map(_job, jobs, chunksize=5))
            print(_row(world, found[world]), flush=True)
    print("\n".join(["", *_helped(found[HELPED])]))
    print(f"\n{time.perf_counter() - begun:.0f} s, {options.people} people of each world and way to adopt a rule")
    print(DEFINITIONS)
    print(json.dumps(figures(found)))


def _job(job: tuple[World, Adopts, int]) -> Told:
    world, adopts, seed = job
    return told(life(world, adopts, f"{world.title} {adopts} {seed}"))


def told(person: Life) -> Told:
    """Look at a rule after each counted session since it was adopted."""
    lived = list(person.before)
    seen = [each.seen for each in lived]
    since: list[Lived] = []
    fewer_at = fewer_at_any = None
    held = intervals = looks = counted = 0
    fisher = False
    for each in person.since:
        since.append(each)
        seen.append(each.seen)
        if not _counts(each):
            continue
        counted += 1
        if fewer_at is None and compare(seen, person.adopted).fewer:
            fewer_at, fewer_at_any = counted, len(since)
        if counted in LOOKS and _rates(since):
            looks += 1
            change = compare(seen, person.adopted).change
            if change is not None:
                intervals += 1
                held += change[0] <= fmean(_rates(since)) - fmean(_rates(lived)) <= change[1]
        if counted == FOUND_WITHIN:
            fisher = fisher_says_fewer(_corrected(lived), _corrected(since))
        if counted == FALSE_WITHIN:
            break
    return Told(held, intervals, looks, fewer_at, fewer_at_any, fisher, sum(map(_counts, lived)))


def _counts(each: Lived) -> bool:
    return each.seen.could_come_up or each.seen.corrected


def _rates(sessions: Sequence[Lived]) -> list[float]:
    return [each.rate for each in sessions if each.rate is not None]


def _corrected(sessions: Sequence[Lived]) -> Count:
    counted = [each for each in sessions if _counts(each)]
    return Count(sum(each.seen.corrected for each in counted), len(counted))


def fisher_says_fewer(before: Count, since: Count) -> bool:
    """Say whether so few corrections since are unlikely, by chance alone, given how many there were in all."""
    hits = before.hits + since.hits
    ways = sum(math.comb(since.of, few) * math.comb(before.of, hits - few) for few in range(since.hits + 1))
    return ways <= FISHER * math.comb(before.of + since.of, hits)


def _row(world: World, by: dict[str, list[Told]]) -> str:
    people = [each for some in by.values() for each in some]
    looks = sum(each.looks for each in people)
    none = Count(looks - sum(each.intervals for each in people), looks)
    title = f"({world.title})" if world in BEYOND else world.title
    apart = " ".join(f"{called(some, FALSE_WITHIN).rate:7.1%}" for some in by.values())
    fisher = _share(people, lambda each: each.fisher)
    within = f"{called(people, FOUND_WITHIN).rate:7.1%} {called(people, FALSE_WITHIN).rate:7.1%}"
    return f"{title:40} {holds(people)!s:42} {none.rate:6.1%} {within} {apart:>24} {fisher.rate:7.1%}"


def _helped(by: dict[str, list[Told]]) -> list[str]:
    """Say on what it depends whether a rule that helps is seen to."""
    rows = [f"{HELPED.title}, by how the rule was adopted and how many counted sessions are known from before it"]
    for adopts, people in by.items():
        of_any = _share(people, lambda each: (each.fewer_at_any or math.inf) <= FOUND_WITHIN)
        rows.append(
            f"{adopts:12} found {called(people, FOUND_WITHIN)}, within {FOUND_WITHIN} sessions of every kind {of_any.rate:6.1%}"
        )
    everyone = [each for people in by.values() for each in people]
    for low, high in ((0, 9), (10, 19), (20, 39), (40, 79), (80, 9999)):
        some = [each for each in everyone if low <= each.known <= high]
        fisher = _share(some, lambda each: each.fisher)
        rows.append(f"from {low:3} known found {called(some, FOUND_WITHIN)}, fisher {fisher.rate:6.1%}")
    return rows


def holds(people: Sequence[Told]) -> Count:
    """Count the intervals that hold the true change."""
    return Count(sum(each.held for each in people), sum(each.intervals for each in people))


def called(people: Sequence[Told], within: int) -> Count:
    """Count the people whose corrections were called fewer within so many counted sessions."""
    return _share(people, lambda each: (each.fewer_at or math.inf) <= within)


def _share(people: Sequence[Told], which: Callable[[Told], bool]) -> Count:
    return Count(sum(map(which, people)), len(people))


def figures(found: dict[World, dict[str, list[Told]]]) -> dict[str, float]:
    """Return the figures that are claimed."""
    people = {world: [each for some in by.values() for each in some] for world, by in found.items()}
    values = {
        "interval_holds": holds([each for world in (*CHANGES, *NO_BETTER) for each in people[world]]).rate,
        "fewer_found": called(people[HELPED], FOUND_WITHIN).rate,
        "fewer_false": max(called(people[world], FALSE_WITHIN).rate for world in NO_BETTER),
    }
    return {name: round(value, 4) for name, value in values.items()}


if __name__ == "__main__":
    main()
