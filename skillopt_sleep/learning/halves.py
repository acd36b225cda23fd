"""Look for the part of an unproven change that helps; val is asked only about a part that helped on train.

The parts are the rules of each lesson, and those that helped on train are tried as one; if all rules are for the same
lessons, they are the two halves, each tried by itself.
"""

from collections import defaultdict
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
Part = tuple[Edit, ...]


def better_parts(bundle: Judged, trials: Trials, train: Sequence[Task], share: float) -> tuple[Judged, ...]:
    """Return the parts that were accepted or may still be, the best first; all of them together have this share."""
    try:
        worth_a_trial, alpha = _worth_a_trial(bundle, trials, train, share)
        tried = _tried(worth_a_trial, trials, alpha)
    except BudgetExhausted as error:
        trials.note(f"{NOT_AFFORDED}: {error.message}", remedy=error.remedy)
        return ()
    return tuple(sorted(tried, key=_rank, reverse=True))


def _worth_a_trial(bundle: Judged, trials: Trials, train: Sequence[Task], share: float) -> tuple[list[Part], float]:
    """Return the parts that helped on train, and the share of each."""
    groups = _by_lesson(bundle.edits)
    if len(groups) > 1:
        helped = _that_helped(groups, trials, train)
        if not helped or len(helped) == len(groups):
            return [], share
        return [tuple(edit for edit in bundle.edits if any(edit in group for group in helped))], share
    if bundle.verdict.decision is not Decision.REJECT:
        return [], share
    middle = (len(bundle.edits) + 1) // 2
    return _that_helped([bundle.edits[:middle], bundle.edits[middle:]], trials, train), share / 2


def _by_lesson(edits: Sequence[Edit]) -> list[Part]:
    """Return the edits of the same lessons together."""
    groups = defaultdict[frozenset[str], list[Edit]](list)
    for edit in edits:
        groups[frozenset(edit.lessons)].append(edit)
    return [tuple(group) for group in groups.values()]


def _tried(parts: Sequence[Part], trials: Trials, alpha: float) -> list[Judged]:
    """Try the parts as far as the calls reach; return those that may be proven."""
    hopeful: list[Judged] = []
    pending: CallPending | None = None
    for part in parts:
        if not trials.affordable(part, what=NOT_AFFORDED):
            break
        try:
            tested = trials.run(CandidateKind.HALF, part, alpha=alpha)
        except BudgetExhausted as error:
            trials.note(f"{NOT_AFFORDED} to the end: {error.message}", remedy=error.remedy)
            break
        except CallPending as error:
            # Someone has to sit down for every round: both halves are asked at once.
            pending = pending or error
            continue
        if tested is not None and tested.verdict.decision in HOPEFUL:
            hopeful.append(tested)
    if pending is not None:
        raise pending
    return hopeful


def _that_helped(parts: Sequence[Part], trials: Trials, train: Sequence[Task]) -> list[Part]:
    """Return the parts that did better on the train tasks they were learned from, each attempted with and without."""
    jobs: list[Job] = []
    owners: list[int] = []
    for place, part in enumerate(parts):
        if not trials.affordable(part, what=NOT_AFFORDED):
            return []
        asked = _with_and_without(part, trials, train)
        jobs += asked
        owners += [place] * (len(asked) // 2)
    made = trials.attempts.make(jobs, label=f"halves {trials.document.id}")
    trials.rollouts += made
    gains = defaultdict[int, list[float]](list)
    for place, old, new in zip(owners, made[::2], made[1::2], strict=True):
        if old.score is not None and new.score is not None:
            gains[place].append(measure(new.score, trials.rule) - measure(old.score, trials.rule))
    return [part for place, part in enumerate(parts) if (mean(gains[place]) or 0.0) > 0]


def _with_and_without(part: Part, trials: Trials, train: Sequence[Task]) -> list[Job]:
    """Return the attempts at the train tasks that the part was learned from, without it and with it in turn."""
    document, changed = trials.document, trials.candidate(part)
    if changed is None:
        return []
    named = {task for edit in part for task in edit.tasks}
    lessons = {lesson for edit in part for lesson in edit.lessons}
    sample = block("train", document.text, changed.text)
    jobs: list[Job] = []
    for task in train:
        if task.id in named or task.lesson in lessons:
            jobs += [(task, document, sample), (task, changed, CANDIDATE_SAMPLES + sample)]
    return jobs


def _rank(tested: Judged) -> tuple[bool, float]:
    return tested.verdict.decision is Decision.ACCEPT, tested.trial.gain or 0.0
