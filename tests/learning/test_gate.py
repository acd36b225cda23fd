"""The gate accepts what is proved to be better on unseen tasks, and nothing else."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from skillopt_sleep.learning.gate import (
    FAR,
    NO_LOSS_PAIRS,
    REPEATS,
    gate,
    of_tonight,
    sessions_gained,
    sessions_needed,
)
from skillopt_sleep.learning.pairs import measure
from skillopt_sleep.learning.statistics import STAKES, bet, lifted, start
from skillopt_sleep.records import UNKNOWN, UNVERIFIED, Decision, GateRule, Lost, Metric, Pair, Score, Trial, Verdict

RULE = GateRule()
STRICT = GateRule(name="strict")
shares = st.floats(min_value=0, max_value=1)


def a_trial(gains: Mapping[str, Sequence[float]] | None = None, *, sessions: Any = None, **fields: Any) -> Trial:
    """A trial of these gains by task, one after each round; every task is of a session of its own.

    A task's name begins with its lesson.
    """
    pairs = tuple(
        Pair(
            task=task,
            lesson=task[:1],
            session=(sessions or {}).get(task, task),
            sample=sample,
            before=max(0.0, -gain),
            after=max(0.0, gain),
        )
        for task, own in (gains or {}).items()
        for sample, gain in enumerate(own)
    )
    wealth = bet(start(STAKES), [pair.gain for pair in pairs])
    rounds = max((pair.sample + 1 for pair in pairs), default=1)
    values: dict[str, Any] = {
        "pairs": pairs,
        "rounds": rounds,
        "wealth": wealth,
    }
    return Trial(**(values | fields))


def tasks(count: int, *gains: float) -> dict[str, Sequence[float]]:
    return {f"t{i}": gains for i in range(count)}


def said(trial: Trial, rule: GateRule = RULE, *, last: bool = True) -> Verdict:
    verdict = gate(trial, rule, last=last)
    assert verdict is not None
    return verdict


# sequential ---------------------------------------------------------------------------------------------


def test_it_accepts_as_soon_as_the_bet_is_won() -> None:
    assert gate(a_trial(tasks(4, 1)), RULE, last=False) is None
    assert said(a_trial(tasks(7, 1)), last=False).decision is Decision.ACCEPT


def test_what_wins_nothing_is_not_accepted_however_often_it_is_asked() -> None:
    assert said(a_trial(tasks(7, 1, -1, 1, -1, 1))).decision is Decision.REJECT


@given(st.dictionaries(st.text(max_size=2), st.lists(st.floats(-1, 1), min_size=1, max_size=6), max_size=8))
def test_nothing_is_accepted_below_its_bound(gains: dict[str, list[float]]) -> None:
    trial = a_trial(gains)
    verdict = gate(trial, RULE, last=True)

    assert verdict is not None
    if verdict.decision is Decision.ACCEPT:
        assert (trial.evidence or 0) >= 20
        assert sum(sum(own) > 0 for own in gains.values()) >= 2


def test_a_smaller_share_of_the_error_rate_asks_for_more() -> None:
    trial = a_trial(tasks(6, 1))

    assert gate(trial, RULE, last=False) is not None
    assert gate(trial, GateRule(alpha=0.01), last=False) is None


@pytest.mark.parametrize("gain", [0.0, -0.01, -1.0])
def test_without_a_gain_after_two_rounds_it_is_given_up(gain: float) -> None:
    verdict = said(a_trial(tasks(3, gain, gain)), last=False)

    assert verdict.decision is Decision.REJECT


def test_what_is_clearly_worse_is_given_up_after_one_round() -> None:
    assert said(a_trial(tasks(3, -1)), last=False).decision is Decision.REJECT
    assert gate(a_trial({"a": [-1], "b": [1], "c": [0]}), RULE, last=False) is None


def test_what_is_not_proved_at_the_end_is_undecided_and_says_what_would_settle_it() -> None:
    verdict = said(a_trial(tasks(3, 1)))

    assert verdict.decision is Decision.UNDECIDED
    assert (
        "better: grade 0.00 → 1.00 on unseen requests (3 tries); about 4 more tries like these would decide it"
        in verdict.reason
    )


@pytest.mark.parametrize(
    "gains", [tasks(5, 1, -1, 1, -1, 0) | {"u": [1, 0, 0, 0, 0]}, tasks(8, 0.02)], ids=["never", "in 209 pairs"]
)
def test_a_gain_too_small_to_be_proved_in_some_nights_is_not_waited_for(gains: dict[str, list[float]]) -> None:
    verdict = said(a_trial(gains))

    assert verdict.decision is Decision.REJECT
    assert f"by too little to be proved within {FAR} more pairs" in verdict.reason


def test_gains_in_one_session_only_prove_nothing_about_others() -> None:
    sessions = dict.fromkeys(tasks(7), "s1")

    alone = said(a_trial(tasks(7, 1), sessions=sessions), last=False)
    assert alone.decision is Decision.UNDECIDED
    assert "all of one session" in alone.reason

    among = a_trial({**tasks(7, 1), "other": [0]}, sessions=sessions)
    assert gate(among, RULE, last=False) is None
    assert said(among).decision is Decision.UNDECIDED
    assert said(among).reason.endswith("but in 1 of 2 sessions, where it takes 2")


def test_several_gaining_tasks_of_two_sessions_are_enough() -> None:
    sessions = {f"t{i}": f"s{i % 2}" for i in range(7)}

    assert said(a_trial(tasks(7, 1), sessions=sessions)).decision is Decision.ACCEPT


def test_a_task_that_got_worse_beyond_noise_blocks() -> None:
    trial = a_trial({**tasks(6, 1, 1, 1, 1), "harmed": [-1, -1, -1, -1]})

    assert gate(trial, RULE, last=False) is None
    assert said(trial).decision is Decision.REJECT
    assert "but 1 task of 7 got worse" in said(trial).reason
    assert said(trial, GateRule(non_regression=False)).decision is Decision.ACCEPT


@pytest.mark.parametrize("losses", [[-1], [-1, -1, 0, 1], [-0.01] * 4])
def test_a_task_that_got_worse_within_noise_or_by_next_to_nothing_does_not_block(losses: list[float]) -> None:
    assert said(a_trial({**tasks(6, 1, 1, 1, 1), "unlucky": losses})).decision is Decision.ACCEPT


def test_a_gain_that_is_not_worth_an_edit_is_rejected_by_name() -> None:
    trial = a_trial(tasks(9, *[0.04] * 12))

    assert gate(trial, RULE, last=False) is None
    assert said(trial).decision is Decision.REJECT
    assert "by less than min_effect = 0.05" in said(trial).reason
    assert said(trial, GateRule(min_effect=0.01)).decision is Decision.ACCEPT


@pytest.mark.parametrize(("before", "after"), [(4, 0), (0, 4), (6, 1), (9, 1)])
def test_failures_that_hit_one_version_more_than_the_other_make_the_trial_void(before: int, after: int) -> None:
    verdict = said(a_trial(tasks(7, 1), lost=Lost(before=before, after=after)), last=False)

    assert verdict.decision is Decision.ABSTAIN
    assert f"the trial is void: {before} attempts under the old version and {after} under the new" in verdict.reason


@pytest.mark.parametrize(("before", "after"), [(0, 0), (3, 0), (0, 3), (5, 1), (30, 30)])
def test_failures_that_hit_both_alike_do_not(before: int, after: int) -> None:
    assert said(a_trial(tasks(7, 1), lost=Lost(before=before, after=after))).decision is Decision.ACCEPT


def test_its_error_rate_is_named() -> None:
    assert said(a_trial(tasks(7, 1))).rule == "sequential, mixed"
    assert said(a_trial(tasks(7, 1))).error_rate == (
        "the chance of accepting it if it does nothing was at most 5 % (this judge, these requests)"
    )
    assert "at most 1.67 % " in said(a_trial(tasks(9, 1)), GateRule(alpha=0.05 / 3)).error_rate
    assert "at most 1 % " in said(a_trial(tasks(9, 1), alpha=0.01), GateRule()).error_rate


def test_what_a_night_proposes_says_the_nights_rate_and_in_how_many_sessions_it_helped() -> None:
    said_of_four = of_tonight(a_trial({**tasks(3, 1), "u": [0]}), 0.05)

    assert said_of_four == (
        "the chance that the night proposed any rule that does nothing was at most 5 % (this judge, these requests);"
        " this one helped in 3 of 4 sessions"
    )
    assert of_tonight(a_trial(tasks(2, 1)), 0.05).endswith(f"this one helped in 2 of 2 sessions; {REPEATS}")


# how many rules a night tries ---------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "proven"), [(1, 0), (3, 0), (3, 1), (3, 2), (12, 4)])
def test_with_r_of_k_rules_proven_another_needs_an_evidence_of_k_less_r_over_alpha(rules: int, proven: int) -> None:
    left = rules - proven
    share = RULE.alpha / left

    def worth(evidence: float) -> Trial:
        return a_trial(tasks(9, 1), lessons=("t",), wealth=(math.log(evidence),) * 3)

    assert said(worth(left / RULE.alpha + 1e-6), replace(RULE, alpha=share)).decision is Decision.ACCEPT
    assert said(worth(left / RULE.alpha - 1e-6), replace(RULE, alpha=share)).decision is Decision.UNDECIDED


def test_a_trial_keeps_the_share_it_was_born_with() -> None:
    trial = a_trial(tasks(7, 1), alpha=0.001)

    assert said(trial, GateRule(alpha=0.05)).decision is Decision.UNDECIDED
    assert said(replace(trial, alpha=None), GateRule(alpha=0.05)).decision is Decision.ACCEPT


# breadth ------------------------------------------------------------------------------------------------

NEEDED = {2: 2, 3: 3, 4: 3, 5: 4, 6: 4, 7: 5, 8: 5, 9: 6, 10: 6, 11: 7, 12: 7, 13: 8, 14: 8}


@pytest.mark.parametrize(("n", "needed"), NEEDED.items())
def test_a_rule_must_gain_in_more_than_half_of_its_sessions_and_in_two_at_least(n: int, needed: int) -> None:
    def gains_in(count: int) -> Trial:
        gains = {f"a{i}": [1.0 if i < count else 0.0] * 8 for i in range(n)}
        return a_trial(gains, lessons=("a",), wealth=(9.0,) * 3)

    enough, too_few = gains_in(needed), gains_in(needed - 1)

    assert (sessions_gained(enough), sessions_needed(enough)) == ((needed, n), needed)
    assert said(enough).decision is Decision.ACCEPT
    assert gate(too_few, RULE, last=False) is None
    verdict = said(too_few)
    assert (verdict.decision, verdict.early) == (Decision.UNDECIDED, False)
    assert verdict.reason.endswith(f"but in {needed - 1} of {n} sessions, where it takes {needed}")


def test_a_session_gains_if_its_tasks_do_on_the_whole() -> None:
    sessions = {"a1": "s1", "a2": "s1", "a3": "s2", "a4": "s3"}
    trial = a_trial({"a1": [1, 1], "a2": [-1, 0], "a3": [1, -1], "a4": [0, 1]}, sessions=sessions, lessons=("a",))

    assert sessions_gained(trial) == (2, 3)


def test_gains_of_other_lessons_do_not_count_as_breadth() -> None:
    trial = a_trial({"a1": [1] * 8, "b1": [1] * 8}, lessons=("a",))

    assert said(trial).decision is Decision.UNDECIDED


def test_proven_on_one_session_is_early_and_needs_another_session() -> None:
    verdict = said(a_trial({"a1": [1] * 6}, lessons=("a",)), last=False)

    assert (verdict.decision, verdict.early) == (Decision.UNDECIDED, True)
    assert verdict.reason.endswith("(6 tries at 1 request), proven on one of the two sessions it takes")


def test_an_early_rule_claims_the_rate_that_early_rules_have_and_not_its_share_of_the_nights() -> None:
    trial = replace(a_trial({"a1": [1] * 6}, lessons=("a",)), alpha=0.01)
    verdict = said(trial)
    assert verdict.early
    assert "was at most 5 %" in verdict.error_rate


def test_what_is_not_proven_on_its_one_session_goes_on_and_is_not_early() -> None:
    trial = a_trial({"a1": [1] * 5}, lessons=("a",))

    assert gate(trial, RULE, last=False) is None
    assert (said(trial).decision, said(trial).early) == (Decision.UNDECIDED, False)
    assert "another one can prove it" in said(trial).reason
    assert said(a_trial({"a1": [0, 0]}, lessons=("a",)), last=False).decision is Decision.REJECT


def test_what_makes_another_task_worse_is_not_early() -> None:
    trial = a_trial({"a1": [1] * 8, "b1": [-1] * 4}, lessons=("a",), wealth=(9.0,) * 3)

    assert not said(trial).early


def test_the_numbers_are_those_of_its_own_lessons() -> None:
    gains = {"a1": [1] * 4, "a2": [1] * 4, "b1": [0] * 4, "b2": [0, -0.1, 0, 0]}
    trial = a_trial(gains, lessons=("a",))

    assert said(trial).reason == "better: grade 0.00 → 1.00 on unseen requests (8 tries at 2 requests)"


# all rules ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sequential", "strict"])
def test_a_trial_without_a_scored_pair_is_no_evidence(name: Any) -> None:
    verdict = said(a_trial(lost=Lost(both=2)), GateRule(name=name), last=name == "strict")

    assert verdict.decision is Decision.ABSTAIN
    assert "no unseen task could be scored" in verdict.reason


@pytest.mark.parametrize("name", ["sequential", "strict"])
def test_before_the_first_round_the_rule_wants_one_unless_there_is_none(name: Any) -> None:
    assert gate(Trial(), GateRule(name=name), last=False) is None
    assert said(Trial(), GateRule(name=name)).decision is Decision.ABSTAIN


@pytest.mark.parametrize(("tried", "word"), [(2, "lower:"), (7, "worse:")])
def test_worse_is_said_only_of_what_is_shown_to_be(tried: int, word: str) -> None:
    verdict = said(a_trial(tasks(tried, -1.0)))

    assert (verdict.decision, verdict.reason[:6]) == (Decision.REJECT, word)


# strict -------------------------------------------------------------------------------------------------

TABLE = {
    "a better candidate is accepted": (0.5, "better:", Decision.ACCEPT),
    "a worse candidate is rejected": (-0.5, "lower:", Decision.REJECT),
    "a tie is rejected": (0.0, "no better:", Decision.REJECT),
    "the smallest gain is a gain": (1e-9, "better:", Decision.ACCEPT),
    "the smallest loss is a loss": (-1e-9, "lower:", Decision.REJECT),
    "from nothing to everything": (1.0, "better:", Decision.ACCEPT),
    "from everything to nothing": (-1.0, "lower:", Decision.REJECT),
}


@pytest.mark.parametrize(("gain", "word", "decision"), TABLE.values(), ids=TABLE)
def test_strictly_the_means_decide(gain: float, word: str, decision: Decision) -> None:
    verdict = said(a_trial({"t": [gain]}), STRICT)

    assert verdict.decision is decision
    assert verdict.reason.startswith(word)
    assert verdict.reason.endswith("on unseen requests (1 try)")


def test_the_strict_rule_reads_nothing_before_its_last_round() -> None:
    assert gate(a_trial(tasks(7, 1)), STRICT, last=False) is None


def test_the_strict_rule_is_named_and_its_error_rate_is_unknown() -> None:
    for trial in (a_trial(tasks(1, 1)), a_trial(tasks(1, -1)), a_trial()):
        verdict = said(trial, GateRule(name="strict", metric=Metric.HARD))

        assert verdict.rule == "strict, hard"
        assert verdict.error_rate == UNKNOWN == "error rate unknown"


# greedy -------------------------------------------------------------------------------------------------


def test_the_greedy_rule_accepts_without_a_trial_and_is_called_unverified() -> None:
    verdict = said(Trial(), GateRule(name="greedy"), last=False)

    assert (verdict.decision, verdict.error_rate) == (Decision.ACCEPT, UNVERIFIED)
    assert verdict.reason == "applied without a test"


# the metric ---------------------------------------------------------------------------------------------


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


# no worse -----------------------------------------------------------------------------------------------

NO_WORSE = GateRule(margin=0.05)


def a_removal(gains: Mapping[str, Sequence[float]], **fields: Any) -> Trial:
    """A trial whose candidate need not be better."""
    wealth = bet(start(STAKES), [lifted(gain, NO_WORSE.margin) for own in gains.values() for gain in own])
    return a_trial(gains, **({"wealth": wealth, "margin": NO_WORSE.margin} | fields))


def test_with_a_margin_it_is_enough_to_be_no_worse() -> None:
    verdict = said(a_removal(tasks(6, *[0.0] * 15)), NO_WORSE)

    assert (verdict.decision, verdict.reason) == (
        Decision.ACCEPT,
        "no worse: grade 0.00 → 0.00 on unseen requests (90 tries at 6 requests)",
    )
    assert verdict.error_rate.startswith("if removing it lost 5 points, the chance of that was at most 5 %")
    assert said(a_trial(tasks(6, *[0.0] * 15))).decision is Decision.REJECT


def test_a_few_attempts_that_are_no_worse_prove_nothing() -> None:
    assert gate(a_removal(tasks(6, 0.0, 0.0)), NO_WORSE, last=False) is None
    assert said(a_removal(tasks(6, 0.0, 0.0)), NO_WORSE).decision is Decision.UNDECIDED


def test_what_loses_more_than_the_margin_is_dropped_early() -> None:
    verdict = said(a_removal(tasks(6, 0.0, -0.4)), NO_WORSE, last=False)

    assert (verdict.decision, verdict.reason[:6]) == (Decision.REJECT, "lower:")


def test_a_bad_round_or_two_do_not_end_a_removal() -> None:
    assert gate(a_removal(tasks(6, -1.0)), NO_WORSE, last=False) is None
    some_lost = {**tasks(4, 0.0, 0.0), "u": [-1.0, 0.0], "v": [0.0, -1.0]}
    assert gate(a_removal(some_lost), NO_WORSE, last=False) is None
    assert said(a_removal({**some_lost, "w": [-1.0, -1.0, -1.0]}), NO_WORSE, last=False).decision is Decision.REJECT


def test_a_removal_that_had_bad_luck_tonight_goes_on_another_night() -> None:
    unlucky = {**tasks(4, *[0.0] * 8), "u": [-1.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0]}
    verdict = said(a_removal(unlucky), NO_WORSE)

    assert verdict.decision is Decision.UNDECIDED
    assert f"about {NO_LOSS_PAIRS - 40} more tries like these would decide it" in verdict.reason


def test_a_removal_that_many_pairs_did_not_prove_is_rejected() -> None:
    wavering = [0.0, -1.0, 0.0, 1.0]
    pairs = NO_LOSS_PAIRS // len(wavering)

    assert gate(a_removal(tasks(pairs - 1, *wavering)), NO_WORSE, last=False) is None
    assert said(a_removal(tasks(pairs, *wavering)), NO_WORSE, last=False).decision is Decision.REJECT


def test_of_the_many_tasks_of_a_removal_one_may_get_worse_by_chance() -> None:
    gains = {**tasks(30, *[0.0] * 15), "hit": [-0.4] * 5 + [0.4] + [0.0] * 9}

    assert said(a_removal(gains), NO_WORSE).decision is Decision.ACCEPT


def test_no_worse_must_be_seen_in_two_sessions() -> None:
    sessions = {f"t{i}": "s" for i in range(6)}

    assert said(a_removal(tasks(6, *[0.0] * 15), sessions=sessions), NO_WORSE).decision is Decision.UNDECIDED


def test_no_single_task_may_pay_for_a_shorter_document() -> None:
    gains = {**tasks(30, *[0.0] * 15), "hit": [-0.3] * 15}
    trial = a_removal(gains)

    assert (trial.evidence or 0) >= 20
    assert said(trial, NO_WORSE).reason.endswith("but 1 task of 31 got worse")


# attempts that end by themselves ------------------------------------------------------------------------


def ended(count: int, *, before: float = 1.0, margin: float = 0.0) -> Trial:
    """A round in which every attempt under the new version ended by itself without an answer."""
    lost = tuple(
        Pair(task=f"t{n}", session=f"s{n}", sample=0, before=before, after=0.0, answers=("", ""))
        for n in range(count)
    )
    wealth = bet(start(STAKES), [pair.gain for pair in lost])
    return Trial(
        lost_attempts=lost,
        lost=Lost(after=count),
        rounds=1,
        wealth=wealth,
        margin=margin,
    )


@pytest.mark.parametrize("count", [2, 4, 9])
def test_a_version_under_which_no_attempt_ends_with_an_answer_is_rejected(count: int) -> None:
    verdict = gate(ended(count), GateRule(), last=False)

    assert verdict is not None
    assert verdict.decision is Decision.REJECT
    assert "no attempt under the new version ended with an answer" in verdict.reason


def test_where_the_old_version_fails_too_nothing_is_shown_by_that() -> None:
    verdict = gate(ended(4, before=0.0), GateRule(), last=False)

    assert verdict is not None
    assert verdict.decision is Decision.ABSTAIN


def test_attempts_that_the_candidate_lost_by_itself_are_in_the_bet_and_void_nothing() -> None:
    lost = tuple(
        Pair(task=f"x{n}", session=f"x{n}", sample=0, before=1.0, after=0.0, answers=("", "")) for n in range(6)
    )
    by_itself = a_trial(tasks(9, 1), lost=Lost(after=6), lost_attempts=lost)
    outages = a_trial(tasks(9, 1), lost=Lost(after=6), lost_attempts=lost[:2])

    assert said(by_itself).decision is not Decision.ABSTAIN
    assert said(outages).decision is Decision.ABSTAIN
