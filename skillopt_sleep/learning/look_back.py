"""Look back every few nights: compare with an earlier body, write guidance and the optimizer's notes."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.learning.asking import Optimizer
from skillopt_sleep.learning.attempts import CrewAttempts, not_scored
from skillopt_sleep.learning.begin import DocumentStep, is_due
from skillopt_sleep.learning.rule import CandidateRule, TriedRule
from skillopt_sleep.learning.slow_update import compare, meta_skill, slow_update
from skillopt_sleep.learning.update import update
from skillopt_sleep.proposals.guard import problems
from skillopt_sleep.records import (
    CandidateKind,
    Compared,
    Decision,
    Document,
    Earlier,
    Edit,
    EditSource,
    Note,
    Outcome,
    Rollout,
    Split,
    StepOutcome,
    Task,
    TaskOrigin,
)
from skillopt_sleep.replay.rollout import Job

MOST_TASKS = 20  # compared, the newest ones
MAY_LOOK_BACK = frozenset({Outcome.NO_CHANGE, Outcome.UNDECIDED})


def look_back(step: DocumentStep, learned: StepOutcome) -> tuple[StepOutcome, list[TriedRule]]:
    """Attempt train under the body of some nights ago and today's, write guidance and notes, and try the guidance.

    It is made on a night that found nothing better. The guidance is tried on all of val; the night's own trials go
    into the notes only. A look back that isn't completed is due again.
    """
    begun, plan = step.begun, step.plan
    snapshot, provable = begun.past.snapshot, {task.lesson for task in begun.val}
    real = [task for task in begun.train if task.origin is TaskOrigin.REAL and task.split is Split.TRAIN]
    tasks = [task for task in real if task.lesson in provable][-MOST_TASKS:]
    is_time = learned.outcome in MAY_LOOK_BACK and is_due(plan, begun.past)
    if not is_time or snapshot is None or not tasks:
        return learned, []
    most = 2 * len(tasks) * plan.step.samples + 2 * len(begun.val) * plan.gate.rounds + 2
    if step.crew.meter.left() < most:
        summary = f"{step.document.id}: no look back on earlier nights: it takes up to {most} calls"
        return learned.noted(Note(stage="slow_update", summary=summary, remedy="raise budget.calls")), []
    try:
        return _Work(step, learned, snapshot, tasks).run()
    except BudgetExhausted as error:
        summary = f"{step.document.id}: the look back on earlier nights was cut short: {error.message}"
        return learned.noted(Note(stage="slow_update", summary=summary, remedy=error.remedy)), []


class _Work(NamedTuple):
    """Runs a look back."""

    step: DocumentStep
    learned: StepOutcome
    snapshot: Earlier
    tasks: Sequence[Task]

    def run(self) -> tuple[StepOutcome, list[TriedRule]]:
        """Attempt and compare the tasks, ask for guidance and notes, and try the guidance."""
        compared, made = self._compared()
        self.step.log("rollouts", made)
        self.step.log("comparisons", compared)
        learned = self.learned.noted(*not_scored(made))
        if not compared:
            return learned, []
        guidance, notebook = self._asked(compared)
        outcome = _with_answers(learned, compared, guidance, notebook)
        return self._tried(guidance, outcome) if isinstance(guidance, Edit) else (outcome, [])

    def _compared(self) -> tuple[tuple[Compared, ...], tuple[Rollout, ...]]:
        """Compare the tasks under both bodies; if the body didn't change, today's attempts count for both."""
        document = self.step.document
        earlier = replace(document, body=self.snapshot.body)
        arms = [document] if earlier == document else [earlier, document]
        jobs: list[Job] = []
        for task in self.tasks:
            for sample in range(self.step.plan.step.samples):
                jobs += [(task, arm, sample) for arm in arms]
        made = CrewAttempts(self.step.crew).make(jobs, label=f"look back {document.id}")
        return compare(made[:: len(arms)], made[len(arms) - 1 :: len(arms)]), made

    def _asked(self, compared: Sequence[Compared]) -> tuple[Edit | Note | None, str | Note]:
        """Ask for guidance, unless a trial of earlier guidance waits, and for the optimizer's notes."""
        begun, crew = self.step.begun, self.step.crew
        tasks = {task.id: task for task in self.tasks}
        optimizer = Optimizer(
            backend=crew.optimizer,
            pool=crew.pool,
            document=self.step.document,
            past=begun.past,
            preferences=self.step.plan.preferences,
        )
        guidance = None
        if not any(wait.tested.kind is CandidateKind.GUIDANCE for wait in self.learned.tried.undecided):
            guidance = slow_update(compared, tasks, self.snapshot, optimizer=optimizer)
        knowing = replace(begun.past, tried=(*self.learned.tried.effects, *begun.past.tried))
        return guidance, meta_skill(compared, tasks, optimizer=optimizer.knowing(knowing))

    def _tried(self, edit: Edit, outcome: StepOutcome) -> tuple[StepOutcome, list[TriedRule]]:
        """Try the guidance on val; if nothing could be measured, the look back is due again."""
        step = self.step
        changed, fates = update(step.document, [edit], refuse=self._refusal, most=step.plan.step.max_chars)
        step.log("edits", fates)
        outcome = replace(outcome, tried=replace(outcome.tried, edits=outcome.tried.edits + fates))
        if changed == step.document:
            return outcome, []
        tried = step.attempt(CandidateRule(CandidateKind.GUIDANCE, (edit,), step.begun.val))
        if tried.tested.verdict.decision is Decision.ABSTAIN:
            outcome = replace(outcome, later=replace(outcome.later, compared={}))
        return outcome, [tried]

    def _refusal(self, edit: Edit) -> str:
        """Return why the guidance may not be tried: a person refused it before, or the static guard refuses it."""
        past = self.step.begun.past
        for old in past.refused:
            if old.source is EditSource.SLOW and old.key == edit.key:
                return past.why_refused(old)
        quotes = [quote for task in self.tasks for quote in task.quotes]
        document: Document = self.step.document
        found = problems(edit.content, evidence=quotes, held=document.text, allowed=self.step.plan.allowed)
        return "; ".join(found)


def _with_answers(
    learned: StepOutcome, compared: Sequence[Compared], guidance: Edit | Note | None, notebook: str | Note
) -> StepOutcome:
    """Return the outcome with the notes for later nights, how the tasks changed, and the calls that failed."""
    outcome, later = learned, learned.later
    if isinstance(guidance, Note):
        outcome = outcome.noted(guidance)
    else:
        later = replace(later, compared=dict(Counter(one.change.value for one in compared)))
    if isinstance(notebook, Note):
        outcome = outcome.noted(notebook)
    else:
        later = replace(later, notebook=notebook)
    return replace(outcome, later=later)
