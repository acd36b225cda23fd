"""Follow every correction that a night found to what became of it."""

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.mining.in_force import stands_already
from skillopt_sleep.mining.mined import UNCLEAR, corrections_of
from skillopt_sleep.night.tonight import TonightsTasks
from skillopt_sleep.protocols.work import Routing
from skillopt_sleep.records import (
    Became,
    Correction,
    Corrections,
    Edit,
    EditFate,
    Proposal,
    Split,
    StepOutcome,
    Task,
    lessons_of,
    tasks_of,
    wants_a_tool,
)

MOST_LISTED = 200
BECAUSE_CHARS = 300
SIDES = {Split.TRAIN, Split.VAL}  # of a lesson that a rule can be learned for and tried on
NOT_BEGUN = "its rule waits for another night"


def follow(
    found: TonightsTasks,
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
        found: TonightsTasks,
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

    def document(self, task: Task) -> str:
        """Return the id of the document that the task belongs to, "" if there is none."""
        routed = self._routed.get(task.id)
        return routed.document if routed else ""

    def of(self, task: Task) -> tuple[Became, str]:
        """Return what became of a task, and what happened in its case."""
        if task.id not in self._asked:
            return Became.NEEDS_SESSION, UNCLEAR
        routed = self._routed.get(task.id)
        if routed is not None and not routed.document:
            return Became.NOT_REACHED, "no document was found for it, see the errors"
        if task.id in self._untried:
            return Became.UNGRADED, ""
        outcome = self._outcomes.get(routed.document) if routed else None
        if routed is None or outcome is None:
            return Became.NOT_REACHED, ""
        proposed = _proposed(task, self._proposals)
        if proposed:
            return Became.PROPOSED, proposed
        waits = _proposed(task, self._offered)
        if waits:
            return Became.PROPOSED, f"{waits} waits already"
        return self._in_step(routed, outcome)

    def _in_step(self, task: Task, outcome: StepOutcome) -> tuple[Became, str]:
        """Return what became of a task in the step of its document."""
        verdict = _verdict(task, outcome)
        if verdict:
            return Became.TRIED, verdict
        own = self._own(task)
        key = outcome.document.id, task.lesson or task.id
        if key not in self._standing:
            self._standing[key] = stands_already(outcome.document, own)
        if self._standing[key]:
            return Became.STANDS, self._standing[key]
        edited = _edited(task, outcome)
        if edited is not None:
            return edited
        if _needs_repository(task, outcome):
            return Became.NEEDS_REPOSITORY, ""
        if not {one.split for one in own if not _needs_repository(one, outcome)} >= SIDES:
            return Became.NEEDS_SESSION, ""
        because = "" if outcome.tried.tested else outcome.because
        if outcome.sessions.unfinished or any(one.session in outcome.sessions.left for one in own):
            return Became.NOT_REACHED, because
        scores = [outcome.later.scores[one.id] for one in own if one.id in outcome.later.scores]
        if scores and min(scores) >= 1:
            return Became.TRIED, "the agent already does it when asked with your files"
        return Became.TRIED, because

    def _own(self, task: Task) -> list[Task]:
        """Return the tasks of this one's lesson that belong to its document."""
        own = [one for one in self._routed.values() if task.lesson and one.lesson == task.lesson]
        return [one for one in own if one.document == task.document] or [task]


def _proposed(task: Task, proposals: Sequence[Proposal]) -> str:
    """Return the ids of the proposals that this task led to, or whose lesson it shows; "" without any."""
    return ", ".join(proposal.id for proposal in proposals if _is_for(task, proposal.edits, proposal.lessons))


def _is_for(task: Task, edits: Sequence[Edit], lessons: Sequence[str]) -> bool:
    """Tell whether edits for these lessons were learned from the task, or from its lesson."""
    return task.id in tasks_of(edits) or (bool(task.lesson) and task.lesson in lessons)


def _verdict(task: Task, outcome: StepOutcome) -> str:
    """Return the verdict on the last rule that was tried for the task or on it; "" if none was."""
    reason = ""
    for tested in outcome.tried.tested:
        pairs = tested.trial.pairs
        asked = any(pair.task == task.id or (pair.lesson and pair.lesson == task.lesson) for pair in pairs)
        if asked or _is_for(task, tested.edits, lessons_of(tested.edits)):
            reason = tested.verdict.reason
    return reason


def _edited(task: Task, outcome: StepOutcome) -> tuple[Became, str] | None:
    """Return what became of the edits for a task of which none was tried tonight; None without any."""
    for wait in outcome.tried.undecided:
        if _is_for(task, wait.tested.edits, lessons_of(wait.tested.edits)):
            if wait.tested.trial.rounds:
                return Became.TRIED, f"its rule is tried since the night of {wait.night}"
            return Became.NOT_REACHED, NOT_BEGUN
    fates: dict[str, None] = {}
    for applied in outcome.tried.edits:
        if applied.fate is not EditFate.APPLIED and _is_for(task, (applied.edit,), applied.edit.lessons):
            fates[f"{applied.fate}: {applied.because}"] = None
    return (Became.TRIED, "; ".join(fates)) if fates else None


def _needs_repository(task: Task, outcome: StepOutcome) -> bool:
    """Tell whether the task could not be tried, as attempts were made in words."""
    return bool(outcome.tasks.needs_repository) and (task.setting.needs_repository or wants_a_tool(task.reference))
