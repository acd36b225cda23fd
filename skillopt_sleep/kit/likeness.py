"""Tell how much two short texts are about the same, word by word."""

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

LIKE = 70.0  # from here on they count as alike

_WORD = re.compile(r"\w+")
_ORDER = 0.01  # so much less than the words themselves does their order count


def likeness(asked: str, text: str) -> float:
    """Return from LIKE to about 100 how much a text holds what is asked about; 0 if it is about something else."""
    ours, theirs = _plain(asked), _plain(text)
    if not ours or not theirs:
        return 0.0
    held = fuzz.token_set_ratio(ours, theirs, score_cutoff=LIKE)
    if not held:
        return 0.0
    return held + _ORDER * fuzz.token_sort_ratio(ours, theirs)


def nearest(text: str, others: Sequence[str]) -> list[int]:
    """Return the places of the texts that are most alike this one; none if all are about something else."""
    found = [likeness(text, other) for other in others]
    best = max(found, default=0.0)
    return [place for place, how in enumerate(found) if how and how == best]


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
