"""Void what was tried while the model changed: a trial that straddles such a change says nothing of either model.

Both versions of a document are attempted side by side, so a change of the model favours neither. But what a trial
found before it and after it isn't about the same model, so the candidate waits for another night.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.kit.betting import STAKES, start
from skillopt_sleep.kit.stats import mean, sign_test
from skillopt_sleep.records import Decision, Judged, Pair, Rollout, Trial, Verdict

JUMP = 0.2  # so much must the old version do better or worse in another third of the trial
JUMP_LEVEL = 0.005  # so unlikely must that be by chance, for each two of the thirds
_THIRDS = ((0, 1), (1, 2), (0, 2))


class Jump(NamedTuple):
    """The means of the old version in two thirds of a trial."""

    before: float
    after: float


def steady(verdict: Verdict, pairs: Sequence[Pair], made: Sequence[Rollout]) -> Verdict:
    """Return the verdict, or abstain if the model changed while tonight's `pairs` were made."""
    if verdict.decision is Decision.ABSTAIN:
        return verdict
    because = _why_not(pairs, made)
    if not because:
        return verdict
    return replace(
        verdict,
        decision=Decision.ABSTAIN,
        reason=f"the trial is void: {because}",
        drifted=True,
        early=False,
    )


def begun_anew(tested: Judged) -> Judged:
    """Return the candidate with nothing tried yet, as another night begins its trial."""
    return replace(tested, trial=anew(tested.trial, first=tested.trial.first))


def anew(trial: Trial, *, first: int) -> Trial:
    """Return the trial with nothing tried yet, whose rounds draw samples from `first` on."""
    stakes = trial.stakes or STAKES
    return Trial(
        lessons=trial.lessons,
        first=first,
        stakes=stakes,
        wealth=start(stakes),
        alpha=trial.alpha,
        together=trial.together,
        margin=trial.margin,
        min_effect=trial.min_effect,
    )


def answering(made: Sequence[Rollout]) -> tuple[str, ...]:
    """Return the models that answered these attempts, as far as they said so."""
    return tuple(sorted({attempt.trajectory.model for attempt in made} - {""}))


def has_changed(trial: Trial, made: Sequence[Rollout]) -> bool:
    """Return whether tonight's first attempts were answered by other models than an earlier night's of the trial."""
    first, _ = _models(made)
    return bool(trial.models and first) and first.isdisjoint(trial.models)


def _why_not(pairs: Sequence[Pair], made: Sequence[Rollout]) -> str:
    """Say what changed during a trial, or return ""."""
    first, last = _models(made)
    if first and last and not first & last:
        return f"it began with {', '.join(sorted(first))} and ended with {', '.join(sorted(last))}"
    jump = jumped(pairs)
    if jump is not None:
        return f"the old version went from {jump.before:.2f} to {jump.after:.2f} while it ran, so the model changed"
    return ""


def _models(made: Sequence[Rollout]) -> tuple[set[str], set[str]]:
    """Return the models that answered in the first and in the last third of the attempts."""
    named = [attempt.trajectory.model for attempt in made if attempt.trajectory.model]
    size = -(-len(named) // len(_THIRDS))
    return set(named[:size]), set(named[-size:])


def jumped(pairs: Sequence[Pair]) -> Jump | None:
    """Return how the old version's grades jumped between two thirds of the rounds, beyond chance, if they did.

    Each attempt of one third is compared with one of the same task in the other: a sign test, which no trial of a
    few attempts can pass.
    """
    samples = sorted({pair.sample for pair in pairs})
    size = len(samples) // len(_THIRDS)
    if not size:
        return None
    thirds = (samples[:size], samples[size:-size], samples[-size:])
    for early, late in _THIRDS:
        jump = _between(pairs, thirds[early], thirds[late])
        if jump is not None:
            return jump
    return None


def _between(pairs: Sequence[Pair], early: Sequence[int], late: Sequence[int]) -> Jump | None:
    before = _by_task(pairs, early)
    after = _by_task(pairs, late)
    matched: list[tuple[float, float]] = []
    for task in before.keys() & after.keys():
        matched += zip(before[task], after[task], strict=False)
    better = len([old for old, new in matched if new > old])
    worse = len([old for old, new in matched if new < old])
    jump = Jump(mean([old for old, _ in matched]) or 0.0, mean([new for _, new in matched]) or 0.0)
    unlikely = 2 * sign_test(max(better, worse), min(better, worse)) <= JUMP_LEVEL
    if unlikely and abs(jump.after - jump.before) >= JUMP:
        return jump
    return None


def _by_task(pairs: Sequence[Pair], samples: Sequence[int]) -> dict[str, list[float]]:
    """Return the old version's grades on each task in these rounds."""
    grades = defaultdict[str, list[float]](list)
    for pair in pairs:
        if pair.sample in samples:
            grades[pair.task].append(pair.before)
    return grades
