"""Look back every few nights: compare with an earlier body, write guidance and the optimizer's notes."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.learning.asking import Optimizer
from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.compare import compare
from skillopt_sleep.learning.drift import steady
from skillopt_sleep.learning.exercise import exercise
from skillopt_sleep.learning.harm import bystanders, first_calls
from skillopt_sleep.learning.meta_skill import meta_skill
from skillopt_sleep.learning.samples import block
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
    Rollout,
    Split,
    StepOutcome,
    Task,
    TaskOrigin,
    past_edit,
)
from skillopt_sleep.replay.rollout import Job

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
    if not is_due(plan, past):
        return plan.gate
    return replace(plan.gate, alpha=plan.gate.alpha * (1 - SHARE))


def look_back(
    learned: StepOutcome,
    train: Sequence[Task],
    val: Sequence[Task],
    *,
    others: Sequence[Task] = (),
    crew: Crew,
    optimizer: Optimizer,
    plan: Plan,
    past: Past,
    night: str,
    log: Log,
) -> LookedBack:
    """Attempt train under the body of some nights ago and today's, and write guidance and notes from the changes.

    The guidance is tried on val with its own share of the error rate, and must not harm the lessons of `others`. The
    results of the night's own trials go into the notes only: the guidance is fixed before val is seen. A look back
    that isn't completed is due again.
    """
    tasks = _newest(train, val)
    if past.snapshot is None or not tasks:
        return LookedBack(learned)
    name = learned.document.id
    trial = 2 * len(val) * plan.gate.rounds + first_calls(bystanders((), val, others))
    most = 2 * len(tasks) * plan.step.samples + trial + 2
    if crew.meter.left() < most:
        summary = f"{name}: no look back on earlier nights: it takes up to {most} calls"
        return LookedBack(learned.noted(Note(stage="slow_update", summary=summary, remedy="raise budget.calls")))
    work = _Work(learned, past.snapshot, tasks, val, others, crew, optimizer, plan, past, night)
    try:
        return work.run(log)
    except BudgetExhausted as error:
        summary = f"{name}: the look back on earlier nights was cut short: {error.message}"
        return LookedBack(learned.noted(Note(stage="slow_update", summary=summary, remedy=error.remedy)))


def _newest(train: Sequence[Task], val: Sequence[Task]) -> list[Task]:
    """Return the newest real train tasks whose lesson can be tried on val."""
    provable = {task.lesson for task in val}
    own = [task for task in train if task.lesson in provable and task.split is Split.TRAIN]
    return [task for task in own if task.origin is TaskOrigin.REAL][-MOST_TASKS:]


class _Work(NamedTuple):
    """Runs a look back."""

    learned: StepOutcome
    snapshot: Earlier
    tasks: Sequence[Task]
    val: Sequence[Task]
    others: Sequence[Task]
    crew: Crew
    optimizer: Optimizer
    plan: Plan
    past: Past
    night: str

    @property
    def document(self) -> Document:
        """The document that is looked back on."""
        return self.learned.document

    @property
    def _tasks_by_id(self) -> dict[str, Task]:
        return {task.id: task for task in self.tasks}

    def run(self, log: Log) -> LookedBack:
        """Attempt and compare the tasks, ask for guidance and notes, and try the guidance."""
        compared, made = self._compared()
        log("rollouts", made)
        log("comparisons", compared)
        if not compared:
            return LookedBack(self.learned, rollouts=made)
        guidance = self._guidance(compared)
        notebook = self._notebook(compared)
        outcome = self._with_answers(compared, guidance, notebook)
        if not isinstance(guidance, Edit):
            return LookedBack(outcome, rollouts=made)
        back = self._try(guidance, outcome, log)
        return back._replace(rollouts=made + back.rollouts)

    def _with_answers(
        self, compared: Sequence[Compared], guidance: Edit | Note | None, notebook: str | Note
    ) -> StepOutcome:
        """Return the outcome with the notes for later nights, how the tasks changed, and the calls that failed."""
        outcome, later = self.learned, self.learned.later
        if isinstance(guidance, Note):
            outcome = outcome.noted(guidance)
        else:
            counts = Counter(one.change.value for one in compared)
            later = replace(later, compared=dict(counts))
        if isinstance(notebook, Note):
            outcome = outcome.noted(notebook)
        else:
            later = replace(later, notebook=notebook)
        return replace(outcome, later=later)

    def _compared(self) -> tuple[tuple[Compared, ...], tuple[Rollout, ...]]:
        """Compare the tasks under both bodies; if the body didn't change, today's attempts count for both."""
        earlier = replace(self.document, body=self.snapshot.body)
        arms = [self.document]
        if earlier != self.document:
            arms = [earlier, self.document]
        jobs: list[Job] = []
        for task in self.tasks:
            for sample in range(self.plan.step.samples):
                jobs += [(task, arm, sample) for arm in arms]
        made = CrewAttempts(self.crew).make(jobs, label=f"look back {self.document.id}")
        return compare(made[:: len(arms)], made[len(arms) - 1 :: len(arms)]), made

    def _guidance(self, compared: Sequence[Compared]) -> Edit | Note | None:
        """Ask for guidance, unless a trial of earlier guidance is still undecided."""
        if any(wait.tested.kind is CandidateKind.GUIDANCE for wait in self.learned.tried.undecided):
            return None
        return slow_update(compared, self._tasks_by_id, self.snapshot, optimizer=self.optimizer)

    def _notebook(self, compared: Sequence[Compared]) -> str | Note:
        """Ask for the optimizer's notes; the effects of tonight's trials are known to it."""
        tonight = [past_edit(effect, night=self.night) for effect in self.learned.tried.effects]
        past = replace(self.past, tried=(*tonight, *self.past.tried))
        return meta_skill(compared, self._tasks_by_id, optimizer=self.optimizer.knowing(past))

    def _try(self, edit: Edit, outcome: StepOutcome, log: Log) -> LookedBack:
        """Apply the guidance and try it on val; return the outcome with its fate and its trial.

        If nothing could be measured, the look back is due again.
        """
        document, crew = self.document, self.crew
        changed, fates = update(document, [edit], refuse=self._refusal, most=self.plan.step.max_chars)
        log("edits", fates)
        tried = replace(outcome.tried, edits=outcome.tried.edits + fates)
        outcome = replace(outcome, tried=tried)
        if changed == document:
            return LookedBack(outcome)
        rule = replace(self.plan.gate, alpha=self.plan.gate.alpha * SHARE)
        asked = exercise((edit,), self.tasks, self.val)
        first = block(CandidateKind.GUIDANCE, document.text, changed.text)
        trial, verdict, made = run_trial(
            document,
            changed,
            asked,
            attempts=CrewAttempts(crew),
            rule=rule,
            first=first,
            bystanders=bystanders((edit,), asked, self.others),
        )
        verdict = steady(verdict, trial.pairs, made)
        tested = Judged(kind=CandidateKind.GUIDANCE, edits=(edit,), trial=trial, verdict=verdict)
        log("rollouts", made)
        log("trials", (tested,))
        outcome = add_trial(outcome, tested, night=self.night, crew=crew)
        if verdict.decision is Decision.ABSTAIN and not verdict.drifted:
            outcome = replace(outcome, later=replace(outcome.later, compared={}))
        decides = verdict.decision is Decision.ACCEPT
        if verdict.decision is Decision.UNDECIDED and outcome.outcome is Outcome.NO_CHANGE:
            decides = True
        if not decides:
            return LookedBack(outcome, rollouts=made)
        return LookedBack(outcome, decides=tested, rollouts=made)

    def _refusal(self, edit: Edit) -> str:
        """Return why the guidance may not be tried: a person refused it before, or the static guard refuses it."""
        for old in self.past.refused:
            if old.source is EditSource.SLOW and _words(old) == _words(edit):
                return self.past.why_refused(old)
        quotes: list[str] = []
        for task in self.tasks:
            quotes += task.quotes
        return "; ".join(problems(edit.content, evidence=quotes, held=self.document.text, allowed=self.plan.allowed))


def _words(edit: Edit) -> str:
    return " ".join(edit.content.lower().split())
