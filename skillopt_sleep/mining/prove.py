"""Keep only references worth trusting: each must fail on the rejected answer and pass on the accepted one.

Checks are tried in code, rubrics by the judge's model (mining/calibration.py).
"""

from msgspec.structs import replace

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.words import counted
from skillopt_sleep.mining.calibration import calibrate
from skillopt_sleep.mining.mined import Mined, corrections_of, quoted
from skillopt_sleep.mining.rules import simpler_references
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.protocols.work import Judge, Pool
from skillopt_sleep.records import Became, Note, Rubric, Task, Trajectory, wants_a_tool

OTHERWISE = "it graded the answers of its session otherwise than you did"
SAME = "no test tells the answer that was rejected from a good one"


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
            setting = replace(candidate.setting, needs_repository=unseen)
            proven.append(replace(candidate, setting=setting, known_answers=known))
    notes = [*mined.notes, *tried.notes]
    gone = {task.id for task in (*untested, *refused)}
    if gone:
        which = f"{len(gone)} of {counted(len(mined.tasks), 'task')} dropped"
        named = quoted([task.prompt for task in mined.tasks if task.id in gone])
        summary = f"{which}, as no test told the rejected answer from a good one: {named}"
        notes.append(Note(stage="prove", summary=summary, expected=True))
    return replace(
        mined,
        tasks=tuple(proven),
        refused=tuple(refused),
        notes=tuple(notes),
        lost=(*mined.lost, *(task.session for task in unread)),
        dropped=(
            *mined.dropped,
            *corrections_of(unread, Became.NOT_REACHED, "a call failed, so its test could not be tried out"),
            *corrections_of(refused, Became.UNGRADED, OTHERWISE),
            *corrections_of(untested, Became.UNUSED, SAME),
        ),
    )


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
        return not (task.feedback.rejected and passes(task.feedback.rejected)) and (
            not task.feedback.accepted or passes(task.feedback.accepted)
        )
    except ItemError:
        # Whether a tool was called can't be told from an excerpt.
        return True
