"""No gain is told without its n and its interval, nor as better than it was measured."""

import re

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from skillopt_sleep.records import FreshRound, Solved
from skillopt_sleep.reporters.gains import in_numbers, measured, rules_out, sentence

bounds = st.floats(-1, 1).map(lambda value: round(value, 2))


@given(bounds, bounds, st.integers(0, 20), st.none() | bounds)
def test_a_gain_has_an_n_and_an_interval_or_is_called_flattered(
    before: float, after: float, n: int, shrunk: float | None
) -> None:
    fresh = FreshRound()
    if n:
        fresh = FreshRound(before=before, after=after, n=n, interval=(-0.5, 0.5))

    said = measured(fresh, shrunk=shrunk, n=7)

    assert ("flattered" in said) == (not n and shrunk is not None)
    assert ("interval" in said) == bool(n)
    if said:
        assert re.search(rf"\({n or 7} (?:try|tries)\)", said)


def test_fresh_attempts_whose_interval_holds_0_are_not_taken_for_the_proof() -> None:
    fresh = FreshRound(before=0.0, after=0.5, n=4, interval=(-0.1, 0.9))

    assert measured(fresh, shrunk=None, n=7).endswith("; too few to prove anything; the trial did")
    assert "decided" not in measured(replace(fresh, interval=(0.1, 0.9)), shrunk=None, n=7)


@pytest.mark.parametrize(
    ("interval", "words"),
    [
        (None, "rules out nothing yet"),
        ((-1.0, 1.0), "rules out nothing yet"),
        ((-0.86, 0.81), "rules out nothing yet"),
        ((0.3, 1.0), "rules out a gain of less than +0.30"),
        ((-1.0, -0.45), "rules out a gain of more than -0.45"),
        ((-0.3, 0.698), "rules out a gain of more than +0.70 and a loss of more than 0.30"),
        ((-0.3, 0.45), "rules out a gain of more than +0.45 and a loss of more than 0.30"),
        ((0.1, 0.9), "rules out a gain of more than +0.90 and a gain of less than +0.10"),
    ],
)
def test_an_open_question_says_what_it_rules_out(interval: tuple[float, float] | None, words: str) -> None:
    assert rules_out(interval) == words


def test_words_become_a_sentence_of_their_own() -> None:
    assert [sentence(words) for words in ("", "if so, so", "Done.")] == ["", "If so, so.", "Done."]


def test_what_was_measured_is_said_in_whole_numbers_once_for_each_side_and_with_its_requests() -> None:
    counts = Solved(before=3, after=11, n=12, requests=3)
    said = "without the rule 3 of 12 answers did as you asked, with it 11 of 12 (on 3 new requests)"
    assert in_numbers(counts) == said
    assert in_numbers(replace(counts, requests=1)).endswith("(on 1 new request)")
    several = "without the rules 3 of 12 answers did as you asked, with them 11 of 12 (on 3 new requests)"
    assert in_numbers(counts, rules=2).startswith(several)
    removed = "with the rule 3 of 12 answers did as you asked, without it 11 of 12"
    assert in_numbers(counts, removing=True).startswith(removed)
    assert "0 of 1 answer did as you asked" in in_numbers(replace(counts, before=0, n=1, after=1))
