"""A remembered task, and how a person's edits of it combine with later ones; and which of two proposals says more."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec.structs import replace

from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.records import BY_HAND, Lesson, Proof, Proposal, Task, taken_back, why_ended, why_kept
from skillopt_sleep.stores.schema import hashed

_CACHED = 2_048


class Banked(NamedTuple):
    """A task in the bank: when a person edited, dropped or pinned it (or None), and its earlier versions.

    `night` is the night that banked it as it is, "" if none has yet. It `waits` while no night has used a person's
    edit. `earlier` is oldest first.
    """

    task: Task
    night: str = ""
    edited: datetime | None = None
    dropped: datetime | None = None
    pinned: datetime | None = None
    waits: bool = False
    earlier: tuple[Task, ...] = ()


class Decided(NamedTuple):
    """A proposal, its state, the reason and time of the decision ("" if none was made), and its earlier versions.

    One that waits may be put off `until` a time. `again` is whether the person wants their own words of it tested.
    """

    proposal: Proposal
    state: str
    reason: str
    decided: str
    earlier: tuple[Proposal, ...] = ()
    until: datetime | None = None
    again: bool = False


ROW = "body, state, reason, decided, earlier, until, again"  # the columns of a proposal


@lru_cache(maxsize=_CACHED)
def _proposal(body: bytes) -> Proposal:
    """Decode a proposal; those of a year are read again and again, and few of them change."""
    return from_json(body, Proposal)


def from_row(row: Sequence[Any]) -> Decided:
    """Return a proposal from the columns of its row."""
    body, state, reason, decided, earlier, until, again = row
    versions = from_json(earlier, tuple[Proposal, ...]) if earlier else ()
    put_off = datetime.fromisoformat(until) if until else None
    return Decided(_proposal(body), state, reason or "", decided or "", versions, put_off, bool(again))


class TaskMark(StrEnum):
    """A person's mark on a task, which leaves its content unchanged."""

    DROPPED = "dropped"
    PINNED = "pinned"


def with_edits(entry: Banked, task: Task) -> Task | None:
    """Return the mined task with a person's edits of it in the bank, or None if they dropped it."""
    if entry.dropped:
        return None
    known_contents = [content(known) for known in (*entry.earlier, entry.task)]
    if task.source == BY_HAND and content(task) not in known_contents:
        # The entry of a tasks file changed after the edit, so the file has the last word.
        return task if task.session == entry.task.session else rewritten(entry.task, task)
    return with_side(entry.task, task) if entry.edited else task


def rewritten(known: Task, written: Task) -> Task:
    """Return the known task with the wording and reference a person wrote; its session and lesson stay.

    The name of the lesson was given for the reference it was mined with, so it goes if the reference changes, and so
    does what was found out about that reference.
    """
    same = written.reference == known.reference
    return replace(
        known,
        wanted=replace(known.wanted, wording=known.wanted.wording if same else ""),
        setting=replace(known.setting, needs_repository=known.setting.needs_repository and same),
        known_answers=known.known_answers if same else (),
        prompt=written.prompt,
        context=written.context,
        reference=written.reference,
        project=written.project,
        at=written.at,
        split=written.split or known.split,
    )


def with_side(known: Task, tonight: Task) -> Task:
    """Return the known task, with tonight's lesson and split if it has none of its own."""
    return replace(known, lesson=known.lesson or tonight.lesson, split=known.split or tonight.split)


def is_equipped(known: Task, tonight: Task) -> bool:
    """Return whether a task that waited for its repository can be tried there now."""
    return known.setting.workspace is None and tonight.setting.workspace is not None


def equipped(known: Task, tonight: Task) -> Task:
    """Return the known task with its repository and what judges it there; its wording, and any side, stay."""
    return replace(
        with_side(known, tonight),
        reference=tonight.reference,
        setting=replace(
            known.setting,
            workspace=tonight.setting.workspace,
            later=tonight.setting.later,
            needs_repository=tonight.setting.needs_repository,
        ),
        known_answers=tonight.known_answers,
    )


def traces(task: Task) -> list[tuple[str, object]]:
    """Return keys that recognize the task when it is mined again: its prompt, and the turns it came from."""
    keys: list[tuple[str, object]] = [(task.session, task.prompt)]
    keys += [(turn.session, turn.turn) for turn in task.feedback.evidence]
    return keys


def content(task: Task) -> tuple[object, ...]:
    """Return what makes two versions of a task the same."""
    return task.id, task.prompt, task.context, task.reference, task.project


def is_part_of(part: Proposal, whole: Proposal, *, tonight: bool) -> bool:
    """Return whether the other proposal covers a waiting one, which was made `tonight` or earlier."""
    if not set(part.paths) <= set(whole.paths):
        return False
    if Proof.WORDS in {part.proof, whole.proof} or whole.proof is Proof.EDITED:
        return False
    if not tonight and changes_less(part, whole):
        return True
    # Another wording of the same lesson says nothing of the person's own.
    return part.proof is not Proof.EDITED and teaches_less(part, whole)


def teaches_less(part: Proposal, whole: Proposal) -> bool:
    """Return whether a proposal has lessons, and the other has all of them too."""
    return bool(part.lessons) and set(part.lessons) <= set(whole.lessons)


def changes_less(part: Proposal, whole: Proposal) -> bool:
    """Return whether a proposal has edits, and the other makes all of them too."""
    edits = {edit.key for edit in part.edits}
    return bool(edits) and edits <= {edit.key for edit in whole.edits}


def decided_by(lessons: Sequence[Lesson], waiting: Iterable[Decided]) -> Iterator[tuple[Proposal, str]]:
    """Yield the waiting proposals that the person's latest words decided, each with the reason."""
    ended = taken_back(lessons)
    wanted = {lesson.id: lesson for lesson in lessons if lesson.id not in ended}
    for entry in waiting:
        proposal = entry.proposal
        decided = wanted if proposal.proof is Proof.WORDS else ended
        lesson = next((name for name in proposal.lessons if name in decided), None)
        if lesson is None:
            continue
        if proposal.proof is Proof.WORDS:
            quotes = wanted[lesson].quotes
            yield proposal, why_kept(quotes[-1] if quotes else None)
        else:
            yield proposal, why_ended(ended[lesson])


def first_match(task: Task, by_trace: Mapping[tuple[str, object], Banked]) -> Banked | None:
    """Return the entry that came from one of the same turns as the task."""
    for trace in traces(task):
        if trace in by_trace:
            return by_trace[trace]
    return None


def side_key(session: str) -> str:
    """Return the key under which a session's split stands in the table meta; it doesn't name the session."""
    return f"side {hashed(session)}"
