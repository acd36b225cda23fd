"""Sessions to tasks: a request that was corrected, with a reference made from the user's own correction."""

from collections import Counter
from collections.abc import Iterable, Sequence

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.mining.again import note_asked_again
from skillopt_sleep.mining.lessons import known_lessons, renamed
from skillopt_sleep.mining.mined import Mined, batched
from skillopt_sleep.mining.replies import MineReply, proven_task, shown
from skillopt_sleep.mining.rules import ruled_tasks
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Checks, Note, Op, Prompt, Purpose, Session, Task


def mine(
    sessions: Sequence[Session],
    *,
    optimizer: Backend | None,
    pool: Pool,
    per_call: int,
    most: int,
    known: Sequence[Task],
) -> Mined:
    """The corrected requests of these sessions, by the model, or by rules where there is no optimizer.

    A model's task is kept only if what it wants stands in the person's own words; what it missed although the person
    named exactly what they want is added by the rules. `known` are the tasks of earlier nights, the names of whose
    lessons it is to use again. A call that fails loses its batch, which is noted. At most `most`: those that can be
    asked again in words alone first, of these the newest.
    """
    worth = [session for session in sessions if len(session.typed) > 1]
    batches, lessons = batched(worth, per_call), known_lessons(known)
    if optimizer is None:
        found = [Mined(tasks=tuple(task for session in worth for task in ruled_tasks(session)))]
    else:
        found = pool.map(
            lambda batch: _by_model(batch, optimizer, lessons.get(batch[0].project, ())), batches, label="mine"
        )
    each = {task.id: task for part in found for task in part.tasks}
    tasks = sorted(note_asked_again(tuple(each.values()), sessions), key=_worth)
    notes = [*(note for part in found for note in part.notes), *_told(found)]
    if len(tasks) > most:
        remedy = "nothing; the next night takes them, or raise mine.max_tasks"
        said = f"{len(tasks) - most} tasks are more than one night takes"
        notes.append(Note(stage="mine", summary=said, remedy=remedy, expected=True))
    kept = tuple(sorted(tasks[-most:], key=lambda task: (task.at, task.id)))
    if optimizer is not None:
        calls = Counter(batch[0].project for batch in batches)
        several = {project for project, count in calls.items() if count > 1}
        kept, more = renamed(kept, several, known=lessons, optimizer=optimizer, pool=pool)
        notes += more
    return Mined(
        tasks=kept,
        notes=tuple(notes),
        lost=(*(name for part in found for name in part.lost), *(task.session for task in tasks[:-most])),
    )


def _told(found: Sequence[Mined]) -> Iterable[Note]:
    """Where the person's own words stand for what the model answered."""
    instead = sum((Counter(part.instead) for part in found), Counter[str]())
    of = sum(len(part.tasks) for part in found)
    return (
        Note(stage="mine", summary=f"{count} of {of} tasks are {what}", expected=True)
        for what, count in sorted(instead.items())
    )


def _worth(task: Task) -> tuple[object, ...]:
    return task.in_words, task.at, task.id


def _by_model(sessions: Sequence[Session], optimizer: Backend, lessons: Sequence[str]) -> Mined:
    labels = {f"S{number}": session for number, session in enumerate(sessions, start=1)}
    known = fence("\n".join(map(one_line, lessons)) or "(none)")
    prompt = Prompt(
        purpose=Purpose.MINE,
        text=fill("mine", lessons=known, sessions=shown(labels), ops=", ".join(Op)),
        schema=MineReply,
        project=sessions[0].project,
    )
    try:
        reply = optimizer.complete(prompt).structured
    except ItemError as error:
        ids = tuple(session.id for session in sessions)
        what = f"a call failed, {len(ids)} of the sessions stay unread: {error.message}"
        note = Note(stage="mine", summary=what, remedy=error.remedy)
        return Mined(notes=(note,), lost=ids)
    assert isinstance(reply, MineReply)  # noqa: S101 - a backend decodes into the prompt's schema or raises
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
    heard = {(said.session, said.turn) for task in tasks for said in task.evidence}
    missed = (task for session in sessions for task in ruled_tasks(session) if isinstance(task.reference, Checks))
    tasks += (task for task in missed if all((said.session, said.turn) not in heard for said in task.evidence))
    return Mined(tasks=tuple(tasks), notes=tuple(notes), instead=instead)
