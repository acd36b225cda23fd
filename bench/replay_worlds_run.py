"""Run nights in the worlds of replay_worlds.py, and say how often the rule was accepted, with an exact bound."""

import math
import multiprocessing
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from bench.reduced import size
from bench.replay_nights import ended
from bench.replay_worlds import WORLDS, Kind, Night, World
from skillopt_sleep.protocols.sealing import Seal
from skillopt_sleep.replay.seals import SEALS, chosen

TRIED = size(WORLDS, WORLDS[:1])
AT_ONCE = 3
FEWER = 5  # as many times fewer nights of the kinds that need no bound
LEVEL = 0.95
DEFINITIONS = f"""
accepted           nights that stage the rule as proven, of all nights of a world or a kind
bound              the exact (Clopper-Pearson) one-sided upper end at {LEVEL:.0%}: with a true rate above it, so few acceptances
                   or fewer would come in less than {1 - LEVEL:.0%} of such samples
useless, harmful   what may not be accepted; helpful: what should be; trade: two measures of good disagree, nothing is promised
attempts, seconds  the mean of a night; seconds are those of one of {AT_ONCE} nights that run at once
"""


class Row(NamedTuple):
    """A night: whether the rule was accepted, its outcome, its attempts and its seconds."""

    accepted: bool
    outcome: str
    attempts: int
    seconds: float


def worlds(nights: int) -> dict[str, float]:
    """Run so many useless and so many harmful nights, and a fifth as many of each other kind, over all worlds."""
    print(
        f"\n{'world':50} {'accepted':>9} {'rate':>6} {'bound':>6} {'attempts':>8} {'seconds':>7}  outcomes",
        flush=True,
    )
    of_kind: dict[Kind, list[Row]] = {}
    fresh = multiprocessing.get_context("spawn")  # a forked one would have copies of open locks
    with ProcessPoolExecutor(AT_ONCE, mp_context=fresh) as pool:
        begun = {
            world.name: [pool.submit(one_night, world.name, seed) for seed in range(share(world, nights))]
            for world in TRIED
        }
        for world in TRIED:
            rows = list(_ended(begun[world.name]))
            of_kind.setdefault(world.kind, []).extend(rows)
            print(line(f"{world.kind}: {world.name}", rows), flush=True)
    figures: dict[str, float] = {}
    for kind, rows in of_kind.items():
        print(line(f"all {kind}", rows))
        figures |= _figures(kind, rows)
    print(DEFINITIONS)
    return figures


def share(world: World, nights: int) -> int:
    """Return how many of the nights of its kind this world has."""
    alike = [other.name for other in TRIED if other.kind == world.kind]
    most = nights if world.kind in ("useless", "harmful") else max(len(alike), nights // FEWER)
    return len(range(alike.index(world.name), most, len(alike)))


def one_night(name: str, seed: int) -> Row:
    """Run one night of the world of this name."""
    world = next(each for each in WORLDS if each.name == name)
    night = Night(world, seed)
    begun = time.perf_counter()
    end = ended(world.cell, night, _seal(), night.place)
    return Row(end.staged, end.outcome, end.attempts, time.perf_counter() - begun)


@cache
def _seal() -> Seal:
    """Return the seal that can be used here, which is tried once in each process."""
    # The model is asked without TLS: to read this machine's certificates for each attempt takes a quarter of its time.
    os.environ["SSL_CERT_DIR"] = "/nowhere"
    with tempfile.TemporaryDirectory(prefix="bench-", dir="/tmp") as name:
        choice = chosen(SEALS, Path(name))
    if choice.seal is None:
        raise SystemExit(choice.why_not)
    return choice.seal


def _ended(begun: Sequence[Future[Row]]) -> Iterator[Row]:
    for each in begun:
        yield each.result()


def line(name: str, rows: Sequence[Row]) -> str:
    """Return a line of the table."""
    hits = sum(row.accepted for row in rows)
    outcomes = ", ".join(
        f"{outcome} {count}" for outcome, count in Counter(row.outcome for row in rows).most_common()
    )
    attempts = fmean(row.attempts for row in rows)
    seconds = fmean(row.seconds for row in rows)
    return (
        f"{name:50} {hits:4}/{len(rows):<4} {hits / len(rows):6.3f} {exact_upper(hits, len(rows)):6.3f} "
        f"{attempts:8.0f} {seconds:7.1f}  {outcomes}"
    )


def exact_upper(hits: int, of: int) -> float:
    """Return the greatest rate at which so few hits or fewer are not too rare."""
    if hits >= of:
        return 1.0
    low, high = hits / of, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        chance = math.fsum(math.comb(of, k) * middle**k * (1 - middle) ** (of - k) for k in range(hits + 1))
        if chance > 1 - LEVEL:
            low = middle
        else:
            high = middle
    return high


def _figures(kind: Kind, rows: Sequence[Row]) -> dict[str, float]:
    hits = sum(row.accepted for row in rows)
    return {
        f"worlds_{kind}_nights": len(rows),
        f"worlds_{kind}_accepted": hits,
        f"worlds_{kind}_bound": round(exact_upper(hits, len(rows)), 4),
        f"worlds_{kind}_seconds": round(fmean(row.seconds for row in rows), 2),
    }
