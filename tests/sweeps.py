"""Long sweeps, of which `make test` runs a part of the cases and `make check` all of them."""

from collections.abc import Iterable
from typing import Any

import pytest


def thinned(cases: Iterable[Any], *, every: int) -> list[Any]:
    """Return the cases of one parameter, all but each `every`-th marked slow."""
    return [
        case if place % every == 0 else pytest.param(case, marks=pytest.mark.slow) for place, case in enumerate(cases)
    ]
