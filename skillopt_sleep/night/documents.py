"""Run a step on every document of a night, side by side."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace as replace_in
from itertools import chain

from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted
from skillopt_sleep.learning.begin import Begun, Log, begin
from skillopt_sleep.learning.ending import beginning
from skillopt_sleep.learning.exercise import in_reach
from skillopt_sleep.learning.gate import measure
from skillopt_sleep.learning.offers import without
from skillopt_sleep.learning.step import finish
from skillopt_sleep.night.allot import allot, share_out
from skillopt_sleep.night.judged import NightJudge
from skillopt_sleep.proposals.rules import learned
from skillopt_sleep.protocols import Crew, Page, Plan, Routing
from skillopt_sleep.records import Document, Note, Past, Rollout, Rubric, Split, StepOutcome, Task

_Rows = list[tuple[str, Sequence[object]]]  # what a step writes: a stage and its records


def steps(
    routing: Routing,
    *,
    crew: Crew,
    plan: Plan,
    page: Page,
    ended: Collection[str] = (),
    judge: NightJudge | None = None,
) -> Iterator[StepOutcome]:
    """Run one step on each document, side by side; outcomes and rows keep their order, whichever ends first.

    The night's calls go where they are worth most; a document they don't reach keeps its sessions unread. Calls that
    wait for an answer keep no other document from being asked about. All documents learn from train first: then
    those that have a candidate share the night's error rate, and only then is val asked about any of them. A change
    that waited and is proven now isn't lost if the budget or the model ends before that. What waits for a lesson that
    has `ended` is dropped, and its tasks of earlier nights defend no rule any more, nor do those that only a `judge`
    that failed could grade. While known answers wait for their grades, nothing is decided.
    """
    reached_tasks, _ = in_reach(routing.tasks, crew.executor)
    triable = routing._replace(tasks=tuple(reached_tasks))
    past: dict[str, Past] = {}
    dropped: dict[str, tuple[Note, ...]] = {}
    for document in routing.documents:
        earlier = page.history.past(document.path)
        past[document.id], dropped[document.id] = without(earlier, ended, document)
    reached, left_out = _allotted(triable, past, crew, page)
    plan = replace_in(plan, removal=replace(plan.removal, alpha=plan.removal.alpha / max(1, len(reached))))
    rows: dict[str, _Rows] = {document.id: [] for document in reached}
    if judge is not None:
        crew = replace_in(crew, judge=judge.judge)
    by_code = judge is not None and judge.failed
    halves = _Halves(routing, past, ended, rows, crew=crew, plan=plan, page=page, by_code=by_code)
    try:
        begun, end = _begun(crew.pool.together(halves.begin, reached))
        if judge is not None and judge.pending is not None:
            raise judge.pending
        shares = page.keep("shares", dict[str, float], lambda: _shares(begun, plan))
        for outcome in crew.pool.together(lambda one: halves.finish(one, shares), begun):
            crew.decided(outcome)
            yield outcome.noted(*dropped[outcome.document.id])
        if end is not None:
            raise end
        for document in left_out:
            yield _left_out(document, _tasks_of(document, routing), crew)
    finally:
        for stage, written in chain.from_iterable(rows.values()):
            page.write(stage, written)


def _begun(halves: Iterator[Begun]) -> tuple[list[Begun], BudgetExhausted | BackendUnavailable | None]:
    """Return the first halves of the steps, and what ended the night meanwhile: then only what is proven goes on."""
    begun: list[Begun] = []
    try:
        begun.extend(halves)
    except (BudgetExhausted, BackendUnavailable) as error:
        return [one for one in begun if one.earlier.proven], error
    return begun, None


def _shares(begun: Sequence[Begun], plan: Plan) -> dict[str, float]:
    """Return each document's share of the error rate; one that tries nothing new has none."""
    return share_out(plan.gate.alpha, [one.document.id for one in begun if one.needs_share(plan)])


class _Halves:
    """Runs the two halves of each document's step: before its share of the error rate is known, and after."""

    def __init__(
        self,
        routing: Routing,
        past: Mapping[str, Past],
        ended: Collection[str],
        rows: Mapping[str, _Rows],
        *,
        crew: Crew,
        plan: Plan,
        page: Page,
        by_code: bool,
    ) -> None:
        self._routing = routing
        self._past = past
        self._ended = ended
        self._rows = rows
        self._crew = crew
        self._plan = plan
        self._page = page
        self._by_code = by_code

    def begin(self, document: Document) -> Begun:
        """Learn from the document's train tasks."""
        tasks = _tasks_of(document, self._routing)
        past = self._past[document.id]
        known = self._known(document, tasks, past)
        return begin(
            document,
            tasks,
            crew=self._crew,
            plan=self._plan,
            log=self._logging(document),
            past=past,
            known=known,
        )

    def finish(self, begun: Begun, shares: Mapping[str, float]) -> StepOutcome:
        """Try on val what was learned, with the document's share of the error rate."""
        document, plan = begun.document, self._plan
        if begun.needs_share(plan) and document.id not in shares:
            return _too_late(begun)
        gate = replace(plan.gate, alpha=shares.get(document.id, plan.gate.alpha))
        shared = replace_in(plan, gate=gate)
        outcome = finish(begun, crew=self._crew, plan=shared, log=self._logging(document), night=self._page.night)
        scores = _scores(document, self._rows[document.id], plan)
        return replace(outcome, later=replace(outcome.later, scores=scores))

    def _known(self, document: Document, tasks: Sequence[Task], past: Past) -> list[Task]:
        """Return the banked tasks that show what the document's adopted rules are for.

        A rule that still stands is guarded by its unseen tasks however old they are.
        """
        if not past.adopted:
            return []
        page, retire = self._page, self._plan.recall.retire
        banked = page.bank.tasks({task.project for task in tasks})
        lasting = [task for task in banked if task.lesson not in self._ended]
        if self._by_code:
            lasting = [task for task in lasting if not isinstance(task.reference, Rubric)]
        held = learned(document, past.adopted, lasting)
        known: list[Task] = []
        for task in lasting:
            guards = task.split is Split.VAL and task.lesson in held
            if guards or page.started - task.at <= retire:
                known.append(task)
        return known

    def _logging(self, document: Document) -> Log:
        rows = self._rows[document.id]

        def log(stage: str, written: Sequence[object]) -> None:
            rows.append((stage, written))

        return log


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


def _tasks_of(document: Document, routing: Routing) -> list[Task]:
    return [task for task in routing.tasks if task.document == document.id]


def _too_late(begun: Begun) -> StepOutcome:
    """Return the outcome of a document that a resumed night learned for only after the shares were fixed."""
    because = "learned only after the night's error rate was shared: its edits are left for another night"
    outcome = begun.outcome
    return replace(outcome, because=because, sessions=replace(outcome.sessions, unfinished=True))


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
