"""How the time of some work grows with its text, told by two lengths in one run and never by a clock's own number."""

import time
from collections.abc import Callable

ROUNDS = 5
TIMES = 4
LINEAR_WITH_NOISE = 10  # quadratic work takes sixteen times as long for a text four times as long


def growth(work: Callable[[str], object], piece: str, *, length: int) -> float:
    """Tell how many times longer the work takes on `length` characters of a repeated piece than on a quarter of them."""
    text = (piece * length)[:length]
    short = text[: length // TIMES]
    work(text)
    # In turns, so that a machine that becomes slower in the meantime slows both.
    rounds = [(_once(lambda: work(text)), _once(lambda: work(short))) for _ in range(ROUNDS)]
    return min(long for long, _ in rounds) / min(brief for _, brief in rounds)


def seconds(work: Callable[[], object]) -> float:
    """Measure the fastest of a few runs, in seconds of this process."""
    work()
    return min(_once(work) for _ in range(ROUNDS))


def _once(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
