"""A demand in words, graded by a model that sees task, demand and answer, and not which arm it grades."""

import math

import msgspec

from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import CheckResult, Prompt, Purpose, Rubric, Score, Task, Trajectory

HARD_FROM = 0.8


class JudgeReply(msgspec.Struct, frozen=True):
    """What the judge's model answers: anything else than a number in [0, 1] is no grade."""

    score: float
    reason: str = ""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.score) and 0 <= self.score <= 1):
            raise ValueError("score is not in [0, 1]")


def score_rubric(task: Task, reference: Rubric, trajectory: Trajectory, model: Backend) -> Score:
    """Soft is the grade, hard 1 from 0.8 on; raises CallFailed where no grade came, which is not a 0.

    `why` never tells the demand itself: the judge's reason could quote it.
    """
    if not any(char.isalnum() for char in trajectory.response):
        # No model is asked what nothing is worth: some give it credit.
        return _scored(0.0, reference)
    text = fill(
        "judge",
        rubric=fence(reference.text),
        request=fence(f"{task.context}\n{task.prompt}".strip()),
        answer=fence(trajectory.response),
    )
    reply = model.complete(
        Prompt(purpose=Purpose.JUDGE, text=text, schema=JudgeReply, project=task.project)
    ).structured
    assert isinstance(reply, JudgeReply)  # noqa: S101 - a backend decodes into the prompt's schema or raises
    return _scored(reply.score, reference)


def _scored(score: float, reference: Rubric) -> Score:
    passed = score >= HARD_FROM
    return Score(
        hard=float(passed),
        soft=score,
        why="" if passed else "it does not meet what the person asked for",
        checks=(CheckResult(name="rubric", passed=passed, arg=reference.text),),
    )
