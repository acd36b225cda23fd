"""The result of mining, what became of corrections without a task, and how a model is asked."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.mining.requests import asks, own_turn
from skillopt_sleep.mining.words import lasting_words
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import (
    Became,
    Calibrations,
    Correction,
    Evidence,
    Lesson,
    Note,
    Prompt,
    Purpose,
    Session,
    Task,
    signs,
)

MOST_QUOTED = 3
QUOTE_CHARS = 60
CORRECTION_CHARS = 160
UNCLEAR = "its session can't tell whether it is wanted from now on"

Reply = TypeVar("Reply", bound=msgspec.Struct)


def batched(tasks: Iterable[Task], size: int) -> list[list[Task]]:
    """Split the tasks into batches of at most `size`, each of one project, as a call counts towards one project."""
    projects: dict[str, list[Task]] = {}
    for task in tasks:
        projects.setdefault(task.project, []).append(task)
    batches: list[list[Task]] = []
    for members in projects.values():
        batches += [members[start : start + size] for start in range(0, len(members), size)]
    return batches


class Mined(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks, the lessons they test, notes on what went wrong, and the `lost` sessions that a failed call left unread.

    `lessons` holds those that are new or changed. `for_once` quotes what held for one time only. Of the
    `refused` tasks the judge's model could not tell a good known answer from a bad one. `dropped` are the corrections
    that founded no task; `calibrations` is the account of what can be judged in the repositories.
    """

    tasks: tuple[Task, ...] = ()
    lessons: tuple[Lesson, ...] = ()
    for_once: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    lost: tuple[str, ...] = ()
    refused: tuple[Task, ...] = ()
    dropped: tuple[Correction, ...] = ()
    calibrations: Calibrations = Calibrations()


def corrections_of(tasks: Iterable[Task], became: Became, because: str = "") -> Iterator[Correction]:
    """Yield what the person said or did for these tasks, with what became of it."""
    for task in tasks:
        found = task.feedback.evidence or signs((), task.feedback.deeds)
        for piece in found or [Evidence(session=task.session, turn=0, quote=task.prompt)]:
            yield Correction(
                session=piece.session,
                turn=piece.turn,
                quote=one_line(piece.quote, limit=CORRECTION_CHARS),
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
                quote = one_line(words, limit=CORRECTION_CHARS)
                yield Correction(session=session.id, turn=turn, quote=quote, became=became)


def quoted(texts: Sequence[str]) -> str:
    """Return the first three of these texts as a note names them: cut, and in quotation marks."""
    shown = [f"«{one_line(text, limit=QUOTE_CHARS)}»" for text in texts[:MOST_QUOTED]]
    if len(texts) > MOST_QUOTED:
        shown.append("…")
    return "; ".join(shown)


def ask_model(
    model: Backend,
    purpose: Purpose,
    values: Mapping[str, str],
    *,
    schema: type[Reply],
    project: str,
    stage: str,
    failure: str,
    sample: int = 0,
    template: str = "",
) -> Reply | Note:
    """Return the model's reply to the prompt of this purpose, or a note of `stage` that begins with `failure`.

    `values` fill the slots of the prompt's template, by default the one with the name of the purpose. The call counts
    towards `project`. Another `sample` draws another reply.
    """
    text = fill(template or purpose.value, **values)
    prompt = Prompt(purpose=purpose, text=text, schema=schema, project=project, sample=sample)
    try:
        reply = model.complete(prompt).structured
    except ItemError as error:
        return Note(stage=stage, summary=f"{failure}: {error.message}", remedy=error.remedy)
    assert isinstance(reply, schema)  # noqa: S101 - a backend decodes into the prompt's schema or raises
    return reply
