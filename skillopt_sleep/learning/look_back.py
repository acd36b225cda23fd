"""Look back every few nights: compare with an earlier body, write guidance and the optimizer's notes."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.learning.asking import Optimizer
from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.compare import compare
from skillopt_sleep.learning.exercise import exercise
from skillopt_sleep.learning.meta_skill import meta_skill
from skillopt_sleep.learning.search import add_trial
from skillopt_sleep.learning.slow_update import slow_update
from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.learning.update import update
from skillopt_sleep.proposals.guard import problems
from skillopt_sleep.protocols import Crew, Plan
from skillopt_sleep.records import (
    CandidateKind,
    Compared,
    Decision,
    Document,
    Earlier,
    Edit,
    EditSource,
    GateRule,
    Judged,
    Note,
    Outcome,
    Past,
    PastEdit,
    Rollout,
    StepOutcome,
    Task,
    TaskOrigin,
)

Log = Callable[[str, Sequence[object]], None]

SHARE = 0.25  # of what the document may accept by mistake on such a night
MOST_TASKS = 20  # compared, the newest ones


class LookedBack(NamedTuple):
    """The outcome including the look back, the guidance if it decides the outcome, and the attempts."""

    outcome: StepOutcome
    decides: Judged | None = None
    rollouts: tuple[Rollout, ...] = ()


def is_due(plan: Plan, past: Past) -> bool:
    """Return whether the document's last look back was as many nights ago as the plan says."""
    return past.snapshot is not None and 0 < plan.step.slow_every <= past.snapshot.nights


def learning_rule(plan: Plan, past: Past) -> GateRule:
    """Return the rule for what the night itself learns: the document's error rate without the guidance's share."""
    return replace(plan.gate, alpha=plan.gate.alpha * (1 - SHARE)) if is_due(plan, past) else plan.gate


def look_back(
    learned: StepOutcome,
    train: Sequence[Task],
    val: Sequence[Task],
    *,
    crew: Crew,
    optimizer: Optimizer,
    plan: Plan,
    past: Past,
    night: str,
    log: Log,
) -> LookedBack:
    """Attempt train under the body of some nights ago and today's, and write guidance and notes from the changes.

    The guidance is tried on val with its own share of the error rate. The results of the night's own trials go into
    the notes only: the guidance is fixed before val is seen. A look back that isn't completed is due again.
    """
    provable = {task.cluster for task in val}
    tasks = [task for task in train if task.cluster in provable and task.origin is TaskOrigin.REAL][-MOST_TASKS:]
    if past.snapshot is None or not tasks:
        return LookedBack(learned)
    name = learned.document.id
    most = 2 * len(tasks) * plan.step.samples + 2 * len(val) * plan.gate.rounds + 2
    if crew.meter.left() < most:
        summary = f"{name}: no look back on earlier nights: it takes up to {most} calls"
        return LookedBack(learned.noted(Note(stage="slow_update", summary=summary, remedy="raise budget.calls")))
    work = _Work(learned, past.snapshot, tasks, val, crew, optimizer, plan, past, night)
    try:
        return work.done(log)
    except BudgetExhausted as error:
        summary = f"{name}: the look back on earlier nights was cut short: {error.message}"
        return LookedBack(learned.noted(Note(stage="slow_update", summary=summary, remedy=error.remedy)))


class _Work(NamedTuple):
    """Does a look back."""

    learned: StepOutcome
    snapshot: Earlier
    tasks: Sequence[Task]
    val: Sequence[Task]
    crew: Crew
    optimizer: Optimizer
    plan: Plan
    past: Past
    night: str

    @property
    def document(self) -> Document:
        return self.learned.document

    def done(self, log: Log) -> LookedBack:
        compared, made = self._compared()
        log("rollouts", made)
        log("comparisons", compared)
        if not compared:
            return LookedBack(self.learned, rollouts=made)
        waits = any(wait.tested.kind is CandidateKind.GUIDANCE for wait in self.learned.tried.undecided)
        guided = None if waits else self._guidance(compared)
        notebook = self._notebook(compared)
        outcome = self.learned.noted(*(said for said in (guided, notebook) if isinstance(said, Note)))
        later = outcome.later
        if isinstance(notebook, str):
            later = replace(later, notebook=notebook)
        if not isinstance(guided, Note):
            later = replace(later, compared=dict(Counter(one.change.value for one in compared)))
        outcome = replace(outcome, later=later)
        if not isinstance(guided, Edit):
            return LookedBack(outcome, rollouts=made)
        back = self._tried(guided, outcome, log)
        return back._replace(rollouts=made + back.rollouts)

    def _compared(self) -> tuple[tuple[Compared, ...], tuple[Rollout, ...]]:
        """Compare the tasks under both bodies; if the body didn't change, today's attempts count for both."""
        earlier = replace(self.document, body=self.snapshot.body)
        arms = (earlier, self.document) if earlier != self.document else (self.document,)
        samples = range(self.plan.step.samples)
        jobs = [(task, arm, sample) for task in self.tasks for sample in samples for arm in arms]
        made = CrewAttempts(self.crew).make(jobs, label=f"look back {self.document.id}")
        return compare(made[:: len(arms)], made[len(arms) - 1 :: len(arms)]), made

    def _guidance(self, compared: Sequence[Compared]) -> Edit | Note | None:
        tasks = {task.id: task for task in self.tasks}
        return slow_update(compared, tasks, self.snapshot, optimizer=self.optimizer)

    def _notebook(self, compared: Sequence[Compared]) -> str | Note:
        """Ask for the optimizer's notes; the effects of tonight's trials are known to it."""
        told = (PastEdit(night=self.night, edit=one.edit, effect=one.effect) for one in self.learned.tried.effects)
        past = replace(self.past, tried=(*told, *self.past.tried))
        tasks = {task.id: task for task in self.tasks}
        return meta_skill(compared, tasks, optimizer=self.optimizer.knowing(past))

    def _tried(self, edit: Edit, outcome: StepOutcome, log: Log) -> LookedBack:
        """Return the outcome with the guidance's fate, and with its trial if it could be applied."""
        document, crew = self.document, self.crew
        changed, fates = update(document, [edit], refuse=self._refusal, most=self.plan.step.max_chars)
        log("edits", fates)
        tried = replace(outcome.tried, edits=outcome.tried.edits + fates)
        outcome = replace(outcome, tried=tried)
        if changed == document:
            return LookedBack(outcome)
        rule = replace(self.plan.gate, alpha=self.plan.gate.alpha * SHARE)
        asked = exercise((edit,), self.tasks, self.val)
        trial, verdict, made = run_trial(document, changed, asked, attempts=CrewAttempts(crew), rule=rule)
        tested = Judged(kind=CandidateKind.GUIDANCE, edits=(edit,), trial=trial, verdict=verdict)
        log("rollouts", made)
        log("trials", (tested,))
        undecided = verdict.decision is Decision.UNDECIDED
        outcome = add_trial(outcome, tested, night=self.night, crew=crew)
        nothing_else = outcome.outcome is Outcome.NO_CHANGE
        decides = verdict.decision is Decision.ACCEPT or (undecided and nothing_else)
        return LookedBack(outcome, tested if decides else None, made)

    def _refusal(self, edit: Edit) -> str:
        """Return why the guidance may not be tried: a person refused it before, or the static guard refuses it."""
        refused = {_words(old) for old in self.past.refused if old.source is EditSource.SLOW}
        if _words(edit) in refused:
            return "you rejected it before"
        quotes = [said.quote for task in self.tasks for said in task.evidence]
        return "; ".join(problems(edit.content, evidence=quotes, held=self.document.text, allowed=self.plan.allowed))


def _words(edit: Edit) -> str:
    return " ".join(edit.content.lower().split())
