"""Whatever a night was, no sentence about it is untrue: not in the report, nor in `history`, nor in a notification."""

import re
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, NightInterrupted
from skillopt_sleep.notify import message_of
from skillopt_sleep.pages.blocks import Sentence
from skillopt_sleep.records import (
    CUT_SHORT,
    NOTHING,
    OUTCOMES,
    AppliedEdit,
    Became,
    Corrections,
    EditFate,
    LeftOut,
    NightReport,
    Note,
    Outcome,
    Proof,
    SessionCounts,
    StepOutcome,
    is_of,
    left_out,
    summarize_night,
)
from skillopt_sleep.reporters.past_nights import in_short, outcome
from skillopt_sleep.stores.sqlite import NightLine
from tests.builders import a_document, a_proposal, a_report, an_edit, an_outcome
from tests.drawn import text_of
from tests.fakes import NOON
from tests.night.test_conclude import TRIED, close
from tests.reporters.reports import page, rejected, render
from tests.sweeps import WHOLE

REFUSED = AppliedEdit(
    edit=an_edit(),
    fate=EditFate.REFUSED,
    because="you rejected P-0009 on 2026-02-22; to have it tried again: skillopt-sleep reject --undo P-0009",
)
KINDS: dict[str, StepOutcome] = {
    "undecided": an_outcome(outcome=Outcome.UNDECIDED, because="not proven", trial=TRIED),
    "unverified": an_outcome(outcome=Outcome.UNVERIFIED, because="seen in one session only", waiting=1),
    "tried": rejected(),
    "untried": an_outcome(outcome=Outcome.NO_CHANGE, because="no edit was proposed"),
    "rejected before": an_outcome(outcome=Outcome.NO_CHANGE, because=REFUSED.because, edits=(REFUSED,)),
    "offered": an_outcome(outcome=Outcome.NO_CHANGE, because="waits for you: P-0007", offered=("P-0007",)),
    "no headroom": an_outcome(outcome=Outcome.NO_HEADROOM, because="all did what was asked"),
}
STOPPED = (
    None,
    BudgetExhausted("the limit of 3 calls is reached", remedy="raise it"),
    NightInterrupted("it was stopped", remedy="run it again"),
    BackendUnavailable("no route", remedy="check the address"),
)
TROUBLE = Note(stage="mine", summary="one call failed", remedy="try again")


@st.composite
def nights(draw: st.DrawFn) -> NightReport:
    """Every kind of night: documents, proposals, corrections, errors, and what cut it short."""
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), max_size=3))
    proofs = draw(st.lists(st.sampled_from([Proof.TRIAL, Proof.EARLY, Proof.WORDS]), max_size=2))
    proposals = tuple(a_proposal(id=f"P-000{place + 1}", proof=proof) for place, proof in enumerate(proofs))
    outcomes = [KINDS[kind] for kind in kinds]
    for proposal in proposals:
        if proposal.proof is Proof.TRIAL:
            document = a_document(path=proposal.path)
            outcomes.append(an_outcome(document=document, outcome=Outcome.IMPROVED, because="accepted"))
    used = draw(st.integers(0, 3))
    counts = draw(st.dictionaries(st.sampled_from(Became), st.integers(1, 9), max_size=3)) if used else {}
    skipped = draw(st.dictionaries(st.sampled_from([*LeftOut]), st.integers(1, 3), max_size=2))
    return close(
        *outcomes,
        stopped=draw(st.sampled_from(STOPPED)),
        counts=SessionCounts(
            seen=used + sum(skipped.values()),
            used=used,
            skipped={reason.value: count for reason, count in skipped.items()},
        ),
        tasks=(),
        notes=draw(st.sampled_from([(), (TROUBLE,)])),
        proposals=proposals,
        corrections=Corrections(counts={became.value: count for became, count in counts.items()}),
    )


def all_said(report: NightReport, waiting: list[str]) -> str:
    """Return everything that is said of a night, beside what the person wrote."""
    line = NightLine(report.night, NOON, NOON, report.verdict)
    message = message_of(report, waiting=len(waiting))
    return "\n".join(
        [
            render(report, waiting),
            render(report, waiting, verbose=True),
            text_of(page(report, waiting)),
            outcome(line, running=False)[0],
            *(block.text for block in in_short(report, {}) if isinstance(block, Sentence)),
            message.title,
            message.body,
        ]
    )


@settings(max_examples=1_000 if WHOLE else 60, deadline=None)
@given(nights(), st.data())
def test_no_sentence_about_a_night_is_untrue(report: NightReport, data: st.DataObject) -> None:
    _all_is_true(report, data)


def _all_is_true(report: NightReport, data: st.DataObject) -> None:
    own = [proposal.id for proposal in report.proposals]
    waiting = data.draw(st.lists(st.sampled_from([*own, *[f"{name}.1" for name in own], "P-0007"]), unique=True))
    text = all_said(report, waiting)
    night = summarize_night(report, waiting)

    _decisions_are_true(report, waiting, night.decide, night.to_do, text)
    assert set(night.waits) == set(waiting)
    if report.found.corrections.found:
        assert "no corrected request" not in text
        if report.verdict is Outcome.NOTHING_NEW:
            assert f"{report.found.corrections.found} correction" in text
    if not any(outcome.tried.tested or outcome.trial.before is not None for outcome in report.documents):
        assert not re.search("not proven to help|did not help|no gain seen", text)
    if any(REFUSED in outcome.tried.edits for outcome in report.documents):
        assert "on 2026-02-22" in text
        assert "reject --undo P-0009" in text
    assert not re.search("harmful|useless", text), "no interval here says so"
    if report.verdict in CUT_SHORT:
        assert report.remedy in night.to_do
    assert not re.search(r"\b[a-z]+_[a-z_]+\b", re.sub("`[^`]*`", "", render(report, waiting))), "a name of the code"


def _decisions_are_true(report: NightReport, waiting: list[str], decide: str, to_do: str, text: str) -> None:
    mine = any(is_of(proposal, waiting) for proposal in report.proposals)
    assert decide.startswith("To decide: ") == mine
    assert ("Nothing to decide" in text) == (not waiting and not report.proposals)
    assert ("skillopt-sleep review" in to_do) == bool(waiting)
    if to_do.startswith(NOTHING):
        assert not waiting
        assert not report.trouble
        assert report.verdict not in CUT_SHORT
    assert f"{len(waiting)} proposal" in decide or not waiting


def test_without_knowing_what_waits_it_is_told_as_when_the_night_ended() -> None:
    report = a_report(proposals=(a_proposal(), a_proposal(id="P-0002", proof=Proof.EARLY)))

    assert summarize_night(report).decide == "To decide: 2 proposals, 1 of them early: not proven yet"
    assert summarize_night(report).waits == ("P-0001", "P-0002")
    assert summarize_night(a_report()).decide == "Nothing new to decide"


def test_the_others_that_waited_when_it_ended_are_told_with_it() -> None:
    report = a_report(proposals=(a_proposal(),), others=("P-0009",))

    assert summarize_night(report).waits == ("P-0001", "P-0009")
    assert summarize_night(report).decide == summarize_night(report, ["P-0001", "P-0009"]).decide
    assert summarize_night(report, []).waits == ()


@pytest.mark.parametrize(
    ("waiting", "words"),
    [
        ([], "Its proposal doesn't wait now"),
        (["P-0001"], "To decide: 1 proposal"),
        (["P-0001.2"], "To decide: 1 proposal"),
        (["P-0001", "P-0009"], "To decide: 2 proposals: 1 of this night and 1 of other nights (P-0009)"),
        (["P-0008", "P-0009"], "Its proposal doesn't wait now; 2 proposals of other nights wait: "),
    ],
)
def test_what_is_to_decide_is_what_waits_now(waiting: list[str], words: str) -> None:
    assert summarize_night(a_report(proposals=(a_proposal(),)), waiting).decide.startswith(words)


def test_every_outcome_and_every_reason_to_leave_a_session_out_has_words() -> None:
    assert set(OUTCOMES) == set(Outcome)
    counts: dict[str, Any] = dict.fromkeys(LeftOut, 2)
    assert "_" not in left_out(counts)
