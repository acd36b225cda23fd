"""What a report says of a night is so, in words that a person uses."""

import pytest

from skillopt_sleep.records import (
    BECAME,
    NEXT_STEPS,
    Became,
    Correction,
    Corrections,
    JudgeReading,
    NightReport,
    Outcome,
    SessionCounts,
)
from skillopt_sleep.reporters.morning import render
from skillopt_sleep.reporters.page import render as page
from tests.builders import a_proposal, a_report, an_outcome

UNFINISHED = Corrections(
    counts={"not_reached": 2},
    listed=(Correction(session="s", turn=2, quote="pnpm!", became=Became.NOT_REACHED, document="web:CLAUDE.md"),),
)
CUT_SHORT = a_report(
    verdict=Outcome.OVER_BUDGET,
    because="300 calls were made",
    sessions=SessionCounts(seen=84, used=78),
    documents=(an_outcome(),),
    corrections=UNFINISHED,
)


@pytest.mark.parametrize(
    ("report", "so", "untrue"),
    [
        (CUT_SHORT, "84 files seen; 78 sessions weren't finished: run again to go on with them", "if they were"),
        (CUT_SHORT, "No other problems.", "none but that"),
        (CUT_SHORT, "- **`web:CLAUDE.md`**: not decided, the night ended first", "before its turn"),
        (a_report(sessions=SessionCounts(seen=29, used=26)), "29 files seen, 26 sessions used", "29 seen"),
        (
            a_report(judge=JudgeReading(right=16, n=16)),
            "We gave the judge 16 answers whose grade we know; it got 16 right.",
            "known worth",
        ),
    ],
)
def test_the_report_says_what_is_so(report: NightReport, so: str, untrue: str) -> None:
    text = render(report)
    assert so in text
    assert untrue not in text


def test_a_rule_that_was_decided_on_since_says_what_was_decided() -> None:
    report = a_report(proposals=(a_proposal(),))
    assert "You adopted it." in render(report, (), decided={"P-0001": "You adopted it."})
    assert "doesn't wait for a decision now" not in render(report, (), decided={"P-0001": "You adopted it."})


def test_the_page_heads_its_lists_in_plain_words() -> None:
    corrections = Corrections(counts={"not_reached": 1, "unused": 1}, listed=UNFINISHED.listed)
    text = page(a_report(corrections=corrections), ())
    assert "Not used, and why" in text
    assert "nothing came of" not in text


def test_a_lesson_that_was_tried_is_not_said_to_have_had_no_turn() -> None:
    assert "decided" in BECAME[Became.NOT_REACHED]
    assert "turn" not in BECAME[Became.NOT_REACHED]


def test_a_judge_that_disagrees_with_a_person_may_not_be_what_is_wrong() -> None:
    assert "wrong" not in BECAME[Became.UNGRADED]
    assert "accepted" in NEXT_STEPS[Became.UNGRADED]


def test_what_waits_for_a_sealed_replay_says_how_to_get_one() -> None:
    assert "replay.sealed" in NEXT_STEPS[Became.NEEDS_REPOSITORY]
