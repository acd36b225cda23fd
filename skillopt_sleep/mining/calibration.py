"""Try rubrics on answers of known worth, which the judge's model grades blind to what each of them is.

No answer and a lone colon must earn nothing (after "One Token to Fool LLM-as-a-Judge", 2025), an answer written to
miss the demand and the rejected one must fail, one written to meet it and the accepted one must pass. Of an agent's
answer only what it said and ran is known, so one that doesn't show what is demanded proves nothing. All tasks of one
call are graded by the answer, or all by what was changed.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple

import msgspec

from skillopt_sleep.mining.mined import ask_model, batched
from skillopt_sleep.mining.write_controls import PER_CALL, ItemControls, waiting, write_controls
from skillopt_sleep.prompts import setting, template
from skillopt_sleep.prompts.items import PASSES_FROM, item
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import AnswerKind, KnownAnswer, Note, Purpose, Task, is_of_changes

NEAR = 0.2  # a grade so near to passing is asked for again, with the answers in the opposite order


class Kind(StrEnum):
    """The kinds of answer that a rubric is tried on; a judge that grades them isn't told which is which."""

    EMPTY = "empty"
    COLON = "colon"
    MISSES = "misses"
    MEETS = "meets"
    REJECTED = "rejected"
    ACCEPTED = "accepted"


_WORTHLESS = frozenset({Kind.EMPTY, Kind.COLON})
_WRITTEN = frozenset({Kind.MISSES, Kind.MEETS})
_PASSES = frozenset({Kind.MEETS, Kind.ACCEPTED})
_KNOWN = {
    Kind.MEETS: AnswerKind.MEETS,
    Kind.MISSES: AnswerKind.MISSES,
    Kind.ACCEPTED: AnswerKind.MEETS,
    Kind.REJECTED: AnswerKind.MISSES,
}

Answers = Mapping[Kind, str]
Grades = Mapping[Kind, float | None]


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
def _grades_of(counts: tuple[int, ...]) -> type[ProveReply]:
    """Return the schema of a reply that grades so many answers of each item.

    Any other reply is malformed, so it is repaired and never kept.
    """

    class GradesOfAll(ProveReply, frozen=True):
        def __post_init__(self) -> None:
            found = sorted((graded.item, len(graded.scores)) for graded in self.grades)
            if found != list(enumerate(counts, start=1)):
                raise ValueError("grades must have one entry for each item, with one score for each of its answers")

    return GradesOfAll


class Calibration(NamedTuple):
    """The ids of tasks by what became of their rubric, what their answers are worth, and notes on failed calls.

    A rubric is `refused` if its grades aren't what the answers are worth, `unseen` if no answer in words can show
    whether it is met, `lost` if a call failed.
    """

    refused: set[str]
    unseen: set[str]
    lost: set[str]
    known: dict[str, tuple[KnownAnswer, ...]]
    notes: list[Note]


def calibrate(tasks: Sequence[Task], model: Backend, pool: Pool) -> Calibration:
    """Try the rubric of each task on answers of known worth; what is graded near to passing is graded again."""
    result = Calibration(set(), set(), set(), {}, [])
    answers = _answers(tasks, model, pool, result)
    near = _grade([task for task in tasks if task.id in answers], answers, model, pool, result, order=1)
    _grade(near, answers, model, pool, result, order=-1)
    return result


def _answers(tasks: Sequence[Task], model: Backend, pool: Pool, result: Calibration) -> Mapping[str, Answers]:
    """Return the answers to try each rubric on, by the id of its task."""
    batches = batched(tasks, PER_CALL)
    replies = pool.map(lambda batch: write_controls(batch, model), batches, label="controls")
    answers: dict[str, Answers] = {}
    for batch, reply in zip(batches, replies, strict=True):
        if isinstance(reply, Note):
            _lose(batch, reply, result)
            continue
        for task, control in zip(batch, sorted(reply.controls, key=lambda control: control.item), strict=True):
            if control.needs_repository:
                result.unseen.add(task.id)
            else:
                answers[task.id] = _answers_to(task, control)
    return answers


def _lose(batch: Sequence[Task], note: Note, result: Calibration) -> None:
    result.notes.append(note)
    result.lost.update(task.id for task in batch)


def _answers_to(task: Task, control: ItemControls) -> Answers:
    """Return the answers in an order that tells nothing about them and is the same on every night."""
    answers = {Kind.EMPTY: "", Kind.COLON: ":", Kind.MISSES: control.misses, Kind.MEETS: control.meets}
    # Of the session's own answers only the words are known, no diff.
    in_words = not is_of_changes(task.reference)
    if task.rejected and in_words:
        answers[Kind.REJECTED] = task.rejected
    if task.accepted and in_words:
        answers[Kind.ACCEPTED] = task.accepted

    def place(kind: Kind) -> bytes:
        return hashlib.blake2b(f"{task.id}\0{kind}".encode()).digest()

    return {kind: answers[kind] for kind in sorted(answers, key=place)}


def _grade(
    tasks: Sequence[Task],
    answers: Mapping[str, Answers],
    model: Backend,
    pool: Pool,
    result: Calibration,
    *,
    order: int,
) -> list[Task]:
    """Grade the answers to each task, in their order (1) or backwards (-1); return tasks that were close."""
    batches = batched(tasks, PER_CALL)
    shown = {task.id: tuple(answers[task.id].items())[::order] for task in tasks}
    replies = pool.map(lambda batch: _grades(batch, shown, model), batches, label="prove")
    near: list[Task] = []
    for batch, reply in zip(batches, replies, strict=True):
        if isinstance(reply, Note):
            _lose(batch, reply, result)
            continue
        for task, graded in zip(batch, sorted(reply.grades, key=lambda graded: graded.item), strict=True):
            kinds = [kind for kind, _ in shown[task.id]]
            grades = dict(zip(kinds, graded.scores, strict=True))
            result.known[task.id] = _known(answers[task.id], grades)
            if not _holds(grades):
                result.refused.add(task.id)
            elif _is_near(grades):
                near.append(task)
    return near


def _known(answers: Answers, grades: Grades) -> tuple[KnownAnswer, ...]:
    """Return the answers of known worth: the written ones, and those of the session that were graded so."""
    known: list[KnownAnswer] = []
    for kind, worth in _KNOWN.items():
        grade = grades.get(kind)
        if kind in _WRITTEN or (grade is not None and _is_right(kind, grade)):
            known.append(KnownAnswer(kind=worth, response=answers[kind]))
    return tuple(known)


def _grades(
    tasks: Sequence[Task], shown: Mapping[str, Sequence[tuple[Kind, str]]], model: Backend
) -> ProveReply | Note:
    of_changes = is_of_changes(tasks[0].reference)
    items: list[str] = []
    for number, task in enumerate(tasks, start=1):
        texts = [text for _, text in shown[task.id]]
        items.append(item(number, task, texts))
    return ask_model(
        model,
        Purpose.PROVE,
        {
            "setting": setting(of_changes=of_changes),
            "excerpts": template("prove_excerpts_changes" if of_changes else "prove_excerpts").strip(),
            "passes": str(PASSES_FROM),
            "items": "\n\n".join(items),
        },
        schema=_grades_of(tuple(len(shown[task.id]) for task in tasks)),
        project=tasks[0].project,
        stage="prove",
        failure=f"a grading call failed, so {waiting(len(tasks))}",
    )


def _holds(grades: Grades) -> bool:
    """Tell whether every answer was graded for what it is worth; one that doesn't show it may be an agent's only."""
    return all(_is_right(kind, grade) for kind, grade in grades.items())


def _is_right(kind: Kind, grade: float | None) -> bool:
    if kind in _WORTHLESS:
        return not grade
    if grade is None:
        return kind not in _WRITTEN
    return (grade >= PASSES_FROM) is (kind in _PASSES)


def _is_near(grades: Grades) -> bool:
    """Tell whether a grade lies so near to passing that the order of the answers could have decided it."""
    for grade in grades.values():
        if grade is not None and round(abs(grade - PASSES_FROM), 6) < NEAR:
            return True
    return False
