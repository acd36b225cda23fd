"""Turn sessions into lessons and tasks: what a person wants from now on, and the requests that test it."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.mining.dropped import corrections_of, unproven, unread, unused
from skillopt_sleep.mining.lessons import find_lessons, lessons_by_words
from skillopt_sleep.mining.mined import Mined, ask_model, batched
from skillopt_sleep.mining.names import Names, names_in
from skillopt_sleep.mining.proof import proven_task
from skillopt_sleep.mining.provenance import quotes_of
from skillopt_sleep.mining.replies import MineReply
from skillopt_sleep.mining.requests import PER_SIGN, may_hold_a_lesson, note_asked_again, within_capacity
from skillopt_sleep.mining.rules import ruled_tasks
from skillopt_sleep.mining.shown import shown_sessions
from skillopt_sleep.mining.words import all_for_once
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import (
    ACTING_OPS,
    Became,
    Checks,
    Correction,
    Lesson,
    LessonState,
    Note,
    Op,
    Purpose,
    Session,
    Task,
)

ONCE_NAMED = 3  # so many of the wishes for one time are named in the note
ONCE_CHARS = 60
# What an agent ran and changed is found by code (mining/acting.py), never by a model's word.
OFFERED = tuple(op for op in Op if op is Op.TOOL_CALLED or op not in ACTING_OPS)


class Known(NamedTuple):
    """The lessons and tasks of earlier nights in the projects that are mined."""

    lessons: tuple[Lesson, ...] = ()
    tasks: tuple[Task, ...] = ()


NOTHING_KNOWN = Known()


def mine(
    sessions: Sequence[Session],
    *,
    optimizer: Backend | None,
    pool: Pool,
    per_call: int,
    most: int,
    known: Known = NOTHING_KNOWN,
) -> Mined:
    """Return what people want of the agent from now on: a task for each lesson of a request, and the lessons.

    The model finds them, or rules without one. What a model finds is kept only if it stands in the person's own words
    or deeds. The rules add what the model missed although the person named exactly what they want. What holds for one
    time only founds nothing, and is counted. A failed call loses its batch, with a note. Of each session, no more
    tasks are kept than it may found (mining/requests.py), and `most` of all: first the sessions with tasks that are
    clear and can be asked again in words alone, of these the newest.
    """
    heard = [session for session in sessions if may_hold_a_lesson(session)]
    batches = batched(heard, per_call)
    parts: Sequence[Mined]
    if optimizer is None:
        parts = list(map(_mine_by_rules, heard))
    else:
        parts = pool.map(
            lambda batch: _mine_by_model(batch, optimizer, names_in(batch[0].project, known.lessons)),
            batches,
            label="mine",
        )
    collected = _within_capacity(_collected(parts), heard)
    by_worth = sorted(note_asked_again(collected.tasks, sessions), key=_worth)
    kept, surplus, later = _whole_sessions(by_worth, most)
    notes = list(collected.notes)
    lost = list(collected.lost)
    dropped = [*collected.dropped, *corrections_of(later, Became.LATER), *corrections_of(surplus, Became.CROWDED_OUT)]
    if later:
        remedy = "nothing to do: the next night takes them; or raise mine.max_tasks"
        summary = f"{len(later)} tasks were left for another night"
        notes.append(Note(stage="mine", summary=summary, remedy=remedy, expected=True))
        lost += [task.session for task in later]
    tasks = tuple(sorted(kept, key=lambda task: (task.at, task.id)))
    if optimizer is None:
        found = lessons_by_words(tasks, earlier=known.tasks, known=known.lessons)
    else:
        several = _projects_of_several(batches)
        found = find_lessons(tasks, known=known.lessons, several=several, optimizer=optimizer, pool=pool)
    ended = {lesson.id for lesson in found.lessons if lesson.state is LessonState.TAKEN_BACK}
    living = [task for task in found.tasks if task.lesson not in ended]
    testable = tuple(task for task in living if task.prompt)
    dropped += corrections_of((task for task in found.tasks if task.lesson in ended), Became.TAKEN_BACK)
    dropped += corrections_of((task for task in living if not task.prompt), Became.NO_REQUEST)
    if len(testable) < len(living):
        notes.append(_note_of_untested(len(living) - len(testable)))
    notes += _notes_of_ended(found.lessons, known=known.lessons)
    notes += _notes_of_noticed(found.lessons)
    return Mined(
        tasks=testable,
        lessons=found.lessons,
        for_once=collected.for_once,
        notes=(*notes, *found.notes),
        lost=tuple(lost),
        dropped=tuple(dropped),
    )


def _whole_sessions(by_worth: Sequence[Task], most: int) -> tuple[list[Task], list[Task], list[Task]]:
    """Return the tasks to keep, what one session has beyond `most`, and the tasks of the sessions that are left."""
    sessions: dict[str, list[Task]] = {}
    for task in reversed(by_worth):
        sessions.setdefault(task.session, []).append(task)
    kept: list[Task] = []
    surplus: list[Task] = []
    later: list[Task] = []
    for tasks in sessions.values():
        if len(kept) + len(tasks[:most]) > most:
            later += tasks
        else:
            kept += tasks[:most]
            surplus += tasks[most:]
    return kept, surplus, later


def _note_of_untested(count: int) -> Note:
    which = "1 lesson was" if count == 1 else f"{count} lessons were"
    summary = f"{which} said without a request that could test it; it is remembered until there is one"
    return Note(stage="mine", summary=summary, expected=True)


def _notes_of_ended(lessons: Sequence[Lesson], *, known: Iterable[Lesson]) -> Iterator[Note]:
    """Say which lessons were taken back tonight, and by which; `known` are those of earlier nights."""
    found = {lesson.id: lesson for lesson in lessons}
    ended_before = {lesson.id for lesson in known if lesson.state is LessonState.TAKEN_BACK}
    for later in lessons:
        earlier = found.get(later.takes_back)
        if earlier is None or earlier.state is not LessonState.TAKEN_BACK or earlier.id in ended_before:
            continue
        names = f"«{one_line(earlier.wording)}» was taken back by «{one_line(later.wording)}»"
        yield Note(stage="mine", summary=f"{names}, so nothing more is learned from it", expected=True)


def _notes_of_noticed(lessons: Iterable[Lesson]) -> Iterator[Note]:
    """Say which wishes one session alone couldn't tell for sure."""
    names = [f"«{one_line(lesson.wording)}»" for lesson in lessons if lesson.state is LessonState.NOTICED]
    if names:
        which = "1 wish was" if len(names) == 1 else f"{len(names)} wishes were"
        then = "it counts" if len(names) == 1 else "each counts"
        summary = f"{which} only noticed; {then} if another session shows it too: {'; '.join(names)}"
        yield Note(stage="mine", summary=summary, expected=True)


def _mine_by_rules(session: Session) -> Mined:
    ruled = ruled_tasks(session)
    left = unused(session, _corrections(ruled.tasks))
    return Mined(tasks=ruled.tasks, for_once=ruled.for_once, dropped=tuple(left))


def _projects_of_several(batches: Iterable[Sequence[Session]]) -> set[str]:
    """Return the projects whose sessions take several calls."""
    calls = Counter(batch[0].project for batch in batches)
    return {project for project, count in calls.items() if count > 1}


def _collected(parts: Sequence[Mined]) -> Mined:
    """Return the tasks of all parts, each id once, their notes, and the sessions that stay unread."""
    tasks: dict[str, Task] = {}
    notes: list[Note] = []
    lost: list[str] = []
    dropped: list[Correction] = []
    for_once: dict[str, None] = {}
    instead = Counter[str]()
    count = 0
    for part in parts:
        tasks |= {task.id: task for task in part.tasks}
        notes += part.notes
        lost += part.lost
        dropped += part.dropped
        for_once |= dict.fromkeys(part.for_once)
        instead.update(part.instead)
        count += len(part.tasks)
    for what, times in sorted(instead.items()):
        notes.append(
            Note(
                stage="mine",
                summary=f"{times} of {count} tasks {'is' if times == 1 else 'are'} {what}",
                expected=True,
            )
        )
    if for_once:
        notes.append(_note_of_once(tuple(for_once)))
    return Mined(
        tasks=tuple(tasks.values()),
        for_once=tuple(for_once),
        notes=tuple(notes),
        lost=tuple(lost),
        dropped=tuple(dropped),
    )


def _within_capacity(collected: Mined, sessions: Sequence[Session]) -> Mined:
    """Return the tasks that their sessions may found, with a note that counts those dropped."""
    kept = within_capacity(collected.tasks, sessions)
    ids = {task.id for task in kept}
    dropped = [task for task in collected.tasks if task.id not in ids]
    if not dropped:
        return collected
    which = "1 task was" if len(dropped) == 1 else f"{len(dropped)} tasks were"
    rule = f"a session gives at most {PER_SIGN} for each thing that was typed or done in it"
    note = Note(stage="mine", summary=f"{which} dropped: {rule}", expected=True)
    followed = (*collected.dropped, *corrections_of(dropped, Became.CROWDED_OUT))
    return replace(collected, tasks=kept, notes=(*collected.notes, note), dropped=followed)


def _note_of_once(quotes: Sequence[str]) -> Note:
    """Say what held for one time only, so that nobody wonders where it went."""
    if len(quotes) == 1:
        said = "1 wish was for one time only, so it became no lesson"
    else:
        said = f"{len(quotes)} wishes were for one time only, so they became no lessons"
    named = "; ".join(f"«{one_line(quote, limit=ONCE_CHARS)}»" for quote in quotes[:ONCE_NAMED])
    return Note(stage="mine", summary=f"{said}: {named}", expected=True)


def _worth(task: Task) -> tuple[object, ...]:
    return not task.unclear, task.in_words, task.at, task.id


def _mine_by_model(sessions: Sequence[Session], optimizer: Backend, names: Names) -> Mined:
    labels = {f"S{number}": session for number, session in enumerate(sessions, start=1)}
    reply = ask_model(
        optimizer,
        Purpose.MINE,
        {
            "lessons": _listed(names.known),
            "noticed": _listed(names.noticed),
            "sessions": shown_sessions(labels),
            "ops": ", ".join(OFFERED),
        },
        schema=MineReply,
        project=sessions[0].project,
        stage="mine",
        failure=f"a call failed, so {len(sessions)} of the sessions stay unread",
    )
    if isinstance(reply, Note):
        lost = tuple(session.id for session in sessions)
        return Mined(notes=(reply,), lost=lost, dropped=tuple(unread(sessions, reply.summary)))
    return _proven(reply, labels, {name.partition(" ")[2] for name in (*names.known, *names.noticed)})


def _listed(names: Sequence[str]) -> str:
    return fence("\n".join(map(one_line, names)) or "(none)")


def _proven(reply: MineReply, labels: Mapping[str, Session], known: Collection[str]) -> Mined:
    """Return the tasks that hold, those that the model missed, and a note for each that doesn't hold."""
    tasks: list[Task] = []
    notes: list[Note] = []
    for_once: list[str] = []
    once: list[Task] = []
    dropped: list[Correction] = []
    instead = Counter[str]()
    for mined in reply.tasks:
        try:
            proven = proven_task(mined, labels, known=known)
        except ItemError as error:
            notes.append(Note(stage="mine", summary=error.message))
            dropped.append(unproven(mined, labels.get(mined.session), error.message))
            continue
        quotes = quotes_of(proven.task.evidence)
        if mined.lasts == "this time" or all_for_once(quotes):
            for_once += quotes or [mined.lesson]
            once.append(proven.task)
            continue
        tasks.append(proven.task)
        instead.update(proven.instead)
    heard = _corrections((*tasks, *once))
    for session in labels.values():
        tasks += _missed(session, heard)
    dropped += corrections_of(once, Became.FOR_ONCE)
    said = _corrections((*tasks, *once)) | {(correction.session, correction.turn) for correction in dropped}
    for session in labels.values():
        dropped += unused(session, said)
    return Mined(
        tasks=tuple(tasks),
        for_once=tuple(for_once),
        notes=tuple(notes),
        instead=instead,
        dropped=tuple(dropped),
    )


def _corrections(tasks: Sequence[Task]) -> set[tuple[str, int]]:
    """Return the session and turn of every correction and deed that the tasks are based on."""
    turns: set[tuple[str, int]] = set()
    for task in tasks:
        for sign in (*task.evidence, *task.deeds):
            turns.add((sign.session, sign.turn))
    return turns


def _missed(session: Session, heard: Collection[tuple[str, int]]) -> Iterator[Task]:
    """Yield the tasks that the rules find because the person named exactly what they want.

    Tasks that are based on a correction in `heard` were not missed. A command that the person ran themselves is left
    to the model's judgement.
    """
    for task in ruled_tasks(session).tasks:
        if task.deeds or not isinstance(task.reference, Checks):
            continue
        if _corrections([task]).isdisjoint(heard):
            yield task
