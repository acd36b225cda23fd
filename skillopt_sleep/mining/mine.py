"""Turn sessions into lessons and tasks: what a person wants from now on, and the requests that test it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.kit.words import counted
from skillopt_sleep.mining.lessons import find_lessons, lessons_by_words
from skillopt_sleep.mining.mined import (
    CORRECTION_CHARS,
    UNCLEAR,
    Mined,
    ask_model,
    corrections_of,
    quoted,
    unused,
)
from skillopt_sleep.mining.names import Names, folded, names_in
from skillopt_sleep.mining.proof import MinedEvidence, MineReply, proven_lesson
from skillopt_sleep.mining.quotes import signs_of, wishes_in
from skillopt_sleep.mining.requests import PER_SIGN, may_hold_a_lesson, most_tasks
from skillopt_sleep.mining.rules import ruled_tasks
from skillopt_sleep.mining.session_text import deeds_in, sessions_by_call, shown_sessions
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import Became, Checks, Correction, Lesson, LessonState, Note, Purpose, Session, Task

UNSAID = "its words don't say what the model made of them"
FULL = "its session had founded as many tasks as a session may"
NO_ROOM = "the night had found as many tasks as it takes (mine.max_tasks)"
NO_REQUEST = "said without a request that could test it"
NAME_CHARS = 180  # of a lesson, with the day before it


class KnownLessons(NamedTuple):
    """The lessons and tasks of earlier nights in the projects that are mined."""

    lessons: tuple[Lesson, ...] = ()
    tasks: tuple[Task, ...] = ()


NOTHING_KNOWN = KnownLessons()


def mine(
    sessions: Sequence[Session],
    *,
    optimizer: Backend | None,
    pool: Pool,
    per_call: int,
    most: int,
    known: KnownLessons = NOTHING_KNOWN,
) -> Mined:
    """Return what people want of the agent from now on: a task for each lesson of a request, and the lessons.

    The model finds them, or rules without one. What a model finds is kept only if the person said or did what it
    quotes. The rules add what the model missed although the person named exactly what they want, and stand in where
    a part of its reply doesn't hold. What holds for one time only makes no lesson, and is counted. The calls of a
    project follow each other, so that each is shown the lessons named so far; a failed one loses its batch, with a
    note. A night takes at most `most` tasks.
    """
    heard = [session for session in sessions if may_hold_a_lesson(session)]
    projects = sessions_by_call(heard, per_call)
    if optimizer is None:
        parts = [_mine_by_rules(session) for session in heard]
    else:
        of_projects = pool.map(
            lambda batches: _mine_project(batches, optimizer, known.lessons), projects, label="mine"
        )
        parts = list(chain.from_iterable(of_projects))
    mined = _chosen(_collected(parts), heard, most)
    if optimizer is None:
        found = lessons_by_words(mined.tasks, earlier=known.tasks, known=known.lessons)
    else:
        several = {batches[0][0].project for batches in projects if len(batches) > 1}
        found = find_lessons(mined.tasks, known=known.lessons, several=several, optimizer=optimizer, pool=pool)
    notes = (*mined.notes, *_notes_on(found.lessons, known.lessons), *found.notes)
    return _testable(replace(mined, lessons=found.lessons, notes=notes), found.tasks, most)


def _mine_by_rules(session: Session) -> Mined:
    ruled = ruled_tasks(session)
    left = unused(session, _turns_of(ruled.tasks))
    return Mined(tasks=ruled.tasks, for_once=ruled.for_once, dropped=tuple(left))


def _mine_project(
    batches: Sequence[Sequence[Session]], optimizer: Backend, known: Sequence[Lesson]
) -> Sequence[Mined]:
    """Ask about the batches of a project one after the other, each with the lessons that those before it named."""
    names = names_in(batches[0][0].project, known)
    parts: list[Mined] = []
    for batch in batches:
        part = _mine_by_model(batch, optimizer, names)
        for task in part.tasks:
            if task.wanted.wording and folded(task.wanted.wording) not in names.folded:
                names.add(task.wanted.wording, task.at, is_noticed=task.wanted.unclear)
        parts.append(part)
    return parts


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
        said = chain.from_iterable(map(unused, sessions))
        unread = [replace(one, became=Became.NOT_REACHED, because=reply.summary) for one in said]
        return Mined(notes=(reply,), lost=tuple(session.id for session in sessions), dropped=tuple(unread))
    return _proven(reply, sessions, names.folded)


def _listed(names: Iterable[str]) -> str:
    return fence("\n".join(one_line(name, limit=NAME_CHARS) for name in names) or "(none)")


def _proven(reply: MineReply, sessions: Sequence[Session], known: Collection[str]) -> Mined:
    """Return the tasks that hold, those that the model missed, and a note on the lessons that don't hold."""
    numbered = deeds_in(sessions)
    signs = [signs_of(mined.quotes, sessions, numbered) for mined in reply.lessons]
    read = MinedEvidence(known, sessions, wishes_in(chain.from_iterable(signs)))
    tasks: list[Task] = []
    once: list[Task] = []
    for_once: list[str] = []
    unshown: list[str] = []
    dropped: list[Correction] = []
    for mined, shown_by in zip(reply.lessons, signs, strict=True):
        try:
            proven = proven_lesson(mined, shown_by, read)
        except ItemError as error:
            words = one_line(mined.quotes[0] if mined.quotes else mined.lesson, limit=CORRECTION_CHARS)
            because = f"what the model made of it doesn't stand in your own words: {error.message}"
            dropped.append(Correction(session="", turn=0, quote=words, became=Became.UNUSED, because=because))
            unshown.append(mined.lesson)
            continue
        for_once += proven.for_once
        (once if proven.for_once else tasks).extend(proven.tasks)
    dropped += corrections_of(once, Became.FOR_ONCE)
    heard = _turns_of((*tasks, *once))
    for session in sessions:
        # Where the quotes of a lesson are nowhere, nobody knows which correction it was about.
        missed = _missed(session, heard, by_name=all(signs))
        tasks += missed
        dropped += unused(session, heard | _turns_of(missed))
    notes: list[Note] = []
    if unshown:
        which = f"{counted(len(unshown), 'lesson')} of {len(reply.lessons)} that the model named"
        summary = f"{which} had quotes that the person never said or that ask for nothing: {quoted(unshown)}"
        notes.append(Note(stage="mine", summary=summary, remedy="if it comes often, ask another model"))
    return Mined(tasks=tuple(tasks), for_once=tuple(for_once), notes=tuple(notes), dropped=tuple(dropped))


def _missed(session: Session, heard: Collection[tuple[str, int]], *, by_name: bool) -> list[Task]:
    """Return the tasks that the rules find, or with `by_name` those where the person named exactly what they want.

    Tasks that are based on a turn in `heard` were not missed. A command that the person ran themselves is left to the
    model's judgement.
    """
    missed: list[Task] = []
    for task in ruled_tasks(session).tasks:
        is_named = not task.feedback.deeds and isinstance(task.reference, Checks)
        if (is_named or not by_name) and _turns_of([task]).isdisjoint(heard):
            missed.append(task)
    return missed


def _turns_of(tasks: Iterable[Task]) -> set[tuple[str, int]]:
    """Return the session and turn of every correction and deed that the tasks are based on."""
    return {(sign.session, sign.turn) for task in tasks for sign in (*task.feedback.evidence, *task.feedback.deeds)}


def _collected(parts: Sequence[Mined]) -> Mined:
    """Return the tasks of all parts, each id once, their notes, and the sessions that stay unread."""
    tasks = {task.id: task for part in parts for task in part.tasks}
    notes = [note for part in parts for note in part.notes]
    for_once = tuple(dict.fromkeys(chain.from_iterable(part.for_once for part in parts)))
    if for_once:
        which = f"{counted(len(for_once), 'correction')} for one time only, so without a lesson"
        notes.append(_note(f"{which}: {quoted(for_once)}"))
    return Mined(
        tasks=tuple(tasks.values()),
        for_once=for_once,
        notes=tuple(notes),
        lost=tuple(chain.from_iterable(part.lost for part in parts)),
        dropped=tuple(chain.from_iterable(part.dropped for part in parts)),
    )


def _chosen(mined: Mined, sessions: Iterable[Session], most: int) -> Mined:
    """Return the tasks of the sessions that a night takes: of one at least, of more while these are at most `most`.

    First come the sessions with tasks that can be asked again in words alone, of these the newest. Each is taken
    whole, up to what it may found. What is unclear counts for none.
    """
    of_sessions: defaultdict[str, list[Task]] = defaultdict(list)
    for task in mined.tasks:
        of_sessions[task.session].append(task)
    crowded_out: list[Task] = []
    for session in sessions:
        may_found = most_tasks(session)
        crowded_out += of_sessions[session.id][may_found:]
        of_sessions[session.id] = of_sessions[session.id][:may_found]
    kept: list[Task] = []
    later: list[Task] = []
    for own in sorted(of_sessions.values(), key=_worth, reverse=True):
        clear = sum(not task.wanted.unclear for task in (*kept, *own))
        (later if kept and clear > most else kept).extend(own)
    notes = list(mined.notes)
    if crowded_out:
        which = f"{counted(len(crowded_out), 'task')} dropped"
        notes.append(
            _note(f"{which}: a session gives at most {PER_SIGN} for each thing that was typed or done in it")
        )
    if later:
        which = f"{counted(len(later), 'task')} left for another night"
        notes.append(_note(which, remedy="nothing to do: the next night takes them; or raise mine.max_tasks"))
    return replace(
        mined,
        tasks=tuple(sorted(kept, key=lambda task: (task.at, task.id))),
        notes=tuple(notes),
        lost=(*mined.lost, *(task.session for task in later)),
        dropped=(
            *mined.dropped,
            *corrections_of(later, Became.NOT_REACHED, NO_ROOM),
            *corrections_of(crowded_out, Became.NEEDS_SESSION, FULL),
        ),
    )


def _worth(tasks: Iterable[Task]) -> tuple[object, ...]:
    """Return what orders the sessions of these tasks."""
    return max(((task.setting.in_words, task.at, task.id) for task in tasks if not task.wanted.unclear), default=())


def _testable(mined: Mined, named: Sequence[Task], most: int) -> Mined:
    """Return the tasks that test a lesson which wasn't taken back, and what became of the others.

    `named` are the mined tasks that have a lesson. What is unclear is kept to be tried one day, if there is room.
    """
    named_ids = {task.id for task in named}
    ended = {lesson.id for lesson in mined.lessons if lesson.state is LessonState.TAKEN_BACK}
    living = [task for task in named if task.lesson not in ended]
    untested = [task for task in living if not task.prompt]
    testable = sorted((task for task in living if task.prompt), key=lambda task: task.wanted.unclear)
    kept, surplus = testable[:most], testable[most:]
    notes = list(mined.notes)
    if untested:
        which = f"{counted(len(untested), 'lesson')} said without a request to test with"
        notes.append(_note(f"{which}; remembered until there is one"))
    return replace(
        mined,
        tasks=tuple(sorted(kept, key=lambda task: (task.at, task.id))),
        notes=tuple(notes),
        dropped=(
            *mined.dropped,
            *corrections_of((task for task in mined.tasks if task.id not in named_ids), Became.UNUSED, UNSAID),
            *corrections_of((task for task in surplus if task.wanted.unclear), Became.NEEDS_SESSION, UNCLEAR),
            *corrections_of((task for task in surplus if not task.wanted.unclear), Became.NEEDS_SESSION, NO_ROOM),
            *corrections_of((task for task in named if task.lesson in ended), Became.TAKEN_BACK),
            *corrections_of(untested, Became.NEEDS_SESSION, NO_REQUEST),
        ),
    )


def _notes_on(lessons: Sequence[Lesson], known: Iterable[Lesson]) -> list[Note]:
    """Say which lessons were taken back tonight, and which one session alone couldn't tell for sure."""
    ended = {lesson.id: lesson for lesson in lessons if lesson.state is LessonState.TAKEN_BACK}
    for lesson in known:
        if lesson.state is LessonState.TAKEN_BACK:
            ended.pop(lesson.id, None)
    notes: list[Note] = []
    for later in lessons:
        if later.takes_back in ended:
            names = f"{quoted([ended[later.takes_back].wording])} was taken back by {quoted([later.wording])}"
            notes.append(_note(f"{names}, so nothing more is learned from it"))
    noticed = [lesson.wording for lesson in lessons if lesson.state is LessonState.NOTICED]
    if noticed:
        which = f"{counted(len(noticed), 'lesson')} only noticed, as one session alone can't tell for sure"
        notes.append(_note(f"{which}: {quoted(noticed)}"))
    return notes


def _note(summary: str, *, remedy: str = "") -> Note:
    return Note(stage="mine", summary=summary, remedy=remedy, expected=True)
