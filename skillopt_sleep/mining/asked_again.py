"""Mark tasks whose request was asked again in a later session: the earlier answer did not last."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from skillopt_sleep.mining.asks import asks
from skillopt_sleep.mining.deeds import WHAT_CHARS, is_same_request
from skillopt_sleep.mining.requests import request_words
from skillopt_sleep.records import Deed, DeedKind, Session, Task


class _Request(NamedTuple):
    session: Session
    turn: int
    words: str


def note_asked_again(tasks: Sequence[Task], sessions: Sequence[Session]) -> tuple[Task, ...]:
    """Return the tasks, with a deed for each later session of their project that repeats their request."""
    requests: dict[str, list[_Request]] = defaultdict(list)
    for session in sessions:
        for ask in asks(session):
            words = request_words(session, ask.turn)
            if words:
                requests[session.project].append(_Request(session, ask.turn, words))
    marked: list[Task] = []
    for task in tasks:
        again = tuple(_asked_later(task, requests[task.project]))
        marked.append(msgspec.structs.replace(task, deeds=(*task.deeds, *again)) if again else task)
    return tuple(marked)


def _asked_later(task: Task, requests: Sequence[_Request]) -> Iterator[Deed]:
    """Yield the first time that each later session repeats the task's request."""
    heard: set[str] = set()
    for session, turn, words in requests:
        is_later = session.id != task.session and session.started > task.at
        if is_later and session.id not in heard and is_same_request(task.prompt, words):
            heard.add(session.id)
            at = session.turns[turn].at
            yield Deed(kind=DeedKind.ASKED_AGAIN, session=session.id, turn=turn, what=words[:WHAT_CHARS], at=at)
