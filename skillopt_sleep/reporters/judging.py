"""Say how far the judge of a night could be trusted."""

from skillopt_sleep.records import JudgeReading


def judge_in_words(reading: JudgeReading, *, verbose: bool = False) -> str:
    """Say how often the judge was right on answers of known worth, and what follows if that is too seldom."""
    if not reading.n:
        return f"The judge decides nothing tonight: {reading.because}."
    text = f"We gave the judge {reading.n} answers whose grade we know; it got {reading.right} right"
    if reading.kinds and (verbose or reading.right < reading.n):
        text += f": {reading.by_kind}"
    if reading.because:
        return f"{text}. It decides nothing tonight: {reading.because}."
    return f"{text}."
