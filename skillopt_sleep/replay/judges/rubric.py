"""Demands in words, graded by a model that sees task, demand and answer, and not which arm it grades."""

import hashlib
import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import msgspec

from skillopt_sleep.prompts import fill
from skillopt_sleep.prompts.items import item
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import CheckResult, Prompt, Purpose, Rubric, Score, Task

HARD_FROM = 0.8
# Both arms of two tasks. More answers save little, and a call that fails leaves all of its answers without a grade.
PER_CALL = 4
# Several long answers must not make a prompt too long that one of them would not.
CHARS_PER_CALL = 40_000


class Answer(NamedTuple):
    """What only a model can grade."""

    task: Task
    rubric: Rubric
    response: str

    @property
    def chars(self) -> int:
        """How much of a prompt it takes."""
        return len(self.task.context) + len(self.task.prompt) + len(self.rubric.text) + len(self.response)


class ItemGrade(msgspec.Struct, frozen=True):
    """The grade of one answer: anything else than a number in [0, 1] is none."""

    item: int
    score: float
    reason: str = ""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.score) and 0 <= self.score <= 1):
            raise ValueError("score is not in [0, 1]")


class JudgeReply(msgspec.Struct, frozen=True):
    """What the judge's model answers."""

    grades: tuple[ItemGrade, ...]


@cache
def reply_of(count: int) -> type[JudgeReply]:
    """The reply that grades so many items once each; any other is malformed, so it is repaired and never kept."""

    class GradesOfAll(JudgeReply, frozen=True):
        def __post_init__(self) -> None:
            if sorted(grade.item for grade in self.grades) != list(range(1, count + 1)):
                raise ValueError(f"grades must have one entry for each of the {count} items")

    return GradesOfAll


def worthless(rubric: Rubric, response: str) -> Score | None:
    """The 0 of an answer without a word: no model is asked what nothing is worth, some give it credit."""
    return None if any(char.isalnum() for char in response) else _scored(0.0, rubric)


def in_batches(answers: Iterable[Answer]) -> list[list[Answer]]:
    """What is graded in one call each: answers of one project, those to one task together where they can be."""
    tasks: dict[tuple[str, str], list[Answer]] = {}
    for answer in answers:
        tasks.setdefault((answer.task.project, answer.task.id), []).append(answer)
    batches: list[list[Answer]] = []
    for _, own in sorted(tasks.items(), key=lambda one: one[0][0]):
        for at in range(0, len(own), PER_CALL):
            some = own[at : at + PER_CALL]
            if batches and _fit(batches[-1], some):
                batches[-1] += some
            else:
                batches.append(some)
    return batches


def _fit(batch: Sequence[Answer], more: Sequence[Answer]) -> bool:
    both = (*batch, *more)
    return (
        batch[0].task.project == more[0].task.project
        and len(both) <= PER_CALL
        and sum(answer.chars for answer in both) <= CHARS_PER_CALL
    )


def score_rubrics(batch: Sequence[Answer], model: Backend) -> dict[Answer, Score]:
    """The grades of a batch by one call: soft is the grade, hard 1 from 0.8 on.

    Raises CallFailed where no grades came, which is not a 0. `why` never tells the demand itself: the judge's reason
    could quote it.
    """
    shown = sorted(batch, key=_place)
    items = "\n\n".join(item(number, one.task, [one.response]) for number, one in enumerate(shown, start=1))
    prompt = Prompt(
        purpose=Purpose.JUDGE,
        text=fill("judge", items=items),
        schema=reply_of(len(shown)),
        project=shown[0].task.project,
    )
    reply = model.complete(prompt).structured
    assert isinstance(reply, JudgeReply)  # noqa: S101 - a backend decodes into the prompt's schema or raises
    grades = {grade.item: grade.score for grade in reply.grades}
    return {answer: _scored(grades[number], answer.rubric) for number, answer in enumerate(shown, start=1)}


def _place(answer: Answer) -> bytes:
    """An order that says nothing of the arms: the baseline is made first, and must not be shown first."""
    return hashlib.blake2b(f"{answer.task.id}\0{answer.response}".encode()).digest()


def _scored(score: float, rubric: Rubric) -> Score:
    passed = score >= HARD_FROM
    return Score(
        hard=float(passed),
        soft=score,
        why="" if passed else "it does not meet what the person asked for",
        checks=(CheckResult(name="rubric", passed=passed, arg=rubric.text),),
    )
