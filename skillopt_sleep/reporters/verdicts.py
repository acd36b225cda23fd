"""Say what a trial showed, in the words that are used everywhere: proven, not proven, made it worse, undecided.

What a person decides has other words (`decided.py`): adopted, rejected, put off.
"""

from skillopt_sleep.records import Decision, Effect, Trial, Verdict, effect_of, in_words, unknown_rate
from skillopt_sleep.reporters.gains import ruled_out

WORDS = {
    Decision.ACCEPT: "proven",
    Decision.REJECT: "not proven",
    Decision.UNDECIDED: "undecided",
    Decision.ABSTAIN: "not decided",
}
SEEMED = "seemed better"  # by a rule whose error rate nobody knows
UNTESTED = "taken untested"
WORSE = "made it worse"
OTHERS_WORSE = "made other requests worse"


def in_a_word(verdict: Verdict, trial: Trial) -> str:
    """Return a verdict in a word or two, without what is known beside it."""
    if verdict.decision is Decision.ACCEPT:
        return _accepted(verdict, trial)
    return WORDS[verdict.decision]


def verdict_words(verdict: Verdict, trial: Trial) -> str:
    """Return a verdict in words, and what is known of a change that wasn't proven."""
    word = in_a_word(verdict, trial)
    if trial.before is None or trial.after is None:
        return word
    if verdict.decision is Decision.UNDECIDED:
        return f"{word}: {ruled_out(trial)}"
    if verdict.decision is Decision.REJECT:
        return _rejected(word, verdict, trial, gain=trial.after - trial.before)
    return word


def _accepted(verdict: Verdict, trial: Trial) -> str:
    if trial.before is None:
        return UNTESTED
    if unknown_rate(verdict.error_rate):
        return SEEMED
    return WORDS[Decision.ACCEPT]


def _rejected(word: str, verdict: Verdict, trial: Trial, *, gain: float) -> str:
    if verdict.harmed:
        return OTHERS_WORSE
    effect = effect_of(trial.interval)
    if effect is Effect.HARMFUL:
        return WORSE
    if effect is Effect.HELPED:
        return word
    shown = in_words(effect, n=trial.n, gain=gain)
    return shown if word in shown else f"{word}: {shown}"
