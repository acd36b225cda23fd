"""Follow the corrections of sessions and tasks: which of them founded nothing, and why."""

from collections.abc import Collection, Iterable, Iterator

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.mining.proof import MinedLesson
from skillopt_sleep.mining.requests import asks, own_turn
from skillopt_sleep.mining.words import lasting_words
from skillopt_sleep.records import Became, Correction, Evidence, Session, Task, signs

QUOTE_CHARS = 160


def corrections_of(tasks: Iterable[Task], became: Became, because: str = "") -> Iterator[Correction]:
    """Yield what the person said or did for these tasks, with what became of it."""
    for task in tasks:
        found = task.evidence or signs((), task.deeds)
        for piece in found or [Evidence(session=task.session, turn=0, quote=task.prompt)]:
            yield Correction(
                session=piece.session,
                turn=piece.turn,
                quote=one_line(piece.quote, limit=QUOTE_CHARS),
                deed=piece.deed,
                became=became,
                because=because,
                task=task.id,
                lesson=task.lesson,
            )


def unused(session: Session, heard: Collection[tuple[str, int]] = ()) -> Iterator[Correction]:
    """Yield the corrections of a session that nothing was made of; those in `heard` founded something."""
    for ask in asks(session):
        for turn in ask.corrections:
            words = own_turn(session, turn)
            if words and (session.id, turn) not in heard:
                became = Became.UNUSED if lasting_words(words) else Became.FOR_ONCE
                quote = one_line(words, limit=QUOTE_CHARS)
                yield Correction(session=session.id, turn=turn, quote=quote, became=became)


def unproven(mined: MinedLesson, because: str) -> Correction:
    """Return what the model quoted for a lesson that no word or deed of the person shows; no session holds it."""
    words = mined.quotes[0] if mined.quotes else mined.lesson
    return Correction(
        session="", turn=0, quote=one_line(words, limit=QUOTE_CHARS), became=Became.UNPROVEN, because=because
    )
