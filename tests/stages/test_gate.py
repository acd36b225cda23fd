"""The gate accepts what is better on unseen tasks, and nothing else."""

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.records import Decision, GateRule, Metric, Pair, Score, Trial
from skillopt_sleep.stages.gate import UNKNOWN, gate, measure

RULE = GateRule()
shares = st.floats(min_value=0, max_value=1)

TABLE = {
    "a better candidate is accepted": (0.25, 0.75, Decision.ACCEPT),
    "a worse candidate is rejected": (0.75, 0.25, Decision.REJECT),
    "a tie is rejected": (0.5, 0.5, Decision.REJECT),
    "a tie at nothing is rejected": (0.0, 0.0, Decision.REJECT),
    "a tie at everything is rejected": (1.0, 1.0, Decision.REJECT),
    "the smallest gain is a gain": (0.5, 0.5 + 1e-9, Decision.ACCEPT),
    "the smallest loss is a loss": (0.5, 0.5 - 1e-9, Decision.REJECT),
    "from nothing to everything": (0.0, 1.0, Decision.ACCEPT),
    "from everything to nothing": (1.0, 0.0, Decision.REJECT),
}


def a_trial(before: float | None, after: float | None, *, rounds: int = 1) -> Trial:
    if before is None or after is None:
        return Trial(rounds=rounds, before=before, after=after, unpaired=2, calls=4)
    pair = Pair(task="t1", sample=0, before=before, after=after)
    return Trial(pairs=(pair,), rounds=rounds, before=before, after=after, calls=2)


@pytest.mark.parametrize(("before", "after", "decision"), TABLE.values(), ids=TABLE)
def test_the_means_decide(before: float, after: float, decision: Decision) -> None:
    verdict = gate(a_trial(before, after), RULE)

    assert verdict is not None
    assert verdict.decision is decision


@given(shares, shares)
def test_it_accepts_exactly_if_the_candidate_is_better(before: float, after: float) -> None:
    verdict = gate(a_trial(before, after), RULE)

    assert verdict is not None
    assert (verdict.decision is Decision.ACCEPT) == (after > before)
    assert verdict.decision in {Decision.ACCEPT, Decision.REJECT}


@pytest.mark.parametrize(("before", "after"), [(None, None), (0.5, None), (None, 0.5)])
def test_a_trial_without_a_scored_pair_is_no_evidence(before: float | None, after: float | None) -> None:
    verdict = gate(a_trial(before, after), RULE)

    assert verdict is not None
    assert verdict.decision is Decision.ABSTAIN
    assert "no unseen task could be scored" in verdict.reason


@pytest.mark.parametrize("done", [0, 1, 2])
@pytest.mark.parametrize(("before", "after"), [(0.0, 1.0), (1.0, 0.0), (None, None)])
def test_before_its_last_round_the_rule_wants_another_one(
    done: int, before: float | None, after: float | None
) -> None:
    assert gate(a_trial(before, after, rounds=done), GateRule(rounds=3)) is None


def test_after_its_last_round_it_decides() -> None:
    assert gate(a_trial(0.0, 1.0, rounds=3), GateRule(rounds=3)) is not None


def test_the_reason_says_before_after_and_how_many() -> None:
    verdict = gate(a_trial(0.25, 0.75), RULE)

    assert verdict is not None
    assert "0.25 → 0.75 on unseen tasks (n=1)" in verdict.reason


@pytest.mark.parametrize(("after", "word"), [(0.75, "better:"), (0.25, "worse:"), (0.5, "no better:")])
def test_the_reason_begins_with_what_it_was(after: float, word: str) -> None:
    verdict = gate(a_trial(0.5, after), RULE)

    assert verdict is not None
    assert verdict.reason.startswith(word)


def test_the_rule_is_named_and_its_error_rate_is_unknown() -> None:
    for trial in (a_trial(0.0, 1.0), a_trial(1.0, 0.0), a_trial(None, None)):
        verdict = gate(trial, GateRule(metric=Metric.HARD))

        assert verdict is not None
        assert verdict.rule == "strict, hard"
        assert verdict.error_rate == UNKNOWN == "error rate unknown"


@pytest.mark.parametrize(
    ("metric", "weight", "number"),
    [
        (Metric.HARD, 0.5, 1.0),
        (Metric.SOFT, 0.5, 0.2),
        (Metric.MIXED, 0.5, 0.6),
        (Metric.MIXED, 0.0, 1.0),
        (Metric.MIXED, 1.0, 0.2),
        (Metric.MIXED, 0.25, 0.8),
    ],
)
def test_the_metric_says_which_score_is_compared(metric: Metric, weight: float, number: float) -> None:
    assert measure(Score(hard=1.0, soft=0.2), GateRule(metric=metric, mixed_weight=weight)) == pytest.approx(number)


@given(shares, shares, shares, st.sampled_from(Metric))
def test_what_is_compared_stays_a_share(hard: float, soft: float, weight: float, metric: Metric) -> None:
    number = measure(Score(hard=hard, soft=soft), GateRule(metric=metric, mixed_weight=weight))

    assert -1e-9 <= number <= 1 + 1e-9
