"""Say what a val set can prove, before anything is spent on it."""

from skillopt_sleep.kit.betting import STAKES, bet, start, statistic
from skillopt_sleep.learning.gate import SESSIONS
from skillopt_sleep.records import Note
from skillopt_sleep.trainer.config import TrainerConfig

LARGE = 0.2  # a gain that few changes of a skill have


def smallest_gain(items: int, *, alpha: float, rounds: int = 1) -> float | None:
    """Return the smallest mean gain that the evidence gate can prove on so many val items, None if there is none.

    That is a change that loses nothing: noise makes it more. If a skill repeats its answers, more than one round adds
    nothing, as each answer counts once. The gain in more `rounds` is that of answers which differ each time.
    """
    pairs = items * rounds
    for wins in range(SESSIONS, pairs + 1):
        if statistic(bet(start(STAKES), [1.0] * wins)) >= 1 / alpha:
            return wins / pairs
    return None


def warned(config: TrainerConfig, *, steps: int, val: int) -> tuple[Note, ...]:
    """Return a note if the evidence gate can prove only large gains on this val set; `steps` are those of the run."""
    if config.evaluation.gate != "sequential":
        return ()
    shared = config.trials_left(epochs=config.horizon, steps=steps * config.horizon // config.train.epochs)
    gain = smallest_gain(val, alpha=config.evaluation.alpha / shared)
    least = config.evaluation.min_effect
    if gain is not None and max(gain, least) <= LARGE:
        return ()
    if gain is not None and gain < least:
        summary = f"a gain of less than evaluation.min_effect = {least:g} is rejected, however sure it is"
        return (Note(stage="gate", summary=summary, remedy="lower it if such gains are worth it", expected=True),)
    varied = smallest_gain(val, alpha=config.evaluation.alpha / shared, rounds=config.evaluation.rounds)
    which = "1 trial" if shared == 1 else f"{shared} trials"
    remedy = "add val items"
    if config.judged == "step":
        remedy += f", or set {_at_the_end(config)}, which spends all of alpha on one trial"
    summary = f"{val} val items in {which} {proven(gain, varied=varied, passes=config.evaluation.rounds)}"
    return (Note(stage="gate", summary=summary, remedy=remedy, expected=True),)


def proven(gain: float | None, *, varied: float | None, passes: int) -> str:
    """Say which gain can be proven where a skill repeats its answers, and where they differ in each of the passes."""
    if varied is None:
        return "can't prove anything: no skill can become the best"
    if gain == varied:
        return f"can only prove a gain of {gain:.2f} or more"
    same = "can't prove anything" if gain is None else f"can only prove a gain of {gain:.2f} or more"
    more = f"where they differ each time, {passes} passes can prove {varied:.2f}"
    return f"{same} where a skill repeats its answers; {more}"


def _at_the_end(config: TrainerConfig) -> str:
    """Return the keys to set for val to be asked at the end only, which needs screening and no gated slow update."""
    keys = 'evaluation.judge = "end"'
    if not config.optimizer.screen:
        keys += " and optimizer.screen above 0"
    if config.optimizer.slow_gated:
        keys += " and optimizer.slow_gated = false"
    return keys
