"""Mix answers of known worth into the batches that the judge grades, so that it can't tell them from the others."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence

from skillopt_sleep.errors import ItemError
from skillopt_sleep.prompts.grading import ANSWERS_PER_CALL
from skillopt_sleep.protocols import Judge, Pool
from skillopt_sleep.records import AnswerKind, Rubric, Score, Task, Trajectory, graded_by_model
from skillopt_sleep.replay.judges.known_answers import Control
from skillopt_sleep.replay.judges.measure import Graded
from skillopt_sleep.replay.judges.rubric import shown

# As many pass as don't: a judge that passes all answers alike, however many, is right on one half of them. As many
# again are asked of a judge that these leave in doubt.
WANTED: Mapping[AnswerKind, int] = {
    AnswerKind.MEETS: 8,
    AnswerKind.MISSES: 2,
    AnswerKind.LONGER: 4,
    AnswerKind.ECHO: 2,
}
TOLD_APART = 4  # with fewer different answers that pass, too much would hang on each

Take = Callable[[int], Sequence[Control]]


def shuffled(tasks: Iterable[Task], *, night: str) -> list[Task]:
    """Return the tasks in an order that differs from night to night and tells nothing about them."""
    return sorted(tasks, key=lambda task: hashlib.blake2b(f"{night}\0{task.id}".encode()).digest())


def chosen(known: Mapping[AnswerKind, Sequence[Control]]) -> tuple[list[Control], list[Control]]:
    """Return a night's controls, and as many more in case of doubt; if there are too few, some are asked again."""
    first: dict[AnswerKind, list[Control]] = {}
    more: dict[AnswerKind, list[Control]] = {}
    for kind, wanted in WANTED.items():
        both = _enough(known[kind], 2 * wanted)
        first[kind], more[kind] = both[:wanted], both[wanted:]
    return _mixed(first), _mixed(more)


def _mixed(by_kind: Mapping[AnswerKind, Sequence[Control]]) -> list[Control]:
    """Return the controls, those that pass and the others in turn."""
    passing = by_kind[AnswerKind.MEETS]
    others: list[Control] = []
    for place in range(max(WANTED.values())):
        for kind, controls in by_kind.items():
            if kind is not AnswerKind.MEETS:
                others += controls[place : place + 1]
    mixed: list[Control] = []
    for place in range(max(len(passing), len(others))):
        mixed += passing[place : place + 1]
        mixed += others[place : place + 1]
    return mixed


def _enough(controls: Sequence[Control], wanted: int) -> list[Control]:
    """Return so many of the controls; one that is asked again ends in another line break, so it is graded again."""
    if not controls:
        return []
    enough: list[Control] = []
    for place in range(wanted):
        again, at = divmod(place, len(controls))
        control = controls[at]
        enough.append(control._replace(response=control.response + "\n" * again))
    return enough


class MixingJudge:
    """Grade answers with controls among them; a control's grade is never a score.

    `informed` adds to a task what its judge is told besides.
    """

    def __init__(
        self,
        judge: Judge,
        take: Take,
        graded: Callable[[Graded], None],
        informed: Callable[[Task], Task] = lambda task: task,
    ) -> None:
        self._inner = judge
        self._take = take
        self._graded = graded
        self._informed = informed

    def score(self, task: Task, trajectory: Trajectory) -> Score:
        """Return the grade of one answer; raise ItemError if it can't be graded."""
        return self._inner.score(self._informed(task), trajectory)

    def scores(
        self, answers: Sequence[tuple[Task, Trajectory]], *, pool: Pool, label: str
    ) -> Sequence[Score | ItemError]:
        """Return the grade of each, or the error that says why it has none."""
        by_model = {
            (task.id, shown(task.reference, trajectory))
            for task, trajectory in answers
            if isinstance(task.reference, Rubric)
        }
        controls = self._take(len(by_model))
        known = [(control.task, control.attempt) for control in controls]
        asked = [(self._informed(task), trajectory) for task, trajectory in (*answers, *known)]
        grades = self._inner.scores(asked, pool=pool, label=label)
        for control, grade in zip(controls, grades[len(answers) :], strict=True):
            if isinstance(grade, Score):
                self._graded(Graded(control, grade))
        return grades[: len(answers)]

    def unmixed(self) -> "MixingJudge":
        """Return the judge without answers of known worth among what it grades."""
        return MixingJudge(self._inner, lambda _answers: (), self._graded, self._informed)


def unmixed(judge: Judge) -> Judge:
    """Return the judge without answers of known worth among what it grades."""
    return judge.unmixed() if isinstance(judge, MixingJudge) else judge


def room(answers: int) -> int:
    """Return how many controls to mix in: about as many as answers, so that the last call is full."""
    return answers + -2 * answers % ANSWERS_PER_CALL


def plain(tasks: Iterable[Task]) -> list[Task]:
    """Return the tasks that answers of known worth can be shown for: those that the judge's model can grade."""
    return [task for task in tasks if graded_by_model(task)]
