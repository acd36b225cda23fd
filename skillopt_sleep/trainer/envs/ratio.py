"""Divide items among train, val and test by a ratio."""

import random
from collections.abc import Mapping, Sequence

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.env import Item

Items = Mapping[Split, tuple[Item, ...]]


def by_ratio(items: Sequence[Item], ratio: tuple[int, int, int], *, seed: int) -> Items:
    """Divide items by the ratio of train, val and test; equal texts stay together, each split keeps the file order.

    What is left over by the division goes to the splits with the largest remainders.
    """
    if not sum(ratio):
        raise ConfigError("env.ratio has only zeros", remedy="write it as [2, 1, 7]")
    groups: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        groups.setdefault(item.text, []).append(place)
    shuffled = list(groups.values())
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - a seeded split, not a secret
    splits: dict[Split, tuple[Item, ...]] = {}
    at = 0
    for split, count in zip(Split, _counts(len(shuffled), ratio), strict=True):
        places: list[int] = []
        for group in shuffled[at : at + count]:
            places += group
        splits[split] = tuple(items[place] for place in sorted(places))
        at += count
    return splits


def _counts(total: int, ratio: Sequence[int]) -> list[int]:
    exact = [total * part / sum(ratio) for part in ratio]
    counts = [int(share) for share in exact]
    by_remainder = sorted(range(len(ratio)), key=lambda place: (counts[place] - exact[place], place))
    for place in by_remainder[: total - sum(counts)]:
        counts[place] += 1
    return counts
