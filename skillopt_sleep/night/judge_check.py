"""Check that the models can be used, and measure the judge on known answers, before anything is tried."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, CallFailed, CallPending, ItemError
from skillopt_sleep.mining.calibration import MOST_WRITTEN, PER_CALL, write_controls
from skillopt_sleep.mining.mined import batched
from skillopt_sleep.prompts import fill
from skillopt_sleep.prompts.grading import lesson_of, with_all_evidence
from skillopt_sleep.protocols.crew import Crew
from skillopt_sleep.protocols.models import Preflight
from skillopt_sleep.protocols.stores import OpenNight
from skillopt_sleep.protocols.work import Judge, Pool, Routing
from skillopt_sleep.records import (
    AnswerKind,
    JudgeReading,
    KnownAnswer,
    Note,
    Prompt,
    Purpose,
    Rubric,
    Score,
    Split,
    Task,
    Trajectory,
    is_of_changes,
)
from skillopt_sleep.replay.judges.known_answers import TOLD_APART, Control, chosen, controls_of
from skillopt_sleep.replay.judges.measure import Graded, in_doubt, judge_reading

MANY_REFUSED = 4  # with fewer references refused, the references may be at fault


def preflight(checks: Sequence[Preflight], *, night: str, until: datetime) -> None:
    """Raise BackendUnavailable if a model can't be used until then; make one small call if only that can tell.

    The call's prompt holds the night's id, so that a resumed night uses the stored answer and a new night asks again.
    """
    for check in checks:
        if check.ready(until):
            continue
        try:
            check.backend.complete(Prompt(purpose=Purpose.PREFLIGHT, text=fill("preflight", night=night)))
        except CallFailed as error:
            raise BackendUnavailable(error.message, remedy=error.remedy) from error


class NightJudge(NamedTuple):
    """The judge of a night, and how often it was right before anything was tried.

    `reading` is None if nothing of the night hangs on the judge, or if known answers wait for their grades, as
    `pending` says. The `untried` tasks are left for another night, as only a judge that failed could grade them.
    """

    judge: Judge
    reading: JudgeReading | None = None
    untried: tuple[Task, ...] = ()
    notes: tuple[Note, ...] = ()
    pending: CallPending | None = None

    @property
    def failed(self) -> bool:
        """Whether its grades decide nothing."""
        return self.reading is not None and bool(self.reading.because)

    @property
    def lost(self) -> tuple[str, ...]:
        """The sessions that stay unread, so that another night, or another judge, takes their tasks."""
        return tuple(task.session for task in self.untried)

    def tried(self, routing: Routing) -> Routing:
        """Return what is tried tonight, without documents that have nothing else."""
        if not self.untried:
            return routing
        untried = {task.id for task in self.untried}
        tasks = tuple(task for task in routing.tasks if task.id not in untried)
        taught = {task.document for task in tasks}
        documents = tuple(document for document in routing.documents if document.id in taught)
        return routing._replace(tasks=tasks, documents=documents)


def measure(routing: Routing, refused: Sequence[Task], *, crew: Crew, page: OpenNight) -> NightJudge:
    """Ask the judge about answers to tasks like those that it would grade tonight.

    Without any it is asked about what may show whether an adopted rule got worse, and else about the `refused` tasks,
    whose reference it didn't bear out, if they are many.
    """
    tonight = {task.id: task for task in routing.tasks}
    banked = page.bank.tasks({task.project for task in routing.tasks})
    known = {task.id: task for task in banked} | tonight
    judge = _InformedJudge(crew.judge, with_all_evidence(known.values()))
    provable = {task.lesson for task in routing.tasks if task.split is Split.VAL}
    rubrics = [task for task in routing.tasks if isinstance(task.reference, Rubric) and task.lesson in provable]
    by_judge = [task for task in rubrics if crew.executor.reaches(task)]
    of_lessons = by_judge
    if not of_lessons and page.bank.live():
        of_lessons = [task for task in banked if isinstance(task.reference, Rubric)]
    if not of_lessons and len(refused) >= MANY_REFUSED:
        of_lessons = list(refused)
    if not of_lessons:
        return NightJudge(judge)
    known |= {task.id: task for task in of_lessons}
    alike = graded_alike(known.values(), of_lessons)
    try:
        reading, notes = page.keep(
            "judge",
            tuple[JudgeReading, tuple[Note, ...]],
            lambda: _measured(alike, judge, crew, page),
        )
    except CallPending as error:
        return NightJudge(judge, pending=error)
    if not reading.because:
        return NightJudge(judge, reading, notes=notes)
    untried = (*by_judge, *refused)
    return NightJudge(judge, replace(reading, untried=len(untried)), untried, notes)


def graded_alike(tasks: Iterable[Task], of_lessons: Iterable[Task]) -> list[Task]:
    """Return those of the tasks that the judge grades as it does `of_lessons`: the same lessons, by words or by diff.

    What code checks has no demand that an answer of known worth could be written for.
    """
    lessons = {(lesson_of(task), is_of_changes(task.reference)) for task in of_lessons}
    alike: list[Task] = []
    for task in tasks:
        is_alike = (lesson_of(task), is_of_changes(task.reference)) in lessons
        if isinstance(task.reference, Rubric) and is_alike:
            alike.append(task)
    return alike


def _measured(
    known: Sequence[Task], judge: Judge, crew: Crew, page: OpenNight
) -> tuple[JudgeReading, tuple[Note, ...]]:
    """Return how often the judge was right, and notes on answers that could not be written."""
    notes: list[Note] = []
    if len(controls_of(known)[AnswerKind.MEETS]) < TOLD_APART:
        written = page.keep("known_answers", dict[str, tuple[KnownAnswer, ...]], lambda: _written(known, crew, notes))
        known = _with_more(known, written)
    first, more = chosen(known, night=page.drawn)
    graded = _graded(first, judge, crew.pool)
    if in_doubt(graded):
        graded += _graded(more, judge, crew.pool)
    return judge_reading(graded), tuple(notes)


def _graded(controls: Sequence[Control], judge: Judge, pool: Pool) -> list[Graded]:
    """Return the judge's grades of these answers, without those that could not be graded."""
    answers = [(control.task, control.attempt) for control in controls]
    grades = judge.scores(answers, pool=pool, label="grade known answers")
    graded: list[Graded] = []
    for control, grade in zip(controls, grades, strict=True):
        if isinstance(grade, Score):
            graded.append(Graded(control, grade))
    return graded


def _written(tasks: Sequence[Task], crew: Crew, notes: list[Note]) -> dict[str, tuple[KnownAnswer, ...]]:
    """Let the judge's model write what lacks, each time another answer to the same tasks, while that is new."""
    written: dict[str, tuple[KnownAnswer, ...]] = {}
    known = len(controls_of(tasks)[AnswerKind.MEETS])
    for sample in range(MOST_WRITTEN):
        for task, answers in _write(tasks, crew, sample, notes).items():
            written[task] = (*written.get(task, ()), *answers)
        found = len(controls_of(_with_more(tasks, written))[AnswerKind.MEETS])
        if found >= TOLD_APART or found == known:
            break
        known = found
    return written


def _write(tasks: Sequence[Task], crew: Crew, sample: int, notes: list[Note]) -> dict[str, tuple[KnownAnswer, ...]]:
    written: dict[str, tuple[KnownAnswer, ...]] = {}
    first = sorted(tasks, key=lambda task: task.id)[:PER_CALL]
    by_words = [task for task in first if not is_of_changes(task.reference)]
    by_changes = [task for task in first if is_of_changes(task.reference)]
    batches = [*batched(by_words, PER_CALL), *batched(by_changes, PER_CALL)]
    replies = crew.pool.map(
        lambda batch: write_controls(batch, crew.grader, sample=sample + bool(batch[0].known_answers)),
        batches,
        label="controls",
    )
    for batch, reply in zip(batches, replies, strict=True):
        if isinstance(reply, Note):
            summary = "a call for known answers failed, so some are graded twice"
            notes.append(Note(stage="judge", summary=summary, remedy=reply.remedy))
            continue
        for control in reply:
            if not control.needs_repository:
                written[batch[control.item - 1].id] = tuple(control.known)
    return written


def _with_more(tasks: Iterable[Task], written: Mapping[str, tuple[KnownAnswer, ...]]) -> list[Task]:
    """Return the tasks, each also with the answers that were written for it."""
    return [replace(task, known_answers=(*task.known_answers, *written.get(task.id, ()))) for task in tasks]


class _InformedJudge:
    """Tells the judge what the person said in all sessions of a task's lesson; reflection doesn't see these."""

    def __init__(self, inner: Judge, informed: Mapping[str, Task]) -> None:
        self._inner = inner
        self._informed = informed

    def score(self, task: Task, trajectory: Trajectory) -> Score:
        """Return the grade of one answer; raise ItemError if it can't be graded."""
        return self._inner.score(self._informed.get(task.id, task), trajectory)

    def scores(
        self, answers: Sequence[tuple[Task, Trajectory]], *, pool: Pool, label: str
    ) -> Sequence[Score | ItemError]:
        """Return the grade of each, or the error that says why it has none."""
        asked = [(self._informed.get(task.id, task), trajectory) for task, trajectory in answers]
        return self._inner.scores(asked, pool=pool, label=label)
