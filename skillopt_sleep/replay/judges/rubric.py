"""Grade answers by a rubric: a model sees the task, the rubric and the answer, but not which arm it grades."""

import hashlib
import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import msgspec

from skillopt_sleep.prompts import fill, setting
from skillopt_sleep.prompts.items import PASSES_FROM, item
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import CheckResult, Prompt, Purpose, Rubric, Score, Task, Trajectory

IN_PART_FROM = 0.25  # nearer to 0.5 on the judge's scale than to 0
# Both arms of two tasks. More would save little, and a failed call leaves all of its answers ungraded.
PER_CALL = 4
# Several long answers together must not make a prompt too long.
CHARS_PER_CALL = 40_000
DIFF_CHARS = 12_000


class Answer(NamedTuple):
    """An answer that only a model can grade: its words, or what it changed in the files as a diff."""

    task: Task
    rubric: Rubric
    response: str

    @property
    def chars(self) -> int:
        """The number of characters it adds to a prompt."""
        shown = (self.task.context, self.task.prompt, *self.task.quotes, self.rubric.text, self.response)
        return sum(map(len, shown))


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
    """Return the type of a reply with one grade for each of `count` items; any other reply is malformed."""

    class GradesOfAll(JudgeReply, frozen=True):
        def __post_init__(self) -> None:
            if sorted(grade.item for grade in self.grades) != list(range(1, count + 1)):
                raise ValueError(f"grades must have one entry for each of the {count} items")

    return GradesOfAll


def shown(rubric: Rubric, trajectory: Trajectory) -> str:
    """Return what of an attempt is graded; the middle of a diff that is too long for a prompt is left out."""
    if not rubric.of_changes:
        return trajectory.response
    diff = trajectory.diff
    if len(diff) <= DIFF_CHARS:
        return diff
    head, tail = diff[: DIFF_CHARS * 3 // 4], diff[-DIFF_CHARS // 4 :]
    return f"{head}\n[… {len(diff) - len(head) - len(tail)} characters of the diff are left out here]\n{tail}"


def worthless(rubric: Rubric, response: str) -> Score | None:
    """Return a score of 0 for an answer without a word, else None; some models would give it credit."""
    if any(char.isalnum() for char in response):
        return None
    return _scored(0.0, rubric)


def in_batches(answers: Iterable[Answer]) -> list[list[Answer]]:
    """Batch the answers, one batch for each call: of one project, and those to one task together if possible."""
    by_task: dict[tuple[str, str], list[Answer]] = {}
    for answer in answers:
        by_task.setdefault((answer.task.project, answer.task.id), []).append(answer)
    batches: list[list[Answer]] = []
    for project_and_task in sorted(by_task, key=lambda key: key[0]):
        same_task = by_task[project_and_task]
        for start in range(0, len(same_task), PER_CALL):
            chunk = same_task[start : start + PER_CALL]
            room = next((batch for batch in batches if _fit(batch, chunk)), None)
            if room is None:
                batches.append(chunk)
            else:
                room += chunk
    return batches


def _fit(batch: Sequence[Answer], more: Sequence[Answer]) -> bool:
    both = (*batch, *more)
    if batch[0].task.project != more[0].task.project or len(both) > PER_CALL:
        return False
    if batch[0].rubric.of_changes is not more[0].rubric.of_changes:
        return False
    return sum(answer.chars for answer in both) <= CHARS_PER_CALL


def score_rubrics(batch: Sequence[Answer], model: Backend) -> dict[Answer, Score]:
    """Grade a batch with one call: soft is the model's grade, hard is 1 if that passes.

    All of a batch are graded by their words, or all by their changes.

    Raises CallFailed if no grades came, which is not a 0. The scores don't repeat the judge's reason, because it
    could quote the rubric.
    """
    items = sorted(batch, key=_shuffle_key)
    texts = [item(number, answer.task, [answer.response]) for number, answer in enumerate(items, start=1)]
    prompt = Prompt(
        purpose=Purpose.JUDGE,
        text=fill(
            "judge",
            setting=setting(of_changes=items[0].rubric.of_changes),
            passes=str(PASSES_FROM),
            items="\n\n".join(texts),
        ),
        schema=reply_of(len(items)),
        project=items[0].task.project,
    )
    reply = model.complete(prompt).structured
    assert isinstance(reply, JudgeReply)  # noqa: S101 - a backend decodes into the prompt's schema or raises
    grades = {grade.item: grade.score for grade in reply.grades}
    return {answer: _scored(grades[number], answer.rubric) for number, answer in enumerate(items, start=1)}


def _shuffle_key(answer: Answer) -> bytes:
    """Return a sort key that doesn't depend on the arm: the baseline is made first, but not always shown first."""
    return hashlib.blake2b(f"{answer.task.id}\0{answer.response}".encode()).digest()


def _scored(score: float, rubric: Rubric) -> Score:
    passed = score >= PASSES_FROM
    return Score(
        hard=float(passed),
        soft=score,
        why=_why(score),
        checks=(CheckResult(name="rubric", passed=passed, arg=rubric.text),),
    )


def _why(score: float) -> str:
    if score >= PASSES_FROM:
        return ""
    if score >= IN_PART_FROM:
        return "it meets what the person asked for only in part"
    return "it does not meet what the person asked for"
