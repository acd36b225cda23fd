"""Say how far the judge of a night could be trusted."""

from skillopt_sleep.kit.words import counted
from skillopt_sleep.records import JudgeReading


def judge_in_words(reading: JudgeReading, *, verbose: bool = False) -> str:
    """Say how often the judge was right on answers of known worth, and what follows if that is too seldom."""
    if not reading.n:
        return f"The judge decides nothing tonight: {_why(reading)}."
    text = f"We gave the judge {reading.n} answers whose grade we know; it got {reading.right} right"
    if reading.kinds and (verbose or reading.right < reading.n):
        text += f": {reading.by_kind}"
    if reading.because:
        return f"{text}. It decides nothing tonight: {_why(reading)}."
    return f"{text}."


def _why(reading: JudgeReading) -> str:
    """Say why its grades don't count, and how many requests therefore wait for another night."""
    if not reading.untried:
        return reading.because
    return f"{reading.because}; left for another night: {counted(reading.untried, 'request')} that only it can grade"
