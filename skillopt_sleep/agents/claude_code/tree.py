"""Read from the tree of a session's records which prompts were taken back, and which records belong elsewhere."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from skillopt_sleep.agents.claude_code.records import CONVERSATION, TreeLink


class _Place(NamedTuple):
    number: int
    parent: str | None


def abandoned(links: Sequence[TreeLink], typed: Collection[str]) -> frozenset[str]:
    """Return the ids of all records off the live chain below a prompt that was replaced by a later typed one.

    The live chain leads from the last thing said to the root. A branch that left it is abandoned only if a record
    with the same parent, typed later, is on the chain; a record with a missing parent stays, and so does a branch
    without a parent in which something was answered.
    """
    places = _places(links)
    answered = _answered_roots(links, places)
    live = _chain(links, places)
    last_typed: dict[str | None, int] = {}  # the last prompt on the chain below each parent
    for name in live & set(typed):
        place = places[name]
        last_typed[place.parent] = max(place.number, last_typed.get(place.parent, -1))
    gone: set[str] = set()
    for name, place in places.items():
        if name in live:
            continue
        if place.parent in gone:
            gone.add(name)
            continue
        leaves_the_chain = place.parent in live or (place.parent is None and name not in answered)
        if leaves_the_chain and place.number < last_typed.get(place.parent, -1):
            gone.add(name)
    return frozenset(gone)


def strangers(links: Sequence[TreeLink], name: str) -> frozenset[str]:
    """Return the ids of other sessions whose records were written into the file of the session of this name.

    A session that is resumed or forked may go on under a new id. Then its first record follows one of the old id's,
    and none of the old id's comes later, except after one of the new. If no record has the file's name, the first
    id stands for it.
    """
    sessions = _Sessions(links)
    ours: set[str] = set()
    waiting: list[str] = []
    if name in sessions.first:
        waiting = [name]
    elif sessions.first:
        waiting = [next(iter(sessions.first))]
    while waiting:
        session = waiting.pop()
        ours.add(session)
        waiting += sessions.continued(session) - ours
    return frozenset(sessions.first.keys() - ours)


class _Sessions:
    """The sessions whose records are in one file: where each begins and ends, and which follow which."""

    def __init__(self, links: Sequence[TreeLink]) -> None:
        self.first: dict[str, int] = {}
        self._last: dict[str, int] = {}
        self._before: dict[str, set[str]] = {}
        self._after: dict[str, set[str]] = {}
        spoken = [(link.session_id, link) for link in links if link.type in CONVERSATION and link.session_id]
        owners = {link.uuid: owner for owner, link in spoken}
        for number, (owner, link) in enumerate(spoken):
            self.first.setdefault(owner, number)
            self._last[owner] = number
            parent = owners.get(link.parent_uuid or link.logical_parent_uuid)
            if parent and parent != owner:
                self._before.setdefault(owner, set()).add(parent)
                self._after.setdefault(parent, set()).add(owner)

    def continued(self, session: str) -> set[str]:
        """Return the sessions that this one goes on from, and those that go on from it after its end."""
        sessions = set(self._before.get(session, ()))
        for other in self._after.get(session, ()):
            if self._last[session] < self.first[other]:
                sessions.add(other)
        return sessions


def _places(links: Sequence[TreeLink]) -> dict[str, _Place]:
    """Return where each record of the conversation is; sidechains are not part of it."""
    places: dict[str, _Place] = {}
    for number, link in enumerate(links):
        if link.uuid and not link.is_sidechain and link.uuid not in places:
            places[link.uuid] = _Place(number, link.parent_uuid or link.logical_parent_uuid)
    return places


def _answered_roots(links: Sequence[TreeLink], places: dict[str, _Place]) -> set[str]:
    """Return the ids of the records without a parent below which the agent answered."""
    roots: dict[str, str] = {}
    for name, place in places.items():
        roots[name] = roots.get(place.parent or "", name)
    return {roots[link.uuid] for link in links if link.type == "assistant" and link.uuid in roots}


def _chain(links: Sequence[TreeLink], places: dict[str, _Place]) -> set[str]:
    """Return the ids of the records from the last thing said up to the root."""
    at: str | None = None
    for link in reversed(links):
        if link.type in {"user", "assistant"} and link.uuid in places:
            at = link.uuid
            break
    live: set[str] = set()
    while at is not None and at in places and at not in live:
        live.add(at)
        at = places[at].parent
    return live
