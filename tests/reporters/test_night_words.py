"""Each fact of a night is one true sentence: its sessions, its judge, its error rate, its cost, its errors, its noise."""

import random
import statistics

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from skillopt_sleep.learning.gate import of_tonight
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Judged,
    JudgeReading,
    Note,
    Outcome,
    Pair,
    SessionCounts,
    Spend,
    StepOutcome,
    Trial,
    Verdict,
)
from skillopt_sleep.reporters.night_words import (
    OF_NIGHTS,
    cost_in_full,
    cost_in_short,
    judge_in_words,
    noise_floor,
    noise_in_words,
    noted,
    of_night,
    of_proposal,
    sessions_in_words,
    trouble,
)
from tests.builders import a_report, a_trial, an_edit, an_outcome, changed
from tests.reporters.reports import WHOLE, improved

WENT_WRONG = Note(stage="mine", summary="one call failed", remedy="try again")
LEFT_OUT = Note(stage="mine", summary="said for once", expected=True)


def test_errors_come_before_what_a_rule_left_out() -> None:
    report = a_report(errors=(LEFT_OUT, WENT_WRONG))
    assert noted(report) == [("Errors", (WENT_WRONG,)), ("Left out", (LEFT_OUT,))]
    assert noted(a_report(errors=(LEFT_OUT,))) == [("Left out", (LEFT_OUT,))]
    assert noted(a_report()) == []


def test_what_cut_the_night_short_is_not_told_again() -> None:
    cause = Note(stage="night", summary="the key was refused.")
    report = a_report(verdict=Outcome.BACKEND_FAILED, because="the key was refused", errors=(cause, WENT_WRONG))
    assert trouble(report) == (WENT_WRONG,)
    assert trouble(a_report(because="the key was refused", errors=(cause,))) == (cause,)


def test_a_judge_that_was_right_is_told_in_numbers() -> None:
    assert judge_in_words(JudgeReading(right=16, n=16)) == (
        "We gave the judge 16 answers whose grade we know; it got 16 right."
    )


def test_a_judge_that_decides_nothing_says_why() -> None:
    assert judge_in_words(JudgeReading(because="it pays for length")).endswith("tonight: it pays for length.")
    said = judge_in_words(JudgeReading(right=9, n=16, because="no better than a coin"))
    assert "it got 9 right" in said
    assert "decides nothing tonight: no better than a coin." in said


def test_what_waits_for_another_judge_is_counted() -> None:
    failed = JudgeReading(right=8, n=16, because="no better than a coin", untried=3)
    assert judge_in_words(failed).endswith(
        "no better than a coin; left for another night: 3 requests that only it can grade."
    )


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


@pytest.mark.parametrize("verdict", [Outcome.BACKEND_FAILED, Outcome.OVER_BUDGET, Outcome.INTERRUPTED])
def test_sessions_of_a_night_that_was_cut_short_are_not_called_used(verdict: Outcome) -> None:
    said = sessions_in_words(a_report(verdict=verdict, sessions=SessionCounts(seen=7, used=5), tasks={}))
    assert said == "7 files seen; 5 sessions weren't finished: run again to go on with them."


def test_sessions_and_requests_are_counted_without_counts_of_nothing() -> None:
    none = a_report(verdict=Outcome.NOTHING_NEW, sessions=SessionCounts(), tasks={"train": 0})
    assert sessions_in_words(none) == "None was new."
    one = a_report(verdict=Outcome.NOTHING_NEW, sessions=SessionCounts(seen=1, used=1), tasks={})
    assert sessions_in_words(one) == "1 file seen, 1 session used. No request to ask again came of that."
    waits = "2 requests to ask again: 1 to learn from, 0 to decide with, 0 kept back, 1 waiting for a second session."
    assert sessions_in_words(a_report(tasks={"train": 1, "waiting": 1})) == f"None was new. {waits}"
    assert sessions_in_words(WHOLE).startswith(
        "9 files seen, 6 sessions used; left out: 2 started by a program, 1 still active. 7 requests to ask again: "
    )


def test_what_a_night_cost_is_told_in_short_and_in_full() -> None:
    assert cost_in_short(WHOLE) == "The night took 41 calls (limit 300), $0.50."
    assert cost_in_full(WHOLE) == "41 calls (limit 300), 12,345 tokens, $0.50, 75 s; model `m`."


def test_a_night_that_was_resumed_tells_no_time_as_nobody_knows_how_long_it_lay_still() -> None:
    assert cost_in_full(changed(WHOLE, resumed=True)) == "41 calls (limit 300), 12,345 tokens, $0.50; model `m`."


def test_what_is_unknown_is_called_unknown_and_never_nothing() -> None:
    unknown = a_report(spend=Spend(calls=3, tokens=None, usd=None))
    assert "an unknown number of tokens, dollars unknown" in cost_in_full(unknown)
    assert "dollars unknown" in cost_in_short(unknown)
    assert "$0.00" in cost_in_short(a_report(spend=Spend(calls=1, usd=0.0)))


def test_models_of_several_roles_keep_their_roles_but_not_their_address() -> None:
    named = "optimizer anthropic:claude-x, target claude:default (2.1.0), judge openai:gpt-5@https://eu.example/v1"
    said = cost_in_full(a_report(model=named))
    assert "model `optimizer claude-x, target claude (2.1.0), judge gpt-5`" in said


grades = st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=6), max_size=5)


def an_outcome_of(before: list[list[float]]) -> StepOutcome:
    pairs = tuple(
        Pair(task=f"v{task}", session="s", sample=sample, before=grade, after=1.0)
        for task, samples in enumerate(before)
        for sample, grade in enumerate(samples)
    )
    verdict = Verdict(decision=Decision.REJECT, reason="so it was")
    tested = Judged(kind=CandidateKind.RULE, edits=(an_edit(),), trial=Trial(pairs=pairs), verdict=verdict)
    return an_outcome(tested=(tested,))


@given(grades)
def test_it_counts_only_what_was_repeated_and_looks_at_baselines_only(before: list[list[float]]) -> None:
    found = noise_floor([an_outcome_of(before)])

    repeated = [samples for samples in before if len(samples) > 1]
    if not repeated:
        assert found is None
        assert noise_in_words(found) == ""
        return
    assert found is not None
    assert (found.n, found.tasks) == (sum(map(len, repeated)), len(repeated))
    assert 0 <= found.spread <= 1
    assert f"n={found.n}" in noise_in_words(found) or f"All {found.n}" in noise_in_words(found)


def test_differences_between_tasks_are_no_noise() -> None:
    found = noise_floor([an_outcome_of([[0.0, 0.0], [1.0, 1.0]])])

    assert found is not None
    assert found.spread == 0.0


def test_it_finds_the_noise_of_a_judge() -> None:
    draw = random.Random(1)
    before = [[float(draw.random() < 0.5) for _ in range(8)] for _ in range(200)]

    found = noise_floor([an_outcome_of(before)])

    assert found is not None
    assert abs(found.spread - statistics.pstdev([0, 1])) < 0.02


def test_two_documents_are_put_together() -> None:
    one = an_outcome_of([[0.0, 1.0]])
    other = replace(one, document=replace(one.document, id="other"))

    found = noise_floor([one, other])

    assert found is not None
    assert (found.n, found.tasks) == (4, 2)
