"""Which records of a Claude Code session belong to prompts that the person took back and edited."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from skillopt_sleep.sources.claude_records import Link


class _Place(NamedTuple):
    number: int
    parent: str | None


def abandoned(links: Sequence[Link], typed: Collection[str]) -> frozenset[str]:
    """The ids of all records off the live chain below a prompt that was replaced by a later typed one.

    The live chain leads from the last thing said to the root. A branch that left it is abandoned only where a record
    with the same parent, typed later, is on the chain; whatever hangs on a missing parent stays.
    """
    places = {
        link.uuid: _Place(number, link.parent_uuid or link.logical_parent_uuid)
        for number, link in enumerate(links)
        if link.uuid and not link.is_sidechain
    }
    live = _chain(links, places)
    replaced: dict[str | None, int] = {}
    for name in live & set(typed):
        place = places[name]
        replaced[place.parent] = max(place.number, replaced.get(place.parent, -1))
    gone: set[str] = set()
    for name, place in places.items():
        if name in live:
            continue
        tops_a_branch = place.parent is None or place.parent in live
        if place.parent in gone or (tops_a_branch and place.number < replaced.get(place.parent, -1)):
            gone.add(name)
    return frozenset(gone)


def _chain(links: Sequence[Link], places: dict[str, _Place]) -> set[str]:
    spoken = (link.uuid for link in reversed(links) if link.type in {"user", "assistant"} and link.uuid in places)
    at = next(spoken, None)
    live: set[str] = set()
    while at is not None and at in places and at not in live:
        live.add(at)
        at = places[at].parent
    return live
