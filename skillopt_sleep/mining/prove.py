"""Keep only references worth trusting: each must fail on the rejected answer and pass on the accepted one.

Checks are tried in code, rubrics by the judge's model (mining/calibration.py).
"""

from collections.abc import Sequence

from msgspec.structs import replace

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.mining.calibration import calibrate
from skillopt_sleep.mining.dropped import corrections_of
from skillopt_sleep.mining.mined import Mined
from skillopt_sleep.mining.rules import simpler_references
from skillopt_sleep.protocols import Backend, Judge, Pool
from skillopt_sleep.records import Became, Note, Rubric, Task, Trajectory, wants_a_tool

NAMED = 3  # so many of the dropped tasks are named in the note
NAMED_CHARS = 60


def prove(mined: Mined, *, judge: Judge, model: Backend, pool: Pool) -> Mined:
    """Keep the tasks whose reference tells a bad answer from a good one; drop, count and name the others.

    If checks fail to, the lesson or the person's words do. What no answer in words can show is kept untried, for a
    replay with the repository. A failed call leaves its sessions unread, with all their tasks.
    """
    candidates: dict[str, Task] = {}
    for task in mined.tasks:
        candidate = _with_working_reference(task, judge)
        if candidate is not None:
            candidates[task.id] = candidate
    with_rubric = [task for task in candidates.values() if isinstance(task.reference, Rubric)]
    tried = calibrate(with_rubric, model, pool)
    lost = {task.session for task in with_rubric if task.id in tried.lost}
    proven: list[Task] = []
    untested: list[Task] = []
    unread: list[Task] = []
    refused: list[Task] = []
    for task in mined.tasks:
        candidate = candidates.get(task.id)
        if task.session in lost:
            unread.append(task)
        elif candidate is None:
            untested.append(task)
        elif task.id in tried.refused:
            refused.append(replace(candidate, known_answers=tried.known.get(task.id, ())))
        else:
            unseen = task.id in tried.unseen or wants_a_tool(candidate.reference)
            known = tried.known.get(task.id, ())
            proven.append(replace(candidate, needs_repository=unseen, known_answers=known))
    notes = [*mined.notes, *tried.notes]
    gone = {task.id for task in (*untested, *refused)}
    if gone:
        notes.append(_note_of_dropped([task for task in mined.tasks if task.id in gone], len(mined.tasks)))
    return replace(
        mined,
        tasks=tuple(proven),
        refused=tuple(refused),
        notes=tuple(notes),
        lost=(*mined.lost, *(task.session for task in unread)),
        dropped=(
            *mined.dropped,
            *corrections_of(unread, Became.UNREAD, "its test could not be tried out"),
            *corrections_of(refused, Became.UNGRADED),
            *corrections_of(untested, Became.NO_TEST),
        ),
    )


def _note_of_dropped(dropped: Sequence[Task], count: int) -> Note:
    named = "; ".join(f"«{one_line(task.prompt, limit=NAMED_CHARS)}»" for task in dropped[:NAMED])
    if len(dropped) > NAMED:
        named += "; …"
    if len(dropped) == count:
        found = "1 correction was" if count == 1 else f"{count} corrections were"
        summary = f"{found} found, and a reliable test could be built for none: {named}"
    else:
        summary = (
            f"{len(dropped)} of {count} tasks couldn't be tested: no test told the rejected answer from a good one: "
            f"{named}"
        )
    return Note(stage="prove", summary=summary, expected=True)


def _with_working_reference(task: Task, judge: Judge) -> Task | None:
    """Return the task with the first reference that works, or with a rubric, which a model has yet to grade."""
    for reference in simpler_references(task):
        candidate = replace(task, reference=reference)
        if isinstance(reference, Rubric) or _tells_apart(candidate, judge):
            return candidate
    return None


def _tells_apart(task: Task, judge: Judge) -> bool:
    """Tell whether the reference fails on the rejected answer and passes on the accepted one, if there are any."""

    def passes(text: str) -> bool:
        return judge.score(task, Trajectory(response=text, text_only=True)).hard >= 1

    try:
        return not (task.rejected and passes(task.rejected)) and (not task.accepted or passes(task.accepted))
    except ItemError:
        # Whether a tool was called can't be told from an excerpt.
        return True
