"""An effect is called by what its interval rules out, and never without the number of tries behind it."""

import pytest

from skillopt_sleep.records import Effect, effect_of, in_words


@pytest.mark.parametrize(
    ("interval", "effect"),
    [
        (None, Effect.UNDECIDED),
        ((-0.9, -0.01), Effect.HARMFUL),
        ((-0.9, 0.0), Effect.NEUTRAL),
        ((-0.1, 0.05), Effect.NEUTRAL),
        ((-0.86, 0.81), Effect.UNDECIDED),
        ((-0.1, 0.06), Effect.UNDECIDED),
        ((0.01, 0.03), Effect.HELPED),
    ],
)
def test_an_effect_is_what_its_interval_rules_out(interval: tuple[float, float] | None, effect: Effect) -> None:
    assert effect_of(interval, min_effect=0.05) is effect


@pytest.mark.parametrize(
    ("effect", "n", "gain", "words"),
    [
        (Effect.HARMFUL, 9, -0.8, "harmful"),
        (Effect.NEUTRAL, 400, 0.0, "useless"),
        (Effect.HELPED, 4, 1.0, "helped"),
        (Effect.UNDECIDED, 1, -0.5, "no gain seen (1 try)"),
        (Effect.UNDECIDED, 6, None, "no gain seen (6 tries)"),
        (Effect.UNDECIDED, 6, 0.2, "a gain seen but not proven (6 tries)"),
        (Effect.UNDECIDED, 0, None, "not tried"),
    ],
)
def test_what_is_not_decided_is_said_with_the_tries_behind_it(
    effect: Effect, n: int, gain: float | None, words: str
) -> None:
    assert in_words(effect, n=n, gain=gain) == words
