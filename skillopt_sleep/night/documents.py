"""Run a step on every document of a night, side by side."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace as replace_in
from itertools import chain

from msgspec.structs import replace

from skillopt_sleep.learning.ending import beginning
from skillopt_sleep.learning.exercise import in_reach
from skillopt_sleep.learning.gate import measure
from skillopt_sleep.learning.offers import without
from skillopt_sleep.learning.step import step
from skillopt_sleep.night.allot import allot
from skillopt_sleep.protocols import Crew, Page, Plan, Routing
from skillopt_sleep.records import Document, Note, Past, Rollout, Split, StepOutcome, Task

_Rows = list[tuple[str, Sequence[object]]]  # what a step writes: a stage and its records


def steps(
    routing: Routing, *, crew: Crew, plan: Plan, page: Page, ended: Collection[str] = ()
) -> Iterator[StepOutcome]:
    """Run one step on each document, side by side; outcomes and rows keep their order, whichever ends first.

    The night's calls go where they are worth most; a document they don't reach keeps its sessions unread. Calls that
    wait for an answer keep no other document from being asked about. The night's error rate is shared by the
    documents with a lesson that can be tested, before any is. What waits for a lesson that has `ended` is dropped,
    and its tasks of earlier nights defend no rule any more.
    """
    reached_tasks, _ = in_reach(routing.tasks, crew.executor)
    triable = routing._replace(tasks=tuple(reached_tasks))
    past: dict[str, Past] = {}
    dropped: dict[str, tuple[Note, ...]] = {}
    for document in routing.documents:
        earlier = page.history.past(document.path)
        past[document.id], dropped[document.id] = without(earlier, ended, document)
    reached, left_out = _allotted(triable, past, crew, page)
    plan = _sharing(plan, triable, [document.id for document in reached])
    rows: dict[str, _Rows] = {document.id: [] for document in reached}

    def run(document: Document) -> StepOutcome:
        known = past[document.id]
        outcome = _outcome(document, routing, rows[document.id], known, ended, crew=crew, plan=plan, page=page)
        return outcome.noted(*dropped[document.id])

    try:
        yield from crew.pool.together(run, reached)
        for document in left_out:
            yield _left_out(document, _tasks_of(document, routing), crew)
    finally:
        for stage, written in chain.from_iterable(rows.values()):
            page.write(stage, written)


def _allotted(
    routing: Routing, past: Mapping[str, Past], crew: Crew, page: Page
) -> tuple[list[Document], list[Document]]:
    """Return the documents to work on, the most promising first, and the others."""

    def chosen() -> tuple[str, ...]:
        scores = page.history.scores([task.id for task in routing.tasks])
        share = allot(routing.documents, routing.tasks, past=past, scores=scores, calls=crew.meter.left())
        return tuple(document.id for document in share.documents)

    # A resumed night has fewer calls left, and much of the work is paid for already.
    order = page.keep("allotted", tuple[str, ...], chosen)
    reached: list[Document] = []
    left_out: list[Document] = []
    for document in routing.documents:
        if document.id in order:
            reached.append(document)
        else:
            left_out.append(document)
    reached.sort(key=lambda document: order.index(document.id))
    return reached, left_out


def _outcome(
    document: Document,
    routing: Routing,
    rows: _Rows,
    past: Past,
    ended: Collection[str],
    *,
    crew: Crew,
    plan: Plan,
    page: Page,
) -> StepOutcome:
    """Run the step on one document; what it writes is added to `rows`."""
    tasks = _tasks_of(document, routing)

    def log(stage: str, written: Sequence[object]) -> None:
        rows.append((stage, written))

    known: list[Task] = []
    if past.adopted:
        banked = page.bank.tasks({task.project for task in tasks})
        banked = [task for task in banked if task.lesson not in ended]
        known = [task for task in banked if page.started - task.at <= plan.recall.retire]
    outcome = step(document, tasks, crew=crew, plan=plan, past=past, night=page.night, log=log, known=known)
    scores = _scores(document, rows, plan)
    return replace(outcome, later=replace(outcome.later, scores=scores))


def _sharing(plan: Plan, routing: Routing, reached: Sequence[str]) -> Plan:
    """Share the error rates: the removals' among all documents reached, the gate's among the testable ones."""
    testable: set[str] = set()
    for task in routing.tasks:
        if task.document in reached and _provable(task, routing.tasks):
            testable.add(task.document)
    removal = replace(plan.removal, alpha=plan.removal.alpha / max(1, len(reached)))
    gate = replace(plan.gate, alpha=plan.gate.alpha / max(1, len(testable)))
    return replace_in(plan, gate=gate, removal=removal)


def _tasks_of(document: Document, routing: Routing) -> list[Task]:
    return [task for task in routing.tasks if task.document == document.id]


def _left_out(document: Document, tasks: Sequence[Task], crew: Crew) -> StepOutcome:
    reached, waiting = in_reach(tasks, crew.executor)
    because = "left for another night: the calls of this one go to documents that promise more (budget.calls)"
    outcome = beginning(document, reached, waiting=waiting)
    sessions = replace(outcome.sessions, left=outcome.sessions.ids, unfinished=True)
    return replace(outcome, because=because, sessions=sessions)


def _scores(document: Document, rows: _Rows, plan: Plan) -> dict[str, float]:
    """Return the document's mean on each task, without a change."""
    seen = defaultdict[str, list[float]](list)
    for _, written in rows:
        for attempt in written:
            if isinstance(attempt, Rollout) and attempt.score is not None and attempt.document_sha == document.sha:
                seen[attempt.task].append(measure(attempt.score, plan.gate))
    return {task: math.fsum(grades) / len(grades) for task, grades in seen.items()}


def _provable(task: Task, tasks: Sequence[Task]) -> bool:
    """Return whether this is a train task that an unseen task of the same document and lesson can test."""
    if task.split is not Split.TRAIN:
        return False
    unseen = (task.document, task.lesson, Split.VAL)
    return any((other.document, other.lesson, other.split) == unseen for other in tasks)
