"""Mark tasks whose request was asked again in a later session: the earlier answer did not last."""

from collections import defaultdict
from collections.abc import Sequence

import msgspec
from rapidfuzz import fuzz

from skillopt_sleep.mining.asks import asks
from skillopt_sleep.mining.requests import request_words
from skillopt_sleep.records import Session, SignalKind, Task

SAME_REQUEST = 90.0


def note_asked_again(tasks: Sequence[Task], sessions: Sequence[Session]) -> tuple[Task, ...]:
    """Return the tasks, with the signal ASKED_AGAIN on those whose request a later session of their project repeats.

    Two requests are the same if their token sort ratio (rapidfuzz, 0 to 100) is 90 or more.
    """
    requests: dict[str, list[tuple[Session, str]]] = defaultdict(list)
    for session in sessions:
        for ask in asks(session):
            words = request_words(session, ask.turn)
            if words:
                requests[session.project].append((session, words.lower()))
    marked: list[Task] = []
    for task in tasks:
        if _is_asked_later(task, requests[task.project]):
            signals = (*task.signals, SignalKind.ASKED_AGAIN)
            marked.append(msgspec.structs.replace(task, signals=signals))
        else:
            marked.append(task)
    return tuple(marked)


def _is_asked_later(task: Task, requests: Sequence[tuple[Session, str]]) -> bool:
    prompt = task.prompt.lower()
    for session, words in requests:
        is_later = session.id != task.session and session.started > task.at
        if is_later and fuzz.token_sort_ratio(prompt, words, score_cutoff=SAME_REQUEST) > 0:
            return True
    return False
