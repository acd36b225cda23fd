"""Requests that were asked again in a later session: what was answered before did not last."""

from collections import defaultdict
from collections.abc import Sequence

import msgspec
from rapidfuzz import fuzz

from skillopt_sleep.mining.asks import asks
from skillopt_sleep.mining.requests import request_words
from skillopt_sleep.records import Session, SignalKind, Task

SAME_REQUEST = 90.0


def note_asked_again(tasks: Sequence[Task], sessions: Sequence[Session]) -> tuple[Task, ...]:
    """The tasks, those marked whose request stands in a later session of the same project too, in nearly its words.

    Near means a token sort ratio of 90 or more (rapidfuzz, 0 to 100).
    """
    asked: dict[str, list[tuple[Session, str]]] = defaultdict(list)
    for session in sessions:
        words = (request_words(session, ask.turn) for ask in asks(session))
        asked[session.project] += [(session, said.lower()) for said in words if said]
    return tuple(
        msgspec.structs.replace(task, signals=(*task.signals, SignalKind.ASKED_AGAIN))
        if _is_asked_later(task, asked[task.project])
        else task
        for task in tasks
    )


def _is_asked_later(task: Task, asked: Sequence[tuple[Session, str]]) -> bool:
    prompt = task.prompt.lower()
    return any(
        session.id != task.session
        and session.started > task.at
        and fuzz.token_sort_ratio(prompt, said, score_cutoff=SAME_REQUEST) > 0
        for session, said in asked
    )
