"""Turn sessions into lessons and tasks: what a person wants from now on, and the requests that test it."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.mining.dropped import corrections_of, unproven, unread, unused
from skillopt_sleep.mining.lessons import find_lessons, lessons_by_words
from skillopt_sleep.mining.mined import Mined, ask_model
from skillopt_sleep.mining.names import Names, folded, names_in
from skillopt_sleep.mining.proof import MineReply, Read, proven_lesson
from skillopt_sleep.mining.quotes import signs_of, wishes_in
from skillopt_sleep.mining.requests import PER_SIGN, may_hold_a_lesson, note_asked_again, within_capacity
from skillopt_sleep.mining.rules import ruled_tasks
from skillopt_sleep.mining.shown import deeds_in, sessions_by_call, shown_sessions
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import (
    Became,
    Checks,
    Correction,
    Lesson,
    LessonState,
    Note,
    Purpose,
    Session,
    Task,
)

ONCE_NAMED = 3  # so many of the wishes for one time are named in the note
ONCE_CHARS = 60
UNSAID = "its words don't say what the model made of them"
NAME_CHARS = 180  # of a lesson, with the day before it


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

    The model finds them, or rules without one. What a model finds is kept only if the person said or did what it
    quotes. The rules add what the model missed although the person named exactly what they want, and stand in where
    a part of its reply doesn't hold. What holds for one time only founds nothing, and is counted. The calls of a
    project follow each other, so that each is shown the lessons named so far; a failed one loses its batch, with a
    note. Of each session, no more tasks are kept than it may found (mining/requests.py), and `most` of all: first the
    sessions with tasks that can be asked again in words alone, of these the newest. What is unclear counts for none.
    """
    heard = [session for session in sessions if may_hold_a_lesson(session)]
    projects = sessions_by_call(heard, per_call)
    if optimizer is None:
        parts = list(map(_mine_by_rules, heard))
    else:
        of_projects = pool.map(
            lambda batches: _mine_project(batches, optimizer, known.lessons), projects, label="mine"
        )
        parts = [part for parts_of_one in of_projects for part in parts_of_one]
    collected = _within_capacity(_collected(parts), heard)
    by_worth = sorted(note_asked_again(collected.tasks, sessions), key=_worth)
    kept, surplus, later = _whole_sessions([task for task in by_worth if not task.unclear], most)
    left = {task.session for task in later}
    kept += [task for task in by_worth if task.unclear and task.session not in left]
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
        several = {batches[0][0].project for batches in projects if len(batches) > 1}
        found = find_lessons(tasks, known=known.lessons, several=several, optimizer=optimizer, pool=pool)
    kept_ids = {task.id for task in found.tasks}
    dropped += corrections_of((task for task in tasks if task.id not in kept_ids), Became.UNPROVEN, UNSAID)
    ended = {lesson.id for lesson in found.lessons if lesson.state is LessonState.TAKEN_BACK}
    living = [task for task in found.tasks if task.lesson not in ended]
    # What is only noticed is kept to be tried one day, if there is room, and is noticed in any case.
    testable = sorted((task for task in living if task.prompt), key=lambda task: task.unclear)
    dropped += corrections_of(testable[most:], Became.NOTICED)
    dropped += corrections_of((task for task in found.tasks if task.lesson in ended), Became.TAKEN_BACK)
    dropped += corrections_of((task for task in living if not task.prompt), Became.NO_REQUEST)
    if len(testable) < len(living):
        notes.append(_note_of_untested(len(living) - len(testable)))
    notes += _notes_of_ended(found.lessons, known=known.lessons)
    notes += _notes_of_noticed(found.lessons)
    return Mined(
        tasks=tuple(sorted(testable[:most], key=lambda task: (task.at, task.id))),
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


def _collected(parts: Sequence[Mined]) -> Mined:
    """Return the tasks of all parts, each id once, their notes, and the sessions that stay unread."""
    tasks: dict[str, Task] = {}
    notes: list[Note] = []
    lost: list[str] = []
    dropped: list[Correction] = []
    for_once: dict[str, None] = {}
    for part in parts:
        tasks |= {task.id: task for task in part.tasks}
        notes += part.notes
        lost += part.lost
        dropped += part.dropped
        for_once |= dict.fromkeys(part.for_once)
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
    return task.in_words, task.at, task.id


def _mine_project(
    batches: Sequence[Sequence[Session]], optimizer: Backend, known: Sequence[Lesson]
) -> Sequence[Mined]:
    """Ask about the batches of a project one after the other, each with the lessons that those before it named."""
    names = names_in(batches[0][0].project, known)
    parts: list[Mined] = []
    for batch in batches:
        part = _mine_by_model(batch, optimizer, names)
        names = _with_named(names, part.tasks)
        parts.append(part)
    return parts


def _with_named(names: Names, tasks: Sequence[Task]) -> Names:
    """Return the names with those of these tasks; what is unclear is noticed."""
    known, noticed = dict.fromkeys(names.known), dict.fromkeys(names.noticed)
    heard = {folded(_without_day(name)) for name in (*known, *noticed)}
    for task in tasks:
        if task.wording and folded(task.wording) not in heard:
            heard.add(folded(task.wording))
            (noticed if task.unclear else known)[f"{task.at:%Y-%m-%d} {task.wording}"] = None
    return Names(tuple(known), tuple(noticed))


def _without_day(name: str) -> str:
    return name.partition(" ")[2]


def _mine_by_model(sessions: Sequence[Session], optimizer: Backend, names: Names) -> Mined:
    reply = ask_model(
        optimizer,
        Purpose.MINE,
        {
            "lessons": _listed(names.known),
            "noticed": _listed(names.noticed),
            "sessions": shown_sessions(sessions),
        },
        schema=MineReply,
        project=sessions[0].project,
        stage="mine",
        failure=f"a call failed, so {len(sessions)} of the sessions stay unread",
    )
    if isinstance(reply, Note):
        lost = tuple(session.id for session in sessions)
        return Mined(notes=(reply,), lost=lost, dropped=tuple(unread(sessions, reply.summary)))
    known = {folded(_without_day(name)) for name in (*names.known, *names.noticed)}
    return _proven(reply, sessions, known)


def _listed(names: Sequence[str]) -> str:
    return fence("\n".join(one_line(name, limit=NAME_CHARS) for name in names) or "(none)")


def _proven(reply: MineReply, sessions: Sequence[Session], known: Collection[str]) -> Mined:
    """Return the tasks that hold, those that the model missed, and a note for each lesson that doesn't hold."""
    numbered = deeds_in(sessions)
    signs = [signs_of(mined.quotes, sessions, numbered) for mined in reply.lessons]
    read = Read(known, sessions, wishes_in(chain.from_iterable(signs)))
    tasks: list[Task] = []
    unshown: list[str] = []
    for_once: list[str] = []
    once: list[Task] = []
    dropped: list[Correction] = []
    for mined, shown_by in zip(reply.lessons, signs, strict=True):
        try:
            proven = proven_lesson(mined, shown_by, read)
        except ItemError as error:
            dropped.append(unproven(mined, error.message))
            unshown.append(mined.lesson)
            continue
        for_once += proven.for_once
        (once if proven.for_once else tasks).extend(proven.tasks)
    heard = _corrections((*tasks, *once))
    for session in sessions:
        # Where the quotes of a lesson are nowhere, nobody knows which correction it was about.
        tasks += _missed(session, heard, by_name=all(signs))
    notes = (_note_of_unshown(unshown, len(reply.lessons)),) if unshown else ()
    dropped += corrections_of(once, Became.FOR_ONCE)
    said = _corrections((*tasks, *once)) | {(correction.session, correction.turn) for correction in dropped}
    for session in sessions:
        dropped += unused(session, said)
    return Mined(tasks=tuple(tasks), for_once=tuple(for_once), notes=notes, dropped=tuple(dropped))


def _note_of_unshown(names: Sequence[str], count: int) -> Note:
    """Say which lessons of a reply nothing shows."""
    which = "1 lesson" if len(names) == 1 else f"{len(names)} lessons"
    named = "; ".join(f"«{one_line(name, limit=ONCE_CHARS)}»" for name in names[:ONCE_NAMED])
    said = f"{which} of {count} that the model named had quotes that the person never said or that ask for nothing"
    return Note(stage="mine", summary=f"{said}: {named}", remedy="if it comes often, ask another model")


def _corrections(tasks: Sequence[Task]) -> set[tuple[str, int]]:
    """Return the session and turn of every correction and deed that the tasks are based on."""
    turns: set[tuple[str, int]] = set()
    for task in tasks:
        for sign in (*task.evidence, *task.deeds):
            turns.add((sign.session, sign.turn))
    return turns


def _missed(session: Session, heard: Collection[tuple[str, int]], *, by_name: bool) -> Iterator[Task]:
    """Yield the tasks that the rules find, or with `by_name` those where the person named exactly what they want.

    Tasks that are based on a correction in `heard` were not missed. A command that the person ran themselves is left
    to the model's judgement.
    """
    for task in ruled_tasks(session).tasks:
        is_named = not task.deeds and isinstance(task.reference, Checks)
        if (is_named or not by_name) and _corrections([task]).isdisjoint(heard):
            yield task
