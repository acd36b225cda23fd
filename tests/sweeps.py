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
    """Return the cases of one parameter, all but each `every`-th marked slow."""
    return [
        case if place % every == 0 else pytest.param(case, marks=pytest.mark.slow) for place, case in enumerate(cases)
    ]
