"""Resume undecided trials from earlier nights when new unseen tasks exist."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.exercise import about, exercise
from skillopt_sleep.learning.prune import exercising
from skillopt_sleep.learning.search import candidate
from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.protocols import Crew
from skillopt_sleep.records import CandidateKind, Decision, Document, Edit, GateRule, Note, Rollout, Task, Waiting

MOST_ROUNDS = 40  # after which a candidate that could still be proven is let go


class GoneOn(NamedTuple):
    """The candidates whose trials were resumed, those that have no new task, notes on others, and the rollouts."""

    tried: tuple[Waiting, ...] = ()
    rest: tuple[Waiting, ...] = ()
    notes: tuple[Note, ...] = ()
    rollouts: tuple[Rollout, ...] = ()

    @property
    def accepted(self) -> Waiting | None:
        """The first candidate that is proven now."""
        return next((wait for wait in self.tried if wait.tested.verdict.decision is Decision.ACCEPT), None)

    @property
    def undecided(self) -> tuple[Waiting, ...]:
        """The candidates that are still undecided."""
        return tuple(wait for wait in self.tried if wait.tested.verdict.decision is Decision.UNDECIDED)


def go_on(
    document: Document,
    waiting: Sequence[Waiting],
    val: Sequence[Task],
    *,
    crew: Crew,
    rule: GateRule,
    refused: Sequence[Edit] = (),
    known: Sequence[Task] = (),
) -> GoneOn:
    """Give each candidate another night's rounds on tonight's val tasks, with its original share of the error rate.

    A removal is tried on the `known` tasks that exercise the rule, tonight's and earlier nights'. A candidate is
    stale if its document or the crew changed, or after MOST_ROUNDS. It waits if val has no task of its lessons that
    its trial hasn't seen: the same few tasks again would prove nothing about tomorrow's. The first proven candidate
    ends the search.
    """
    attempts = CrewAttempts(crew)
    tried: list[Waiting] = []
    rest: list[Waiting] = []
    notes: list[Note] = []
    rollouts: list[Rollout] = []
    for place, wait in enumerate(waiting):
        changed = candidate(document, wait.tested.edits)
        if because := _stale(wait, document, crew, refused) or ("" if changed else "it can't be applied any more"):
            notes.append(Note(stage="trial", summary=f"{document.id}: the change of {wait.night}: {because}"))
            continue
        assert changed is not None  # noqa: S101 - it would be stale
        seen = {pair.task for pair in wait.tested.trial.pairs}
        concerned, asked = _unseen(wait, val, known)
        if all(task.id in seen for task in concerned):
            rest.append(wait)
            continue
        if crew.meter.left() < (most := 2 * rule.rounds * len(asked)):
            rest.append(wait)
            said = f"{document.id}: the change of {wait.night} is still waiting: its trial takes up to {most} calls"
            notes.append(Note(stage="trial", summary=said, remedy="raise budget.calls"))
            continue
        earlier = wait.tested.trial
        trial, verdict, made = run_trial(document, changed, asked, attempts=attempts, rule=rule, earlier=earlier)
        rollouts += made
        if verdict.decision is Decision.ABSTAIN:
            rest.append(wait)
            notes.append(Note(stage="trial", summary=f"{document.id}: the change of {wait.night}: {verdict.reason}"))
            continue
        tried.append(replace(wait, tested=replace(wait.tested, trial=trial, verdict=verdict)))
        if verdict.decision is Decision.ACCEPT:
            # Their document is about to change, unless the person says no.
            rest += waiting[place + 1 :]
            break
    return GoneOn(tuple(tried), tuple(rest), tuple(notes), tuple(rollouts))


def _unseen(wait: Waiting, val: Sequence[Task], known: Sequence[Task]) -> tuple[Sequence[Task], Sequence[Task]]:
    """Return the unseen tasks that this candidate is about, and all tasks of its trial."""
    edits = wait.tested.edits
    if wait.tested.kind is CandidateKind.REMOVAL:
        concerned = exercising([name for edit in edits for name in edit.tasks], known)
        return concerned, concerned
    return about(edits, known, val), exercise(edits, known, val)


def _stale(wait: Waiting, document: Document, crew: Crew, refused: Sequence[Edit]) -> str:
    """Return why its trial isn't resumed, or ""."""
    if {edit.key for edit in wait.tested.edits} & {edit.key for edit in refused}:
        return "you have rejected it since"
    if wait.base != document.sha:
        return "its document changed, so its trial ended"
    if wait.crew != crew.identity():
        return f"its trial was run by {wait.crew}, which changed, so it ended"
    if wait.tested.trial.rounds >= MOST_ROUNDS:
        return f"it was still undecided after {wait.tested.trial.rounds} rounds, so it was dropped"
    return ""
