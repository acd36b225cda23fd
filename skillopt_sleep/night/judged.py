"""Measure the judge on answers of known worth, and let a judge that fails decide nothing that night."""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted, CallPending
from skillopt_sleep.mining.calibration import MOST_WRITTEN, PER_CALL, write_controls
from skillopt_sleep.mining.mined import batched
from skillopt_sleep.night.unjudged import without_judge
from skillopt_sleep.prompts.grading import with_all_evidence
from skillopt_sleep.protocols import Crew, Judge, Page, Routing
from skillopt_sleep.records import (
    AnswerKind,
    Document,
    JudgeReading,
    KnownAnswer,
    Note,
    Rubric,
    StepOutcome,
    Task,
    is_of_changes,
)
from skillopt_sleep.replay.judges.controls import TOLD_APART, MixingJudge, Take, chosen, plain, room, shuffled
from skillopt_sleep.replay.judges.known_answers import Control, controls_of
from skillopt_sleep.replay.judges.measure import Graded, in_doubt, read

MANY_REFUSED = 4  # with fewer references refused, the references may be at fault

_Queues = dict[str, list[Control]]


class NightJudge:
    """The judge of one night: hands each document a judge that is measured along the way.

    Which controls go to which document is fixed before any is graded, and whether more of them are asked there hangs
    on its own grades alone, so a resumed night asks nothing again.
    """

    def __init__(self, crew: Crew, page: Page) -> None:
        self._crew = crew
        self._page = page
        self._lock = threading.Lock()
        self._tasks: tuple[Task, ...] = ()
        self._refused: tuple[Task, ...] = ()
        self._documents: list[Document] = []
        self._controls: tuple[list[Control], list[Control]] | None = None
        self._first: _Queues = {}
        self._more: _Queues = {}
        self._graded: defaultdict[str, list[Graded]] = defaultdict(list)
        self._relied: set[str] = set()
        self._measured = False
        self._whole: dict[str, Task] = {}
        self.notes: list[Note] = []

    def prepare(self, routing: Routing, refused: Sequence[Task]) -> None:
        """Take up what is tried tonight, and the tasks whose reference the judge didn't bear out."""
        self._tasks = routing.tasks
        self._refused = tuple(refused)
        taught = {task.document for task in plain(routing.tasks)}
        # Beside a document without such a task of tonight the judge may still have to grade an earlier lesson.
        self._documents = [one for one in routing.documents if not taught or one.id in taught]

    def of(self, document: Document) -> Judge:
        """Return the judge for the attempts under this document."""
        return self._mixing(lambda answers: self._take(document, answers), document.id)

    def along(self, outcomes: Iterator[StepOutcome]) -> Iterator[StepOutcome]:
        """Yield the outcomes; if calls wait for an answer, ask for answers of known worth too.

        Someone who answers by hand has to sit down for every round.
        """
        try:
            yield from outcomes
        except CallPending:
            if self._documents:
                self._dealt(self._all_tasks)
            raise

    def complete(self) -> None:
        """Ask about the controls that no batch had room for, if the night's grades are the judge's at all."""
        if not self._relied and len(self._refused) < MANY_REFUSED:
            return
        self._measured = True
        try:
            first, more = self._dealt(self._all_tasks if self._relied else self._refused_tasks)
            self._ask(first)
            if _leave_doubt(self._all_graded(), first):
                self._ask(more)
        except BudgetExhausted as error:
            summary = f"not all answers of known worth were graded: {error.message}"
            self.notes.append(Note(stage="judge", summary=summary, remedy=error.remedy))

    def reading(self) -> JudgeReading | None:
        """Return how often the judge was right; None if nothing of the night hangs on it."""
        if not (self._relied or self._measured):
            return None
        return read(self._all_graded())

    def decided(self, outcomes: Sequence[StepOutcome]) -> list[StepOutcome]:
        """Return the outcomes without what a judge that failed decided of them."""
        reading = self.reading()
        if reading is None or not reading.because:
            return list(outcomes)
        graded = {task.id for task in self._all_tasks() if _by_model(task)}
        decided: list[StepOutcome] = []
        for outcome in outcomes:
            if outcome.document.id not in self._relied:
                decided.append(outcome)
                continue
            learned = any(task.document == outcome.document.id for task in self._tasks if _by_model(task))
            left = without_judge(
                outcome,
                reading.because,
                graded=graded,
                learned=learned,
                night=self._page.night,
                crew=self._crew,
            )
            decided.append(left)
        return decided

    def lost(self) -> tuple[str, ...]:
        """Return the sessions whose references a judge refused that failed: another may bear them out."""
        reading = self.reading()
        if reading is None or not reading.because:
            return ()
        return tuple(task.session for task in self._refused)

    def _mixing(self, take: Take, document: str) -> MixingJudge:
        return MixingJudge(self._crew.judge, take, lambda graded: self._keep(document, graded), self._informed)

    def _informed(self, task: Task) -> Task:
        """Return the task with what the person said in all sessions of its lesson; reflection doesn't see these."""
        with self._lock:
            if not self._whole:
                self._whole = with_all_evidence(self._all_tasks())
        return self._whole.get(task.id, task)

    def _keep(self, document: str, graded: Graded) -> None:
        with self._lock:
            self._graded[document].append(graded)

    def _all_graded(self) -> list[Graded]:
        return list(chain.from_iterable(self._graded.values()))

    def _ask(self, controls: Sequence[Control]) -> None:
        """Ask about those of the controls that have no grade yet."""
        done = {graded.control for graded in self._all_graded()}
        left = [control for control in controls if control not in done]
        self._mixing(lambda _answers: left, "").scores([], pool=self._crew.pool, label="grade known answers")

    def _take(self, document: Document, answers: int) -> Sequence[Control]:
        if not answers:
            return ()
        with self._lock:
            self._relied.add(document.id)
            first, _ = self._dealt(self._all_tasks)
            queue = self._first.get(document.id, [])
            if not queue and _leave_doubt(self._graded[document.id], first):
                queue = self._more.get(document.id, [])
            taken = queue[: room(answers)]
            del queue[: room(answers)]
        return taken

    def _refused_tasks(self) -> list[Task]:
        return list(self._refused)

    def _all_tasks(self) -> list[Task]:
        """Return tonight's tasks, and those of earlier nights in the same projects."""
        tasks = {task.id: task for task in self._page.bank.tasks({task.project for task in self._tasks})}
        tasks |= {task.id: task for task in self._tasks}
        return list(tasks.values())

    def _dealt(self, known: Callable[[], Sequence[Task]]) -> tuple[list[Control], list[Control]]:
        """Return the night's controls, and those in case of doubt.

        They are chosen among answers to `known` tasks, and dealt, when first needed.
        """
        if self._controls is None:
            tasks = self._graded_alike(plain(known()))
            self._controls = self._chosen(shuffled(tasks, night=self._page.drawn))
            self._first, self._more = map(self._deal, self._controls)
        return self._controls

    def _graded_alike(self, known: Sequence[Task]) -> list[Task]:
        """Return those that are graded by what tonight's are: by words, by changes, or both."""
        tonight = {is_of_changes(task.reference) for task in plain(self._tasks)}
        return [task for task in known if not tonight or is_of_changes(task.reference) in tonight]

    def _chosen(self, tasks: Sequence[Task]) -> tuple[list[Control], list[Control]]:
        if len(controls_of(tasks)[AnswerKind.MEETS]) < TOLD_APART:
            written = self._page.keep(
                "known_answers", dict[str, tuple[KnownAnswer, ...]], lambda: self._written(tasks)
            )
            tasks = [replace(task, known_answers=(*task.known_answers, *written.get(task.id, ()))) for task in tasks]
        return chosen(controls_of(tasks))

    def _written(self, tasks: Sequence[Task]) -> dict[str, tuple[KnownAnswer, ...]]:
        """Let the judge's model write what lacks, each time another answer to the same tasks, while that is new."""
        written: dict[str, tuple[KnownAnswer, ...]] = {}
        known = len(controls_of(tasks)[AnswerKind.MEETS])
        for sample in range(MOST_WRITTEN):
            for task, answers in self._write(tasks, sample).items():
                written[task] = (*written.get(task, ()), *answers)
            wider = [replace(task, known_answers=(*task.known_answers, *written.get(task.id, ()))) for task in tasks]
            found = len(controls_of(wider)[AnswerKind.MEETS])
            if found >= TOLD_APART or found == known:
                break
            known = found
        return written

    def _write(self, tasks: Sequence[Task], sample: int) -> dict[str, tuple[KnownAnswer, ...]]:
        written: dict[str, tuple[KnownAnswer, ...]] = {}
        first = sorted(tasks, key=lambda task: task.id)[:PER_CALL]
        by_words = [task for task in first if not is_of_changes(task.reference)]
        by_changes = [task for task in first if is_of_changes(task.reference)]
        for batch in (*batched(by_words, PER_CALL), *batched(by_changes, PER_CALL)):
            reply = write_controls(batch, self._crew.grader, sample=sample + bool(batch[0].known_answers))
            if isinstance(reply, Note):
                summary = "a call for answers of known worth failed, so some are graded twice"
                self.notes.append(Note(stage="judge", summary=summary, remedy=reply.remedy))
                continue
            for control in reply:
                if not control.needs_repository:
                    written[batch[control.item - 1].id] = tuple(control.known)
        return written

    def _deal(self, controls: Sequence[Control]) -> _Queues:
        """Deal the controls among the documents, each to one of its project if there is one."""
        queues: defaultdict[str, list[Control]] = defaultdict(list)
        homes: dict[str, list[str]] = {}
        for task in self._tasks:
            if _by_model(task):
                homes.setdefault(task.project, []).append(task.document)
        documents = [document.id for document in self._documents]
        for control in controls:
            own = [name for name in documents if name in homes.get(control.task.project, ())]
            name = min(own or documents or [""], key=lambda name: len(queues[name]))
            queues[name].append(control)
        return dict(queues)


def _by_model(task: Task) -> bool:
    """Return whether only the judge's model can grade an attempt at the task."""
    return isinstance(task.reference, Rubric)


def _leave_doubt(graded: Sequence[Graded], first: Sequence[Control]) -> bool:
    """Return whether those of these grades that the `first` controls got leave the judge in doubt."""
    return in_doubt([grade for grade in graded if grade.control in first])
