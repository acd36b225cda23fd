"""Long sweeps: `make test` runs a few of their cases and `make check` more.

With SKILLOPT_SLEEP_TEST_EVERY_KILL=1 all of them are run, which takes an hour.
"""

import os
from collections.abc import Iterable
from typing import Any

import pytest

WHOLE = bool(os.environ.get("SKILLOPT_SLEEP_TEST_EVERY_KILL"))


def sampled(cases: Iterable[Any], *, every: int) -> list[Any]:
    """Return each `every`-th of the cases, all of them in a whole sweep."""
    return list(cases)[:: 1 if WHOLE else every]


def thinned(cases: Iterable[Any], *, every: int) -> list[Any]:
    """Return the cases of one parameter, all but each `every`-th marked slow.

    Of the slow ones `make check` runs each fourth, beginning with the first; the others are left to a whole sweep.
    """
    marked: list[Any] = []
    slow = 0
    for place, case in enumerate(cases):
        if place % every == 0:
            marked.append(case)
            continue
        is_left = slow % 4 != 0 and not WHOLE
        slow += 1
        marks = (pytest.mark.slow, pytest.mark.sweep) if is_left else (pytest.mark.slow,)
        marked.append(pytest.param(case, marks=marks))
    return marked
