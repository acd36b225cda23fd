"""What the tree of a Claude Code session's records tells: prompts taken back and edited, and records that strayed."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from skillopt_sleep.agents.claude_code.records import Link

_SPOKEN = frozenset({"user", "assistant", "attachment", "system"})


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


def strangers(links: Sequence[Link], name: str) -> frozenset[str]:
    """The ids of other sessions whose records were written into the file of the session of this name.

    A session that is resumed or forked may go on under a new id; then its first record follows one of the old id's,
    and none of the old id's comes later except after one of the new. Where no record has the file's name, the first
    id stands for it.
    """
    spoken = [(link.session_id, link) for link in links if link.type in _SPOKEN and link.session_id]
    owners = {link.uuid: owner for owner, link in spoken}
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    before: dict[str, set[str]] = {}
    after: dict[str, set[str]] = {}
    for number, (owner, link) in enumerate(spoken):
        first.setdefault(owner, number)
        last[owner] = number
        parent = owners.get(link.parent_uuid or link.logical_parent_uuid)
        if parent and parent != owner:
            before.setdefault(owner, set()).add(parent)
            after.setdefault(parent, set()).add(owner)
    ours: set[str] = set()
    waiting = [name] if name in first else list(first)[:1]
    while waiting:
        one = waiting.pop()
        ours.add(one)
        later = (other for other in after.get(one, ()) if last[one] < first[other])
        waiting += {*before.get(one, ()), *later} - ours
    return frozenset(first.keys() - ours)


def _chain(links: Sequence[Link], places: dict[str, _Place]) -> set[str]:
    spoken = (link.uuid for link in reversed(links) if link.type in {"user", "assistant"} and link.uuid in places)
    at = next(spoken, None)
    live: set[str] = set()
    while at is not None and at in places and at not in live:
        live.add(at)
        at = places[at].parent
    return live
