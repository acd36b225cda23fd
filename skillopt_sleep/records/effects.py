"""Effect: what an edit did, by what the interval of its gain rules out, and in words."""

from enum import StrEnum


class Effect(StrEnum):
    """The effect of a single edit."""

    HELPED = "helped"
    NEUTRAL = "neutral"
    HARMFUL = "harmful"
    UNDECIDED = "undecided"


MIN_EFFECT = 0.05  # the smallest gain that is worth an edit, by default


def effect_of(interval: tuple[float, float] | None, *, min_effect: float = MIN_EFFECT) -> Effect:
    """Return what an interval of the mean gain shows: harm or help only if it leaves out 0.

    An edit is neutral only if a gain of more than `min_effect` is ruled out. What is neither isn't decided: that no
    gain was seen doesn't show that there is none.
    """
    if interval is None:
        return Effect.UNDECIDED
    low, high = interval
    if high < 0:
        return Effect.HARMFUL
    if low > 0:
        return Effect.HELPED
    if high <= min_effect:
        return Effect.NEUTRAL
    return Effect.UNDECIDED


def in_words(effect: Effect, *, n: int, gain: float | None = None) -> str:
    """Say an effect in plain words, with the number of paired tries if they decided nothing.

    `gain` is the mean gain that was seen: one that isn't proven is told apart from none.
    """
    words = {
        Effect.HELPED: "helped",
        Effect.NEUTRAL: "useless",
        Effect.HARMFUL: "harmful",
    }
    if effect in words:
        return words[effect]
    if not n:
        return "not tried"
    if gain is not None and gain > 0:
        return f"a gain seen but not proven ({tries(n)})"
    return f"no gain seen ({tries(n)})"


def tries(n: int) -> str:
    """Return a number of tries; each is a pair of attempts at one request, without the change and with it."""
    return "1 try" if n == 1 else f"{n} tries"
