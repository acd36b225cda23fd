"""Look for the half of a rejected change that helps; val is asked only about a half that helped on train."""

from collections.abc import Sequence

from skillopt_sleep.errors import BudgetExhausted, CallPending
from skillopt_sleep.kit.stats import mean
from skillopt_sleep.learning.gate import measure
from skillopt_sleep.learning.samples import block
from skillopt_sleep.learning.trials import Trials
from skillopt_sleep.records import CandidateKind, Decision, Edit, Judged, Task
from skillopt_sleep.replay.rollout import Job
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES

NOT_AFFORDED = "its halves weren't tried"
HOPEFUL = frozenset({Decision.ACCEPT, Decision.UNDECIDED})


def better_half(bundle: Judged, trials: Trials, train: Sequence[Task], share: float) -> tuple[Judged, ...]:
    """Return the halves that were accepted or may still be, the best first; each is tried at half of the share."""
    middle = (len(bundle.edits) + 1) // 2
    hopeful: list[Judged] = []
    pending: CallPending | None = None
    for part in (bundle.edits[:middle], bundle.edits[middle:]):
        try:
            half = _tried(part, trials, train, share / 2)
        except BudgetExhausted as error:
            trials.note(f"{NOT_AFFORDED} to the end: {error.message}", remedy=error.remedy)
            break
        except CallPending as error:
            # Someone has to sit down for every round: both halves are asked at once.
            pending = pending or error
            continue
        if half is not None and half.verdict.decision in HOPEFUL:
            hopeful.append(half)
    if pending is not None:
        raise pending
    return tuple(sorted(hopeful, key=_rank, reverse=True))


def _tried(part: Sequence[Edit], trials: Trials, train: Sequence[Task], alpha: float) -> Judged | None:
    """Try a half if it helped on train and the calls reach."""
    if not trials.affordable(part, what=NOT_AFFORDED) or not _helped_on_train(part, trials, train):
        return None
    return trials.run(CandidateKind.HALF, part, alpha=alpha)


def _helped_on_train(part: Sequence[Edit], trials: Trials, train: Sequence[Task]) -> bool:
    """Attempt the train tasks that the edits were learned from, with and without them, and compare the means."""
    changed = trials.candidate(part)
    named = {task for edit in part for task in edit.tasks}
    lessons = {lesson for edit in part for lesson in edit.lessons}
    asked = [task for task in train if task.id in named or task.lesson in lessons]
    if changed is None or not asked:
        return False
    document = trials.document
    sample = block("train", document.text, changed.text)
    jobs: list[Job] = []
    for task in asked:
        jobs += [(task, document, sample), (task, changed, CANDIDATE_SAMPLES + sample)]
    made = trials.attempts.make(jobs, label=f"halves {document.id}")
    trials.rollouts += made
    gains: list[float] = []
    for old, new in zip(made[::2], made[1::2], strict=True):
        if old.score is not None and new.score is not None:
            gains.append(measure(new.score, trials.rule) - measure(old.score, trials.rule))
    return (mean(gains) or 0.0) > 0


def _rank(tested: Judged) -> tuple[bool, float]:
    return tested.verdict.decision is Decision.ACCEPT, tested.trial.gain or 0.0
