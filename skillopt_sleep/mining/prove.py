"""Keep only references worth trusting: each must fail on the rejected answer and pass on the accepted one.

A rubric is graded by the judge's model, blind to which answer is which, twice in opposite order, among controls that
must earn nothing: no answer, a lone colon, and the demand itself (after "One Token to Fool LLM-as-a-Judge", 2025). Of
an agent's answer only what it said and ran is known, so an answer that doesn't show what is demanded proves nothing.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import msgspec

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.mining.ask_model import ask_model
from skillopt_sleep.mining.mined import Mined, batched
from skillopt_sleep.mining.provenance import quotes_of
from skillopt_sleep.mining.rules import simpler_references
from skillopt_sleep.prompts.items import item
from skillopt_sleep.protocols import Backend, Judge, Pool
from skillopt_sleep.records import Note, Purpose, Rubric, Task, Trajectory

PASSES_FROM = 0.8
PER_CALL = 8
CONTROLS = 3
NAMED = 3  # so many of the dropped tasks are named in the note
NAMED_CHARS = 60

Grades = Sequence[float | None]


# Models read a reply's docstrings: they are in its schema.
class ItemGrades(msgspec.Struct, frozen=True):
    """The grades of one item's answers, in their order; None for an answer that doesn't show it."""

    item: int
    scores: tuple[float | None, ...]

    def __post_init__(self) -> None:
        if not all(score is None or (math.isfinite(score) and 0 <= score <= 1) for score in self.scores):
            raise ValueError("a score is not in [0, 1]")


class ProveReply(msgspec.Struct, frozen=True):
    """What the judge's model answers."""

    grades: tuple[ItemGrades, ...]


@cache
def reply_of(counts: tuple[int, ...]) -> type[ProveReply]:
    """Return the schema of a reply that grades so many answers of each item.

    Any other reply is malformed, so it is repaired and never kept.
    """

    class GradesOfAll(ProveReply, frozen=True):
        def __post_init__(self) -> None:
            found = sorted((graded.item, len(graded.scores)) for graded in self.grades)
            if found != list(enumerate(counts, start=1)):
                raise ValueError("grades must have one entry for each item, with one score for each of its answers")

    return GradesOfAll


def prove(mined: Mined, *, judge: Judge, model: Backend, pool: Pool) -> Mined:
    """Keep the tasks whose reference tells the rejected answer from the accepted one; drop and count the others.

    If checks fail to, the person's words replace them. A failed grading call leaves its sessions unread.
    """
    candidates: dict[str, Task] = {}
    for task in mined.tasks:
        candidate = _with_working_reference(task, judge)
        if candidate is not None:
            candidates[task.id] = candidate
    grading = _grade_rubrics(candidates.values(), model, pool)
    proven: list[Task] = []
    dropped: list[Task] = []
    unread: list[str] = []
    for task in mined.tasks:
        if task.id in grading.lost:
            unread.append(task.session)
        elif task.id in candidates and task.id not in grading.refused:
            proven.append(candidates[task.id])
        else:
            dropped.append(task)
    notes = [*mined.notes, *grading.notes]
    if dropped:
        notes.append(_note_of_dropped(dropped, len(mined.tasks)))
    return Mined(tasks=tuple(proven), notes=tuple(notes), lost=(*mined.lost, *unread))


class _Grading(NamedTuple):
    """The ids of the tasks whose rubric doesn't hold and of those whose call failed, and notes on these calls."""

    refused: set[str]
    lost: set[str]
    notes: list[Note]


def _grade_rubrics(tasks: Iterable[Task], model: Backend, pool: Pool) -> _Grading:
    """Grade the answers to all tasks with a rubric, in both orders."""
    with_rubric = [task for task in tasks if isinstance(task.reference, Rubric)]
    batches = batched(with_rubric, PER_CALL)
    calls: list[tuple[list[Task], bool]] = []
    for batch in batches:
        calls += [(batch, False), (batch, True)]
    grades = pool.map(lambda call: _grade(call[0], model, backwards=call[1]), calls, label="prove")
    grading = _Grading(set(), set(), [])
    for batch, forwards, backwards in zip(batches, grades[::2], grades[1::2], strict=True):
        if isinstance(forwards, Note):
            grading.notes.append(forwards)
        elif isinstance(backwards, Note):
            grading.notes.append(backwards)
        else:
            grading.refused.update(_refused(batch, forwards, backwards))
            continue
        grading.lost.update(task.id for task in batch)
    return grading


def _note_of_dropped(dropped: Sequence[Task], count: int) -> Note:
    named = "; ".join(f"«{one_line(task.prompt, limit=NAMED_CHARS)}»" for task in dropped[:NAMED])
    if len(dropped) > NAMED:
        named += "; …"
    summary = (
        f"{len(dropped)} of {count} tasks were dropped: their reference did not tell the rejected answer from a good "
        f"one: {named}"
    )
    return Note(stage="prove", summary=summary, expected=True)


def _with_working_reference(task: Task, judge: Judge) -> Task | None:
    """Return the task with the first reference that works, or with a rubric, which a model has yet to grade."""
    for reference in simpler_references(task.reference, quotes_of(task.evidence)):
        candidate = msgspec.structs.replace(task, reference=reference)
        if isinstance(reference, Rubric) or _tells_apart(candidate, judge):
            return candidate
    return None


def _tells_apart(task: Task, judge: Judge) -> bool:
    """Tell whether the reference fails on the rejected answer and passes on the accepted one, if there are any."""
    try:
        fails = not task.rejected or judge.score(task, _answer(task.rejected)).hard < 1
        passes = not task.accepted or judge.score(task, _answer(task.accepted)).hard >= 1
    except ItemError:
        # Whether a tool was called can't be told from an excerpt.
        return True
    return fails and passes


def _answer(text: str) -> Trajectory:
    return Trajectory(response=text, text_only=True)


def _grade(tasks: Sequence[Task], model: Backend, *, backwards: bool) -> Sequence[Grades] | Note:
    """Return the grades of each task's answers, in their order, though the model may see them backwards."""
    order = -1 if backwards else 1
    answers = [_answers(task)[::order] for task in tasks]
    items = map(item, range(1, len(tasks) + 1), tasks, answers)
    reply = ask_model(
        model,
        Purpose.PROVE,
        {"items": "\n\n".join(items)},
        schema=reply_of(tuple(map(len, answers))),
        project=tasks[0].project,
        stage="prove",
        failure=f"a grading call failed, so {len(tasks)} tasks wait for another night",
    )
    if isinstance(reply, Note):
        return reply
    in_order = sorted(reply.grades, key=lambda graded: graded.item)
    return [graded.scores[::order] for graded in in_order]


def _answers(task: Task) -> list[str]:
    """Return the controls, then the rejected and the accepted answer if there are any."""
    demand = task.reference.text if isinstance(task.reference, Rubric) else ""
    answers = ["", ":", demand]
    if task.rejected:
        answers.append(task.rejected)
    if task.accepted:
        answers.append(task.accepted)
    return answers


def _refused(tasks: Sequence[Task], forwards: Sequence[Grades], backwards: Sequence[Grades]) -> Iterator[str]:
    """Yield the ids of the tasks whose grades don't hold in both orders."""
    for task, one, other in zip(tasks, forwards, backwards, strict=True):
        if not _holds(task, one) or not _holds(task, other):
            yield task.id


def _holds(task: Task, scores: Grades) -> bool:
    """Tell whether the controls earned nothing, the rejected answer fails and the accepted one passes."""
    if any(scores[:CONTROLS]):
        return False
    rest = list(scores[CONTROLS:])
    if task.rejected:
        rejected = rest.pop(0)
        if rejected is not None and rejected >= PASSES_FROM:
            return False
    if task.accepted:
        accepted = rest.pop(0)
        if accepted is not None and accepted < PASSES_FROM:
            return False
    return True
