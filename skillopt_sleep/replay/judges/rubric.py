"""Grade answers by a rubric: a model sees the task, the rubric and the answer, but not which arm it grades."""

import re
from collections.abc import Sequence

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.prompts.grading import PASSES_FROM, AnswerToGrade, grading
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import CheckResult, Rubric, Score, Trajectory

IN_PART_FROM = 0.25  # nearer to 0.5 on the judge's scale than to 0
DIFF_CHARS = 12_000
MISSING_CHARS = 200
COPIED_WORDS = 3
SHORT_WORD = 3  # of so many letters, as "not"

_WORD = re.compile(r"\w+")


def graded_text(rubric: Rubric, trajectory: Trajectory) -> str:
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
    return _scored(0.0, rubric.text, missing="it says nothing")


def score_rubrics(batch: Sequence[AnswerToGrade], model: Backend) -> dict[AnswerToGrade, Score]:
    """Grade a batch with one call: soft is the model's grade, hard is 1 if that passes.

    Raises CallFailed if no grades came, which is not a 0. What the judge says is missing is left out where it quotes
    what the person neither said nor is named to have wanted, as the judge's demand, or another task.
    """
    asked = grading(batch)
    grades = asked.grades(model.complete(asked.prompt).structured)
    scores: dict[AnswerToGrade, Score] = {}
    for answer, grade in grades.items():
        missing = one_line(grade.missing, limit=MISSING_CHARS)
        if _quotes_others(missing, answer, batch):
            missing = ""
        scores[answer] = _scored(grade.score or 0.0, answer.demand, missing=missing)
    return scores


def _quotes_others(missing: str, answer: AnswerToGrade, batch: Sequence[AnswerToGrade]) -> bool:
    """Tell whether a word of the demand, or three on end of another task, stand there that the task doesn't hold."""
    task = answer.task
    said = [piece.quote for piece in task.feedback.evidence if piece.session == task.session]
    own = "\n".join((task.wanted.wording, *said, task.context, task.prompt, answer.response))
    told = _runs(missing, 1) & _runs(answer.demand, 1) - _runs(own, 1)
    if any(len(word) > SHORT_WORD for (word,) in told):
        return True
    told = _runs(missing, COPIED_WORDS) - _runs(own, COPIED_WORDS)
    for other in batch:
        texts = [piece.quote for piece in other.task.feedback.evidence]
        if other.task.id != task.id:
            texts += [other.demand, other.task.context, other.task.prompt, other.response]
        if any(told & _runs(text, COPIED_WORDS) for text in texts):
            return True
    return False


def _runs(text: str, length: int) -> set[tuple[str, ...]]:
    """Return all that is said in so many words on end."""
    words = _WORD.findall(text.casefold())
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}


def _scored(score: float, demand: str, *, missing: str) -> Score:
    passed = score >= PASSES_FROM
    why = "" if passed else _why(score)
    if why and missing:
        why += f": {missing}"
    return Score(
        hard=float(passed), soft=score, why=why, checks=(CheckResult(name="rubric", passed=passed, arg=demand),)
    )


def _why(score: float) -> str:
    if score >= IN_PART_FROM:
        return "it meets what the person asked for only in part"
    return "it does not meet what the person asked for"
