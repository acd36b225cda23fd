"""The report says nothing about nothing, and names models and problems as a person would."""

import pytest

from skillopt_sleep.records import Note, Outcome, SessionCounts
from skillopt_sleep.reporters.morning import render
from tests.builders import a_proposal, a_report

LOCAL = "openai:qwen3:8b@http://127.0.0.1:11434/v1"


@pytest.mark.parametrize("verdict", [Outcome.BACKEND_FAILED, Outcome.OVER_BUDGET, Outcome.INTERRUPTED])
def test_sessions_of_a_night_that_was_cut_short_are_not_called_used(verdict: Outcome) -> None:
    text = render(a_report(verdict=verdict, sessions=SessionCounts(seen=7, used=5), tasks={}))
    assert "7 files seen; 5 sessions weren't finished: run again to go on with them." in text
    assert "used" not in text.split("## Sessions")[1]
    assert "0 " not in text.split("## Sessions")[1]


def test_a_night_without_new_sessions_counts_none_of_their_requests() -> None:
    text = render(a_report(verdict=Outcome.NOTHING_NEW, sessions=SessionCounts(), tasks={"train": 0}))
    assert "None was new." in text
    assert "to ask again" not in text


def test_sessions_that_became_no_request_say_only_that() -> None:
    text = render(a_report(verdict=Outcome.NOTHING_NEW, sessions=SessionCounts(seen=1, used=1), tasks={}))
    assert "1 file seen, 1 session used. No request to ask again came of that." in text


def test_a_night_that_was_stopped_is_not_cut_short_by_a_stop() -> None:
    text = render(a_report(verdict=Outcome.INTERRUPTED, because="the night was stopped"))
    assert "The night was stopped; sessions that were unread stay unread" in text
    assert "cut short: the night" not in text


def test_models_are_named_without_their_address_until_more_is_asked_for() -> None:
    report = a_report(model=LOCAL, proposals=(a_proposal(one_model=LOCAL),))
    text = render(report)
    assert "model `qwen3:8b`" in text
    assert "one model (qwen3:8b)" in text
    assert "127.0.0.1" not in text
    assert LOCAL in render(report, verbose=True)


def test_models_of_several_roles_keep_their_roles() -> None:
    named = "optimizer anthropic:claude-x, target claude:default (2.1.0), judge openai:gpt-5@https://eu.example/v1"
    assert "model `optimizer claude-x, target claude (2.1.0), judge gpt-5`" in render(a_report(model=named))


def test_problems_are_told_without_the_name_of_the_stage_until_more_is_asked_for() -> None:
    report = a_report(errors=(Note(stage="prove", summary="a call failed"),))
    assert "Problems: a call failed." in render(report)
    assert "\n- a call failed" in render(report)
    assert "\n- prove: a call failed" in render(report, verbose=True)


def test_a_night_that_learned_nothing_says_why_though_earlier_proposals_wait() -> None:
    report = a_report(verdict=Outcome.NOTHING_NEW, because="no corrected request found in 3 sessions", proposals=())
    text = render(report, ["P-0001"])
    assert "No corrected request found in 3 sessions" in text
