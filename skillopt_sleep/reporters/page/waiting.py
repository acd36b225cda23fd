"""Group what the person said by what became of it: what waits and for what, and what was dropped and why."""

from collections.abc import Iterable
from typing import NamedTuple

from skillopt_sleep.records import BECAME, NEXT_STEPS, Became, Correction, Corrections, said_or_done

MOST_QUOTES = 6
_WAITS = (Became.NOT_REACHED, Became.UNGRADED, Became.NEEDS_SESSION, Became.NEEDS_REPOSITORY, Became.TRIED)
_DROPPED = (Became.UNUSED, Became.FOR_ONCE, Became.TAKEN_BACK, Became.STANDS)


class Fate(NamedTuple):
    """Corrections that ended alike: how many, in which words, what to do about it, and some of what was said."""

    number: int
    words: str
    remedy: str
    quotes: list[str]
    more: int


def waiting(corrections: Corrections) -> list[Fate]:
    """Return what waits, and for what."""
    return _fates(corrections, _WAITS)


def dropped(corrections: Corrections) -> list[Fate]:
    """Return what nothing came of, and why."""
    return _fates(corrections, _DROPPED)


def _fates(corrections: Corrections, wanted: tuple[Became, ...]) -> list[Fate]:
    fates: list[Fate] = []
    for became in wanted:
        count = corrections.counts.get(became.value, 0)
        if count:
            quotes = _quotes(one for one in corrections.listed if one.became is became)
            more = len(quotes[MOST_QUOTES:])
            fates.append(Fate(count, BECAME[became], NEXT_STEPS[became], quotes[:MOST_QUOTES], more))
    return fates


def _quotes(listed: Iterable[Correction]) -> list[str]:
    """Return the words of these corrections, each once, with what happened in the case."""
    quotes: dict[str, None] = {}
    for one in listed:
        because = f" ({one.because})" if one.because else ""
        quotes[f"{said_or_done(one.sign, one.quote)}{because}"] = None
    return list(quotes)
