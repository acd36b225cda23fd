"""How fast a training could be: its calls in levels, and what the barriers between them leave."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from bench.trainer_peer import Called

ORDER = ("train", "reflect", "aggregate", "select", "val")
LAST = 1_000_000  # the step of all tests
Level = tuple[int, int, int]  # step, place in the step, round of merges


class Ideal(NamedTuple):
    """The least seconds: with a barrier after each level, and with the first skill's test in idle workers' time."""

    staged: float
    free: float


def ideal(calls: Iterable[Called], *, batch: int, epoch: int, workers: int) -> Ideal:
    """What these calls take at least with so many workers, from what each took; an epoch has so many train items."""
    levels = levelled(list(calls), batch=batch, epoch=epoch)
    least = {level: _least([call.seconds for call in some], workers) for level, some in levels.items()}
    staged = sum(least.values())
    tests = [call for level, some in levels.items() if level[0] == LAST for call in some]
    idle = [call.seconds for call in tests if call.rules == ()]
    rest = [call.seconds for call in tests if call.rules != ()]
    needed = sum(seconds for level, seconds in least.items() if level[0] != LAST) + _least(rest, workers)
    work = sum(call.seconds for some in levels.values() for call in some) / workers
    return Ideal(staged, max(needed, work) if idle else staged)


def levelled(calls: Sequence[Called], *, batch: int, epoch: int) -> dict[Level, list[Called]]:
    """The calls by what they wait for: those of a level need answers of the one before, and none of their own.

    The first skill is tried on val beside the first batch: neither needs the other. All tests are one level.
    """
    train = sorted((call for call in calls if call.kind == "train"), key=lambda call: call.begun)
    starts: list[float] = []
    levels = defaultdict[Level, list[Called]](list)
    for place, call in enumerate(train):
        if place % epoch % batch == 0:
            starts.append(call.begun)
        levels[len(starts), 0, 0].append(call)
    for call in calls:
        if call.kind == "test":
            levels[LAST, 0, 0].append(call)
        elif call.kind == "val" and call.rules == ():
            levels[1, 0, 0].append(call)
        elif call.kind != "train":
            step = sum(start <= call.begun for start in starts)
            levels[step, ORDER.index(call.kind), call.level].append(call)
    return levels | _rounds(levels)


def _rounds(levels: Mapping[Level, Sequence[Called]]) -> dict[Level, list[Called]]:
    """Merges whose round isn't known, by round: one that began when all of a round had ended is of the next."""
    found: dict[Level, list[Called]] = {}
    for (step, place, level), some in levels.items():
        if ORDER[place] != "aggregate" or level:
            continue
        number, ended = 0, 0.0
        for call in sorted(some, key=lambda call: call.begun):
            number += bool(ended) and call.begun >= ended
            ended = max(ended, call.begun + call.seconds)
            found.setdefault((step, place, number), []).append(call)
    return found


def _least(seconds: Sequence[float], workers: int) -> float:
    """What calls that need nothing of one another take at least."""
    return max(sum(seconds) / workers, *seconds) if seconds else 0.0
