"""Begin a trial anew if another model answers than before, by the name that it gives itself.

Both versions of a document are attempted side by side, so a change of the model favours neither. But what a trial
found before it and after it isn't about the same model. If the model changes within a night, the trial is void and
its candidate waits for another night.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from skillopt_sleep.kit.betting import STAKES, start
from skillopt_sleep.records import Decision, Judged, Rollout, Trial, Verdict


def steady(verdict: Verdict, made: Sequence[Rollout]) -> Verdict:
    """Return the verdict on a trial, or abstain if another model answered tonight's last attempts than the first."""
    first, last = _models(made)
    if verdict.decision is Decision.ABSTAIN or not first or first & last:
        return verdict
    because = f"it began with {', '.join(sorted(first))} and ended with {', '.join(sorted(last))}"
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


def _models(made: Sequence[Rollout]) -> tuple[set[str], set[str]]:
    """Return the models that answered in the first and in the last third of the attempts."""
    named = [attempt.trajectory.model for attempt in made if attempt.trajectory.model]
    size = -(-len(named) // 3)
    return set(named[:size]), set(named[-size:])
