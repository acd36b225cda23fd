"""One plain sentence says what a night's error rate is of, and only where it is known."""

import re

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from skillopt_sleep.records import StepOutcome
from skillopt_sleep.reporters.rate import of_night, of_proposal
from tests.reporters.reports import improved


def accepted(together: float | None = 0.05, *, rule: str = "sequential, mixed", margin: float = 0.0) -> StepOutcome:
    outcome = improved()
    trial = replace(outcome.trial, together=together, margin=margin)
    return replace(outcome, verdict=replace(outcome.verdict, rule=rule), trial=trial)


def test_it_says_of_what_over_what_measured_how_by_whom_and_what_it_is_not() -> None:
    assert of_night([accepted()]) == (
        "at most 5 % of nights like this one propose a rule that does nothing, by the verdicts on these "
        "requests; that isn't the chance that a rule below does nothing"
    )


@given(st.lists(st.floats(0.004, 0.05), min_size=1, max_size=4))
def test_of_trials_that_began_in_different_nights_the_highest_rate_is_named(rates: list[float]) -> None:
    said = re.search(r"at most (\S+) % of nights", of_night([accepted(rate) for rate in rates]))

    assert said is not None
    assert said[1] == f"{100 * max(rates):.3g}"


@pytest.mark.parametrize(
    "outcome",
    [accepted(rule="strict, mixed"), accepted(rule="greedy, mixed"), accepted(None), accepted(margin=0.1)],
    ids=["strict", "greedy", "without a share", "a removal"],
)
def test_where_no_such_rate_is_known_none_is_named(outcome: StepOutcome) -> None:
    assert of_night([outcome]) == ""
    assert of_night([outcome, accepted()]) == of_night([accepted()])


def test_beside_one_proposal_it_is_said_what_doing_nothing_is() -> None:
    assert of_proposal("if this change did nothing for these 2 requests, ...") == (
        "A change that does nothing moves the answers only as another date or session id in the prompt would. "
        "That this holds was measured in simulated nights. None of it is the chance that this change does nothing."
    )
    assert of_proposal("if removing this rule lost 10 points on these 2 requests, ...") == (
        "That this holds was measured in simulated nights. None of it is the chance that this removal loses as much."
    )


@pytest.mark.parametrize("unknown", ["", "error rate unknown", "unverified"])
def test_an_unknown_rate_is_not_explained(unknown: str) -> None:
    assert of_proposal(unknown) == ""
