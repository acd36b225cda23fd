"""Tell which sessions are mined and how many tasks each may found, so that a night's calls can be foreseen."""

from collections import Counter
from collections.abc import Iterable

from skillopt_sleep.mining.deeds import deeds
from skillopt_sleep.mining.words import is_lasting
from skillopt_sleep.records import Session, Task

PER_SIGN = 2  # tasks for each thing that was typed or done


def may_hold_a_lesson(session: Session) -> bool:
    """Tell whether the person said something after an answer, did something, or said what holds from now on."""
    return len(session.typed) > 1 or bool(deeds(session)) or any(map(is_lasting, session.typed))


def most_tasks(session: Session) -> int:
    """Return how many tasks a session may found: two for each thing typed or done in it, none if it isn't mined."""
    if not may_hold_a_lesson(session):
        return 0
    return PER_SIGN * (len(session.typed) + len(deeds(session)))


def within_capacity(tasks: Iterable[Task], sessions: Iterable[Session]) -> tuple[Task, ...]:
    """Return the first tasks of each session, as many as it may found."""
    most = {session.id: most_tasks(session) for session in sessions}
    founded = Counter[str]()
    kept: list[Task] = []
    for task in tasks:
        founded[task.session] += 1
        if founded[task.session] <= most[task.session]:
            kept.append(task)
    return tuple(kept)
