"""Judge: grades attempts by the type of their task's reference."""

from collections.abc import Mapping, Sequence
from typing import assert_never

from skillopt_sleep.errors import ItemError
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Checks, Exact, Rubric, Score, Task, Trajectory
from skillopt_sleep.replay.judges.checks import score_checks
from skillopt_sleep.replay.judges.exact import score_exact
from skillopt_sleep.replay.judges.rubric import Answer, in_batches, score_rubrics, worthless


class ReferenceJudge:
    """Exact and checks are decided here; rubrics ask the judge's model, several answers a call."""

    def __init__(self, model: Backend) -> None:
        self._model = model

    def score(self, task: Task, trajectory: Trajectory) -> Score:
        """The grade; raises ItemError where it can't be told."""
        told = _told(task, trajectory)
        return score_rubrics([told], self._model)[told] if isinstance(told, Answer) else told

    def scores(
        self, answers: Sequence[tuple[Task, Trajectory]], *, pool: Pool, label: str
    ) -> Sequence[Score | ItemError]:
        """The grade of each, or why there is none; the same answer to the same task has one grade."""
        told = [_told_or_why(*answer) for answer in answers]
        # Each answer once: two arms that say the same are worth the same, however the model's grades vary.
        asked = dict.fromkeys(one for one in told if isinstance(one, Answer))
        grades: dict[Answer, Score | ItemError] = {}
        for graded in pool.map(self._graded, in_batches(asked), label=label):
            grades |= graded
        return [grades[one] if isinstance(one, Answer) else one for one in told]

    def _graded(self, batch: Sequence[Answer]) -> Mapping[Answer, Score | ItemError]:
        try:
            return score_rubrics(batch, self._model)
        except ItemError as error:
            return dict.fromkeys(batch, error)


def _told(task: Task, trajectory: Trajectory) -> Score | Answer:
    """The grade where a program can tell it, or what to ask the model."""
    match task.reference:
        case Exact():
            return score_exact(task.reference, trajectory)
        case Checks():
            return score_checks(task.reference, trajectory)
        case Rubric():
            return worthless(task.reference, trajectory.response) or Answer(task, task.reference, trajectory.response)
        case _:
            assert_never(task.reference)


def _told_or_why(task: Task, trajectory: Trajectory) -> Score | Answer | ItemError:
    try:
        return _told(task, trajectory)
    except ItemError as error:
        return error
