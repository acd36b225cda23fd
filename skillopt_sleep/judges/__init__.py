"""Judge: grades an attempt by the type of the task's reference."""

from typing import assert_never

from skillopt_sleep.judges.checks import score_checks
from skillopt_sleep.judges.exact import score_exact
from skillopt_sleep.judges.rubric import score_rubric
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Checks, Exact, Rubric, Score, Task, Trajectory


class ReferenceJudge:
    """Exact and checks are decided here; a rubric asks the judge's model."""

    def __init__(self, model: Backend) -> None:
        self._model = model

    def score(self, task: Task, trajectory: Trajectory) -> Score:
        """The grade; raises ItemError where it can't be told."""
        match task.reference:
            case Exact():
                return score_exact(task.reference, trajectory)
            case Checks():
                return score_checks(task.reference, trajectory)
            case Rubric():
                return score_rubric(task, task.reference, trajectory, self._model)
            case _:
                assert_never(task.reference)
