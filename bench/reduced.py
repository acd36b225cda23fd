"""The reduced form of the benchmarks: each runs in seconds, without the peers that are installed for it.

SKILLOPT_SLEEP_BENCH_REDUCED=1 asks for it, of child processes too. It shows that a benchmark still runs; the figures
that it prints say nothing.
"""

import os
from typing import TypeVar

Size = TypeVar("Size")

NAME = "SKILLOPT_SLEEP_BENCH_REDUCED"
REDUCED = os.environ.get(NAME) == "1"


def size(whole: Size, reduced: Size) -> Size:
    """Return the one or the other size of a benchmark."""
    return reduced if REDUCED else whole
