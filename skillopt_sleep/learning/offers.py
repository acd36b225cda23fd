"""Leave out the lessons whose rule was found on an earlier night and waits for the person or for one more session."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    Note,
    Offered,
    Past,
    Task,
    Waiting,
    lessons_of,
)


class Open(NamedTuple):
    """The tasks to learn from, the proposals that wait for the person instead, and what is noted about the others."""

    tasks: list[Task]
    offered: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def why_nothing(self) -> str:
        """Why there is nothing to learn."""
        if self.offered:
            return f"all that was asked for was proposed already: {', '.join(self.offered)}"
        return "all that was asked for waits for one more session of its lesson"


def current(past: Past, document: Document) -> Past:
    """Return what is known of the document, with the proposals that still hold.

    One holds while our part of its files is unchanged: if only the rest changed, it is made again for the new text.
    """
    shas = {document.path: document.sha}
    bodies = {document.path: document.body_sha}
    for twin in document.twins:
        shas[twin.path] = twin.sha
        bodies[twin.path] = twin.body
    offered: list[Offered] = []
    for offer in past.offered:
        same = offer.shas.items() <= shas.items()
        if same or (offer.bodies and offer.bodies.items() <= bodies.items()):
            offered.append(offer)
    return replace(past, offered=tuple(offered))


def without(past: Past, ended: Collection[str], document: Document) -> tuple[Past, tuple[Note, ...]]:
    """Return what is known without the waiting candidates for lessons that were taken back, and a note on each."""
    waiting: list[Waiting] = []
    notes: list[Note] = []
    for wait in past.waiting:
        if ended and not set(lessons_of(wait.tested.edits)).isdisjoint(ended):
            summary = f"{document.id}: the change of {wait.night} was dropped: you took its lesson back"
            notes.append(Note(stage="trial", summary=summary, expected=True))
        else:
            waiting.append(wait)
    return replace(past, waiting=tuple(waiting)), tuple(notes)


def resting(waiting: Sequence[Waiting], offered: Sequence[Offered], document: Document) -> tuple[Waiting, ...]:
    """Return the waiting candidates whose lessons all have a proposal that waits for the person.

    A part that is tried on top of such a proposal waits until the person decided on it. Their own words, which are
    not proven yet, don't wait for themselves.
    """
    decided = _lessons(offered)
    own = {edit.key for offer in offered for edit in offer.wording}
    rest: list[Waiting] = []
    for wait in waiting:
        if all(edit.key in own for edit in wait.tested.edits):
            continue
        lessons = lessons_of(wait.tested.edits)
        on_top = wait.tested.kind is CandidateKind.PART and wait.body != document.body_sha
        if (lessons and all(lesson in decided for lesson in lessons)) or (on_top and offered):
            rest.append(wait)
    return tuple(rest)


def still_open(tasks: Sequence[Task], past: Past, document: Document, *, tonight: Sequence[Task] = ()) -> Open:
    """Return the tasks of lessons whose rule waits neither for the person nor, being early, for one more session.

    The sessions of all tasks of `tonight` are counted, also of those to test with.
    """
    decided = _lessons(past.offered)
    early: set[str] = set()
    for wait in past.waiting:
        if wait.tested.verdict.early or wait.tested.verdict.decision is Decision.ACCEPT:
            early.update(lessons_of(wait.tested.edits))
    undecided: list[Task] = []
    again: dict[str, set[str]] = {}
    for task in tasks:
        if task.lesson in decided:
            again.setdefault(decided[task.lesson], set()).add(task.session)
        elif task.lesson not in early:
            undecided.append(task)
    for task in tonight:
        if decided.get(task.lesson) in again:
            again[decided[task.lesson]].add(task.session)
    notes: list[Note] = []
    for proposal, sessions in again.items():
        asked = "1 session asks" if len(sessions) == 1 else f"{len(sessions)} sessions ask"
        summary = f"{document.id}: {asked} for what {proposal} proposes, so it wasn't learned again"
        notes.append(Note(stage="step", summary=summary, remedy=f"adopt or reject {proposal}", expected=True))
    return Open(undecided, tuple(again), tuple(notes))


def _lessons(offered: Sequence[Offered]) -> dict[str, str]:
    """Return the proposal of each lesson that has one."""
    decided: dict[str, str] = {}
    for offer in offered:
        decided |= dict.fromkeys(offer.lessons, offer.proposal)
    return decided
