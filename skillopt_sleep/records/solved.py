"""Solved: how many attempts did all that was asked, in numbers that need no statistics."""

from collections.abc import Iterable

from skillopt_sleep.records.pairs import Pair
from skillopt_sleep.records.record import Record


class Solved(Record, frozen=True, kw_only=True):
    """The number of `n` attempts at the `requests` that did all that was asked, without the change and with it."""

    before: int
    after: int
    n: int
    requests: int


def solved(pairs: Iterable[Pair]) -> Solved | None:
    """Count the attempts that did all that was asked; None without pairs, or if one of them doesn't say it."""
    before = after = n = 0
    requests: set[tuple[str, str]] = set()
    for pair in pairs:
        if pair.solved is None:
            return None
        before += pair.solved[0]
        after += pair.solved[1]
        n += 1
        # Older versions didn't keep the request.
        requests.add((pair.session, pair.request) if pair.request else ("", pair.task))
    if not n:
        return None
    return Solved(before=before, after=after, n=n, requests=len(requests))
