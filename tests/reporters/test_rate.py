"""One plain sentence says what a night's error rate is of, and only where it is known."""

import pytest
from msgspec.structs import replace

from skillopt_sleep.learning.gate import of_tonight
from skillopt_sleep.records import StepOutcome
from skillopt_sleep.reporters.rate import OF_NIGHTS, of_night, of_proposal
from tests.builders import a_trial
from tests.reporters.reports import improved


def accepted(rule: str = "sequential, mixed", *, margin: float = 0.0) -> StepOutcome:
    outcome = improved()
    trial = replace(outcome.trial, margin=margin)
    return replace(outcome, verdict=replace(outcome.verdict, rule=rule), trial=trial)


def test_of_a_night_it_says_what_was_measured_how_and_on_what_it_rests() -> None:
    assert of_night([accepted()]) == OF_NIGHTS
    assert "no rule could help" in OF_NIGHTS
    assert "simulated nights" in OF_NIGHTS
    assert "this judge's" in OF_NIGHTS
    assert "if the model answers afresh each time" in OF_NIGHTS


@pytest.mark.parametrize(
    "outcome",
    [accepted("strict, mixed"), accepted("greedy, mixed"), accepted(margin=0.1)],
    ids=["strict", "greedy", "a removal"],
)
def test_where_no_such_rate_is_known_none_is_named(outcome: StepOutcome) -> None:
    assert of_night([outcome]) == ""
    assert of_night([outcome, accepted()]) == OF_NIGHTS


def test_beside_a_proposal_of_rules_it_is_said_where_the_rate_was_measured_and_beside_a_removal_nothing() -> None:
    claim = of_tonight(a_trial((0, 1), (0, 1), (0, 1)), 0.05)

    assert of_proposal(claim) == OF_NIGHTS
    assert of_proposal("if removing it lost 10 points, the chance of that was at most 5 %") == ""


@pytest.mark.parametrize("unknown", ["", "error rate unknown", "unverified"])
def test_an_unknown_rate_is_not_explained(unknown: str) -> None:
    assert of_proposal(unknown) == ""
