"""Follow every correction that a night found to what became of it."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence

from msgspec.structs import replace

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.mining.dropped import corrections_of
from skillopt_sleep.mining.in_force import stands_already
from skillopt_sleep.night.tonight import Tonight
from skillopt_sleep.protocols import Routing
from skillopt_sleep.records import (
    Became,
    Correction,
    Corrections,
    Document,
    Edit,
    Fate,
    Proposal,
    Split,
    StepOutcome,
    Task,
    tasks_of,
    wants_a_tool,
)

MOST_LISTED = 200
BECAUSE_CHARS = 300


def follow(
    found: Tonight,
    routing: Routing,
    outcomes: Sequence[StepOutcome],
    proposals: Sequence[Proposal],
    waiting: Callable[[str], Sequence[Proposal]],
    *,
    untried: Sequence[Task] = (),
) -> Corrections:
    """Return what became of the corrections behind tonight's tasks, then of those dropped before they were tasks.

    `waiting` are the proposals of earlier nights that wait for the person, by the document's path. Only a
    judge that failed could grade the `untried` tasks.
    """
    offered: list[Proposal] = []
    for document in routing.documents:
        offered += waiting(document.path)
    ends = _Ends(found, routing, outcomes, proposals, offered, untried=untried)
    followed: list[Correction] = []
    for task in found.tasks:
        became, because = ends.of(task)
        document = ends.document(task)
        followed += [replace(one, document=document) for one in corrections_of([task], became, because)]
    followed += found.dropped
    counts = Counter(correction.became.value for correction in followed)
    return Corrections(
        counts=dict(counts),
        listed=tuple(
            replace(one, because=one_line(one.because, limit=BECAUSE_CHARS)) for one in followed[:MOST_LISTED]
        ),
        left_out=max(0, len(followed) - MOST_LISTED),
    )


class _Ends:
    """The end of each task of a night."""

    def __init__(
        self,
        found: Tonight,
        routing: Routing,
        outcomes: Sequence[StepOutcome],
        proposals: Sequence[Proposal],
        offered: Sequence[Proposal],
        *,
        untried: Sequence[Task],
    ) -> None:
        self._asked = {task.id for task in found.asked}
        self._untried = {task.id for task in untried}
        self._routed = {task.id: task for task in routing.tasks}
        self._outcomes = {outcome.document.id: outcome for outcome in outcomes}
        self._proposals = proposals
        self._offered = offered
        self._standing: dict[tuple[str, str], str] = {}
        self._provable: dict[str, set[str]] = {}
        for task in routing.tasks:
            if task.split is Split.VAL:
                self._provable.setdefault(task.document, set()).add(task.lesson)

    def document(self, task: Task) -> str:
        """Return the id of the document that the task belongs to, "" if there is none."""
        routed = self._routed.get(task.id)
        return routed.document if routed else ""

    def of(self, task: Task) -> tuple[Became, str]:
        """Return what became of a task, and what its document's step says of it."""
        if task.id not in self._asked:
            return Became.NOTICED, ""
        routed = self._routed.get(task.id)
        if routed is None:
            return Became.NOT_REACHED, ""
        if not routed.document:
            return Became.NO_DOCUMENT, ""
        if task.id in self._untried:
            return Became.UNJUDGED, ""
        outcome = self._outcomes.get(routed.document)
        if outcome is None:
            return Became.NOT_REACHED, ""
        proposed = _proposed(task, self._proposals)
        if proposed:
            return Became.PROPOSED, proposed
        waits = _proposed(task, self._offered)
        if waits:
            return Became.PROPOSED, f"{waits} waits already"
        became, because = _in_step(task, outcome, self._provable.get(routed.document, ()))
        stands = self._stands(task, outcome.document)
        if stands and became is not Became.TESTED:
            return Became.STANDS, stands
        if became in {Became.KEPT, Became.ATTEMPTED} and self._does_it(task, outcome):
            return became, "the agent already does it when asked with your files"
        return became, because

    def _does_it(self, task: Task, outcome: StepOutcome) -> bool:
        """Tell whether every attempt at the task's lesson did what was asked, with the files as they are."""
        own = {one.id for one in self._routed.values() if task.lesson and one.lesson == task.lesson}
        scores = [score for name, score in outcome.later.scores.items() if name in own]
        return bool(scores) and min(scores) >= 1

    def _stands(self, task: Task, document: Document) -> str:
        """Say where the rule of a task's lesson stands already beside its document; "" if nowhere."""
        key = document.id, task.lesson or task.id
        if key not in self._standing:
            own = [one for one in self._routed.values() if task.lesson and one.lesson == task.lesson]
            self._standing[key] = stands_already(document, own or [task])
        return self._standing[key]


def _proposed(task: Task, proposals: Sequence[Proposal]) -> str:
    """Return the ids of the proposals that this task led to, or whose lesson it shows; "" without any."""
    ids: list[str] = []
    for proposal in proposals:
        if task.id in tasks_of(proposal.edits) or task.lesson in proposal.lessons:
            ids.append(proposal.id)
    return ", ".join(ids)


def _in_step(task: Task, outcome: StepOutcome, provable: Collection[str]) -> tuple[Became, str]:
    """Return what became of a task in the step of its document; `provable` are the lessons with an unseen task."""
    if task.session in outcome.sessions.left:
        return Became.NOT_REACHED, outcome.because
    if outcome.tasks.needs_repository and (task.needs_repository or wants_a_tool(task.reference)):
        return Became.NEEDS_REPOSITORY, ""
    if task.split in {Split.VAL, Split.TEST}:
        reason = _tested(task, outcome)
        if reason:
            return Became.TESTED, reason
        return Became.KEPT, "" if outcome.tried.tested else outcome.because
    edited = _edited(task, outcome, is_testable=task.lesson in provable)
    if edited:
        return Became.EDITED, edited
    if task.lesson not in provable:
        return Became.SEEN_ONCE, ""
    return Became.ATTEMPTED, "" if outcome.tried.edits else outcome.because


def _tested(task: Task, outcome: StepOutcome) -> str:
    """Return the verdict on the last change that was tried on a task of its lesson; "" if none was."""
    reason = ""
    for tested in outcome.tried.tested:
        if any(pair.task == task.id or (pair.lesson and pair.lesson == task.lesson) for pair in tested.trial.pairs):
            reason = tested.verdict.reason
    return reason


def _edited(task: Task, outcome: StepOutcome, *, is_testable: bool) -> str:
    """Return what became of the edits that were written for this task; "" without any."""
    fates: dict[str, None] = {}
    for applied in outcome.tried.edits:
        if task.id not in applied.edit.tasks:
            continue
        if applied.fate is Fate.APPLIED:
            fates[_effect(applied.edit, outcome) or _why_untried(outcome, is_testable=is_testable)] = None
        else:
            fates[f"{applied.fate}: {applied.because}"] = None
    return "; ".join(fates)


def _effect(edit: Edit, outcome: StepOutcome) -> str:
    """Return what the last trial of an edit showed of it, in words; "" without one."""
    reason = ""
    for tested in outcome.tried.tested:
        if any(one.key == edit.key for one in tested.edits):
            reason = tested.verdict.reason
    return reason


def _why_untried(outcome: StepOutcome, *, is_testable: bool) -> str:
    """Say why an edit had no trial of its own."""
    if not is_testable:
        return "it wasn't tried: one more unseen request of another session is missing"
    if any(note.stage == "screen" and note.expected for note in outcome.notes):
        return "it wasn't tried on unseen requests, as it gained nothing on those it was learned from"
    return "it wasn't tried on unseen requests tonight; a later night can, or one with more calls (budget.calls)"
