"""Turn sessions into tasks: requests that were corrected, with a reference made of the person's own correction."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.mining.ask_model import ask_model
from skillopt_sleep.mining.asked_again import note_asked_again
from skillopt_sleep.mining.lessons import known_lessons, renamed
from skillopt_sleep.mining.mined import Mined, batched
from skillopt_sleep.mining.proof import proven_task
from skillopt_sleep.mining.replies import MineReply
from skillopt_sleep.mining.rules import ruled_tasks
from skillopt_sleep.mining.shown import shown_sessions
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Checks, Note, Op, Purpose, Session, Task


def mine(
    sessions: Sequence[Session],
    *,
    optimizer: Backend | None,
    pool: Pool,
    per_call: int,
    most: int,
    known: Sequence[Task],
) -> Mined:
    """Return a task for each corrected request of these sessions, found by the model, or by rules without one.

    A model's task is kept only if what it wants stands in the person's own words. The rules add what the model missed
    although the person named exactly what they want. `known` are the tasks of earlier nights: the names of their
    lessons are used again. A failed call loses its batch, with a note. At most `most` tasks are kept: first those
    that can be asked again in words alone, of these the newest.
    """
    corrected = [session for session in sessions if len(session.typed) > 1]
    lessons = known_lessons(known)
    batches = batched(corrected, per_call)
    parts: Sequence[Mined]
    if optimizer is None:
        parts = [Mined(tasks=tuple(ruled_tasks(session))) for session in corrected]
    else:
        parts = pool.map(
            lambda batch: _mine_by_model(batch, optimizer, lessons.get(batch[0].project, ())), batches, label="mine"
        )
    unordered, notes, unread = _collected(parts)
    by_worth = sorted(note_asked_again(unordered, sessions), key=_worth)
    later = by_worth[:-most]
    if later:
        remedy = "nothing to do: the next night takes them; or raise mine.max_tasks"
        summary = f"{len(later)} tasks were left for another night"
        notes.append(Note(stage="mine", summary=summary, remedy=remedy, expected=True))
        unread += [task.session for task in later]
    tasks = tuple(sorted(by_worth[-most:], key=lambda task: (task.at, task.id)))
    if optimizer is not None:
        several = _projects_of_several(batches)
        tasks, more = renamed(tasks, several, known=lessons, optimizer=optimizer, pool=pool)
        notes += more
    return Mined(tasks=tasks, notes=tuple(notes), lost=tuple(unread))


def _projects_of_several(batches: Iterable[Sequence[Session]]) -> set[str]:
    """Return the projects whose sessions take several calls."""
    calls = Counter(batch[0].project for batch in batches)
    return {project for project, count in calls.items() if count > 1}


def _collected(parts: Sequence[Mined]) -> tuple[tuple[Task, ...], list[Note], list[str]]:
    """Return the tasks of all parts, each id once, their notes, and the sessions that stay unread."""
    tasks: dict[str, Task] = {}
    notes: list[Note] = []
    unread: list[str] = []
    instead = Counter[str]()
    count = 0
    for part in parts:
        tasks |= {task.id: task for task in part.tasks}
        notes += part.notes
        unread += part.lost
        instead.update(part.instead)
        count += len(part.tasks)
    for what, times in sorted(instead.items()):
        notes.append(Note(stage="mine", summary=f"{times} of {count} tasks are {what}", expected=True))
    return tuple(tasks.values()), notes, unread


def _worth(task: Task) -> tuple[object, ...]:
    return task.in_words, task.at, task.id


def _mine_by_model(sessions: Sequence[Session], optimizer: Backend, lessons: Sequence[str]) -> Mined:
    labels = {f"S{number}": session for number, session in enumerate(sessions, start=1)}
    reply = ask_model(
        optimizer,
        Purpose.MINE,
        {
            "lessons": fence("\n".join(map(one_line, lessons)) or "(none)"),
            "sessions": shown_sessions(labels),
            "ops": ", ".join(Op),
        },
        schema=MineReply,
        project=sessions[0].project,
        stage="mine",
        failure=f"a call failed, so {len(sessions)} of the sessions stay unread",
    )
    if isinstance(reply, Note):
        return Mined(notes=(reply,), lost=tuple(session.id for session in sessions))
    return _proven(reply, labels)


def _proven(reply: MineReply, labels: Mapping[str, Session]) -> Mined:
    """Return the tasks that hold, those that the model missed, and a note for each that doesn't hold."""
    tasks: list[Task] = []
    notes: list[Note] = []
    instead = Counter[str]()
    for mined in reply.tasks:
        try:
            proven = proven_task(mined, labels)
        except ItemError as error:
            notes.append(Note(stage="mine", summary=error.message))
            continue
        tasks.append(proven.task)
        instead.update(proven.instead)
    heard = _corrections(tasks)
    for session in labels.values():
        tasks += _missed(session, heard)
    return Mined(tasks=tuple(tasks), notes=tuple(notes), instead=instead)


def _corrections(tasks: Sequence[Task]) -> set[tuple[str, int]]:
    """Return the session and turn of every correction that the tasks are based on."""
    turns: set[tuple[str, int]] = set()
    for task in tasks:
        for evidence in task.evidence:
            turns.add((evidence.session, evidence.turn))
    return turns


def _missed(session: Session, heard: Collection[tuple[str, int]]) -> Iterator[Task]:
    """Yield the tasks that the rules find because the person named exactly what they want.

    Tasks that are based on a correction in `heard` were not missed.
    """
    for task in ruled_tasks(session):
        if not isinstance(task.reference, Checks):
            continue
        if _corrections([task]).isdisjoint(heard):
            yield task
