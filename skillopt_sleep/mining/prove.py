"""References worth trusting: each must fail on the answer the person rejected and pass on the one they accepted.

A rubric is graded by the judge's model, blind to which answer is which, twice in opposite order, among controls that
must earn nothing: no answer, a lone colon, and the demand itself (after "One Token to Fool LLM-as-a-Judge", 2025). Of
an agent's answer there is only what it said and ran, so one that doesn't show what is demanded proves nothing.
"""

import math
from collections.abc import Sequence
from functools import cache

import msgspec

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.mining.mined import Mined, batched
from skillopt_sleep.mining.rules import simpler_references
from skillopt_sleep.prompts import fill
from skillopt_sleep.prompts.items import item
from skillopt_sleep.protocols import Backend, Judge, Pool
from skillopt_sleep.records import Note, Prompt, Purpose, Reference, Rubric, Task, Trajectory

PASSES_FROM = 0.8
PER_CALL = 8
NAMED, NAMED_CHARS = 3, 60  # so many of the dropped tasks are named in the note


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
    """The reply that grades each item's so many answers; any other is malformed, so it is repaired and never kept."""

    class GradesOfAll(ProveReply, frozen=True):
        def __post_init__(self) -> None:
            found = sorted((graded.item, len(graded.scores)) for graded in self.grades)
            if found != list(enumerate(counts, start=1)):
                raise ValueError("grades must have one entry for each item, with one score for each of its answers")

    return GradesOfAll


def prove(mined: Mined, *, judge: Judge, model: Backend, pool: Pool) -> Mined:
    """Only tasks whose reference tells the rejected answer from the accepted one; the others are dropped and counted.

    Where checks don't, the person's words stand for them. A grading call that fails leaves its sessions unread.
    """
    settled = [_settle(task, judge) for task in mined.tasks]
    open_ones = [task for task in settled if task is not None and isinstance(task.reference, Rubric)]
    batches = batched(open_ones, PER_CALL)
    asked = [(batch, turned) for batch in batches for turned in (False, True)]
    graded = pool.map(lambda one: _grade(one[0], model, turned=one[1]), asked, label="prove")
    trusted, lost, failed = set[str](), set[str](), list[Note]()
    for batch, one, other in zip(batches, graded[::2], graded[1::2], strict=True):
        if isinstance(one, Note):
            failed.append(one)
        elif isinstance(other, Note):
            failed.append(other)
        else:
            both = zip(batch, one, other, strict=True)
            trusted.update(task.id for task, *grades in both if all(_holds(task, scores) for scores in grades))
            continue
        lost.update(task.id for task in batch)
    kept = [
        task
        for task in settled
        if task is not None and (not isinstance(task.reference, Rubric) or task.id in trusted)
    ]
    left = lost.union(task.id for task in kept)
    dropped = [one_line(task.prompt, limit=NAMED_CHARS) for task in mined.tasks if task.id not in left]
    notes = [*mined.notes, *failed]
    if dropped:
        said = f"{len(dropped)} of {len(mined.tasks)} tasks were dropped"
        because = "their reference did not tell the answer that was rejected from a good one"
        named = "; ".join(f"«{prompt}»" for prompt in dropped[:NAMED]) + ("; …" if len(dropped) > NAMED else "")
        notes.append(Note(stage="prove", summary=f"{said}: {because}: {named}", expected=True))
    gone = tuple(task.session for task in mined.tasks if task.id in lost)
    return Mined(tasks=tuple(kept), notes=tuple(notes), lost=(*mined.lost, *gone))


def _settle(task: Task, judge: Judge) -> Task | None:
    """The task with the first reference that a program finds right, or a rubric, which a model has yet to prove."""
    for reference in simpler_references(task.reference, [said.quote for said in task.evidence]):
        candidate = msgspec.structs.replace(task, reference=reference)
        if isinstance(reference, Rubric) or _tells_apart(candidate, judge):
            return candidate
    return None


def _tells_apart(task: Task, judge: Judge) -> bool:
    """Whether the reference fails on the rejected answer and passes on the accepted one, where there are any."""
    try:
        fails = not task.rejected or judge.score(task, _answer(task.rejected)).hard < 1
        passes = not task.accepted or judge.score(task, _answer(task.accepted)).hard >= 1
    except ItemError:
        # Whether a tool was called can't be told from an excerpt.
        return True
    return fails and passes


def _answer(text: str) -> Trajectory:
    return Trajectory(response=text, text_only=True)


def _grade(tasks: Sequence[Task], model: Backend, *, turned: bool) -> Sequence[Sequence[float | None]] | Note:
    """The grades of these tasks' answers, asked for in their order or the opposite one, or why none came."""
    order = -1 if turned else 1
    try:
        found = _ask(tasks, [_answers(task, task.reference)[::order] for task in tasks], model)
    except ItemError as error:
        summary = f"a grading call failed, {len(tasks)} tasks wait: {error.message}"
        return Note(stage="prove", summary=summary, remedy=error.remedy)
    return [scores[::order] for scores in found]


def _answers(task: Task, reference: Reference) -> list[str]:
    """The controls, then what was rejected and accepted, where there is any."""
    demand = reference.text if isinstance(reference, Rubric) else ""
    return ["", ":", demand, *([task.rejected] if task.rejected else []), *([task.accepted] if task.accepted else [])]


def _holds(task: Task, scores: Sequence[float | None]) -> bool:
    if any(scores[:3]):
        return False
    rest = list(scores[3:])
    rejected = rest.pop(0) if task.rejected else None
    accepted = rest.pop(0) if task.accepted else None
    fails = rejected is None or rejected < PASSES_FROM
    return fails and (accepted is None or accepted >= PASSES_FROM)


def _ask(tasks: Sequence[Task], answers: Sequence[Sequence[str]], model: Backend) -> Sequence[Sequence[float | None]]:
    items = "\n\n".join(
        item(number, task, some) for number, (task, some) in enumerate(zip(tasks, answers, strict=True), start=1)
    )
    prompt = Prompt(
        purpose=Purpose.PROVE,
        text=fill("prove", items=items),
        schema=reply_of(tuple(len(some) for some in answers)),
        project=tasks[0].project,
    )
    reply = model.complete(prompt).structured
    assert isinstance(reply, ProveReply)  # noqa: S101 - a backend decodes into the prompt's schema or raises
    grades = {graded.item: graded.scores for graded in reply.grades}
    return [grades[number] for number in range(1, len(tasks) + 1)]
