"""Grade attempts in the way that the type of their task's reference asks for."""

from collections.abc import Mapping, Sequence
from typing import assert_never

from skillopt_sleep.errors import ItemError
from skillopt_sleep.prompts.grading import AnswerToGrade, batches
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import Checks, Command, Exact, Rubric, Score, Task, Trajectory
from skillopt_sleep.replay.judges.checks import score_checks, score_command, score_exact
from skillopt_sleep.replay.judges.rubric import graded_text, score_rubrics, worthless


class ReferenceJudge:
    """Grades exact answers and checks in code, and rubrics with the judge's model, several answers in one call."""

    def __init__(self, model: Backend) -> None:
        self._model = model

    def score(self, task: Task, trajectory: Trajectory) -> Score:
        """Return the grade; raise ItemError if the attempt can't be graded."""
        graded = _graded_by_code(task, trajectory)
        if isinstance(graded, AnswerToGrade):
            return score_rubrics([graded], self._model)[graded]
        return graded

    def scores(
        self, answers: Sequence[tuple[Task, Trajectory]], *, pool: Pool, label: str
    ) -> Sequence[Score | ItemError]:
        """Return the grade of each, or the error that says why it has none; equal answers to a task get one grade."""
        results = [_graded_or_error(task, trajectory) for task, trajectory in answers]
        # Each distinct answer is graded once: equal answers must score the same, however the model varies.
        distinct = dict.fromkeys(result for result in results if isinstance(result, AnswerToGrade))
        grades: dict[AnswerToGrade, Score | ItemError] = {}
        for batch in pool.map(self._graded_by_model, batches(distinct), label=label):
            grades |= batch
        return [grades[result] if isinstance(result, AnswerToGrade) else result for result in results]

    def _graded_by_model(self, batch: Sequence[AnswerToGrade]) -> Mapping[AnswerToGrade, Score | ItemError]:
        try:
            return score_rubrics(batch, self._model)
        except ItemError as error:
            return dict.fromkeys(batch, error)


def _graded_by_code(task: Task, trajectory: Trajectory) -> Score | AnswerToGrade:
    """Return the grade if code can decide it, else the answer to ask the model about."""
    match task.reference:
        case Exact():
            return score_exact(task.reference, trajectory)
        case Checks():
            return score_checks(task.reference, trajectory)
        case Command():
            return score_command(task.reference, trajectory)
        case Rubric():
            answer = graded_text(task.reference, trajectory)
            return worthless(task.reference, answer) or AnswerToGrade(task, answer)
        case _:
            assert_never(task.reference)


def _graded_or_error(task: Task, trajectory: Trajectory) -> Score | AnswerToGrade | ItemError:
    try:
        return _graded_by_code(task, trajectory)
    except ItemError as error:
        return error
