"""The sentence about the error rate says what it is of: this change, on these requests, by this judge."""

import re

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.learning.claim import error_rate
from skillopt_sleep.records import GateRule, Pair, Trial


def a_trial(tasks: int, *, rounds: int = 1, bystanders: int = 0) -> Trial:
    own = [
        Pair(task=f"v{n}", lesson="own", session=f"s{n}", sample=sample, before=0.0, after=1.0)
        for n in range(tasks)
        for sample in range(rounds)
    ]
    others = [
        Pair(task=f"b{n}", lesson=f"l{n}", session=f"t{n}", sample=0, before=1.0, after=1.0)
        for n in range(bystanders)
    ]
    return Trial(lessons=(("own",),), pairs=(*own, *others), rounds=rounds)


def test_it_is_one_sentence_about_this_change_these_requests_and_this_judge() -> None:
    assert error_rate(a_trial(4), GateRule(alpha=0.03, together=0.05)) == (
        "if this change did nothing for these 4 requests, the chance of accepting it was at most 3 %, and for all "
        "changes of one night together 5 %; this is about these verdicts"
    )


@given(
    st.integers(1, 9),
    st.integers(1, 5),
    st.integers(0, 5),
    st.floats(0.0005, 0.05),
    st.sampled_from((0.05, 0.1, 0.2)),
)
def test_it_counts_own_requests_once_each_and_never_mixes_up_the_two_rates(
    tasks: int, rounds: int, bystanders: int, alpha: float, together: float
) -> None:
    trial = a_trial(tasks, rounds=rounds, bystanders=bystanders)

    said = error_rate(trial, GateRule(alpha=alpha, together=together))

    count = re.search(r"(?:these|this) (\d+) request", said)
    assert count is not None
    assert int(count[1]) == tasks
    assert f"at most {100 * alpha:.3g} %, " in said
    assert f"together {100 * together:.3g} %;" in said


def test_a_rule_that_is_no_part_of_a_night_names_its_own_share_only() -> None:
    assert "night" not in error_rate(a_trial(4), GateRule(alpha=0.01))


def test_a_removal_says_what_it_would_have_lost() -> None:
    said = error_rate(a_trial(2), GateRule(alpha=0.05, together=0.05, margin=0.1))

    assert said.startswith("if removing this rule lost 10 points on these 2 requests, the chance of removing it was")
    assert "all removals of one night together 5 %" in said


@pytest.mark.parametrize(("rule", "said"), [("strict", "error rate unknown"), ("greedy", "unverified")])
def test_a_rule_without_a_known_rate_claims_none(rule: str, said: str) -> None:
    assert error_rate(a_trial(4), GateRule(name=rule)) == said  # pyright: ignore[reportArgumentType]
