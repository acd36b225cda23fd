"""Every trial of a night is told with its verdict, its numbers and what it rules out."""

import pytest
from msgspec.structs import replace

from skillopt_sleep.pages.blocks import Table
from skillopt_sleep.pages.chart import Dot
from skillopt_sleep.pages.text import markdown
from skillopt_sleep.records import (
    CandidateKind,
    Decider,
    Decision,
    EditEffect,
    EditOp,
    Effect,
    FreshRound,
    Harm,
    NightReport,
    Outcome,
    Pair,
    Solved,
    Trial,
    Trust,
    Verdict,
)
from skillopt_sleep.reporters.status import STATES
from skillopt_sleep.reporters.tried import (
    MOST_TRIALS,
    OTHERS_WORSE,
    SEEMED,
    UNTESTED,
    WORDS,
    WORSE,
    in_a_word,
    in_short,
    numbers,
    trials,
    verdict,
    verdict_words,
)
from tests.builders import a_report, an_edit, an_outcome, with_parts
from tests.reporters.reports import ACCEPTED, TESTED, TRIAL, UNDECIDED, WHOLE, improved, rejected

PROVEN = Verdict(decision=Decision.ACCEPT, reason="better", rule="sequential, mixed", error_rate="at most 5 %")
REJECTED = rejected().verdict
REMOVES = an_edit("", op=EditOp.DELETE, target="- Never force-push.")
LOST = tuple(Pair(task=f"v{n}", sample=0, before=1.0, after=0.0, solved=(True, False)) for n in range(6))


def table(report: NightReport) -> Table:
    return next(block for block in trials(report) if isinstance(block, Table))


def text(report: NightReport) -> str:
    return markdown(tuple(trials(report)))


def test_every_trial_of_the_night_is_in_the_table_also_those_that_were_lost() -> None:
    lost = replace(TESTED, edits=(an_edit("- Lost."),), verdict=REJECTED, trial=rejected().trial)
    open_one = replace(TESTED, kind=CandidateKind.PATCH, verdict=UNDECIDED, edits=(an_edit("- One."),) * 2)
    rows = table(replace(WHOLE, documents=(with_parts(improved(), tested=(TESTED, lost, open_one)),))).rows
    assert [row[1:3] for row in rows] == [
        ("add «Use pnpm, never npm.»", "seemed better"),
        ("add «Lost.»", "not proven: no gain seen (2 tries)"),
        ("add «One.» and 1 more edit", "undecided (2 tries)"),
    ]


def test_a_gain_has_its_n_and_its_interval() -> None:
    (row,) = table(replace(WHOLE, documents=(with_parts(improved(), tested=(TESTED,)),))).rows
    gain = row[-1]
    assert isinstance(gain, Dot)
    assert "90 % interval of the gain −0.61 to 1.00, 2 tries" in gain.told
    assert gain.brief == "+0.75 (−0.61 to 1.00)"
    assert row[3] == "0.25 → 1.00 (2 tries)"


def test_of_many_trials_the_first_are_shown_and_the_others_counted() -> None:
    outcome = with_parts(improved(), tested=(TESTED,) * (MOST_TRIALS + 2))
    report = replace(WHOLE, documents=(outcome,))
    assert len(table(report).rows) == MOST_TRIALS
    assert "2 more trials in report.json" in text(report)


def test_edits_that_fell_say_why_and_what_waits_since_when() -> None:
    said = text(WHOLE)
    assert "- `shop:CLAUDE.md`: replace «Y.» with «X.»: its target isn't there" in said
    assert "add «After.» after «Z.»: said already" in said
    alone = with_parts(improved(), edits=(), tested=(), effects=())
    waits = replace(WHOLE, documents=(alone,))
    assert "undecided since the night of 2026-03-01: add «Waits.»" in text(waits)
    assert "undecided since" not in text(replace(waits, night="2026-03-01"))


def test_a_removal_says_what_was_solved_with_the_rule_and_without_it() -> None:
    worse = Trial(pairs=LOST, rounds=1, interval=(-1.0, 0.1))
    removal = replace(TESTED, kind=CandidateKind.REMOVAL, edits=(REMOVES,), trial=worse, verdict=REJECTED)
    counts = Solved(before=6, after=0, n=6, requests=6)
    effect = EditEffect(edit=REMOVES, effect=Effect.UNDECIDED, n=6, before=1.0, after=0.0, solved=counts)
    said = text(a_report(documents=(an_outcome(tested=(removal,), effects=(effect,)),)))
    assert said.count("tried without it: 6 of 6 as you asked with it, 0 of 6 without; it stays") == 1
    assert "no gain seen" not in said


def test_what_was_kept_back_is_called_what_it_is() -> None:
    assert "kept back, which never decide anything: 0.00 → 1.00, gain +1.00 (90 % interval" in text(WHOLE)
    without = with_parts(improved(), kept_back=FreshRound())
    assert "kept back" not in text(a_report(documents=(without,)))


def test_a_document_without_a_trial_says_why_unless_the_head_does() -> None:
    untried = an_outcome(outcome=Outcome.NO_HEADROOM, because="all did what was asked")
    assert "`shop:CLAUDE.md`: all did what was asked" in text(a_report(because="so", documents=(untried,)))
    assert text(a_report(because="all did what was asked", documents=(untried,))).strip() == ""


def test_without_a_trial_the_outcome_stands_in_for_the_verdict_and_no_number_is_told() -> None:
    untried = an_outcome(outcome=Outcome.NO_HEADROOM)
    assert (verdict(untried), numbers(untried.trial)) == ("the agent already does what you asked", "not tried")


def test_an_undecided_trial_has_its_n() -> None:
    outcome = an_outcome(verdict=UNDECIDED, trial=rejected(0.1, (-0.4, 0.4)).trial)

    assert verdict(outcome) == "undecided (2 tries)"
    assert verdict(replace(outcome, trial=Trial())) == "undecided"


def test_who_graded_a_trial_is_not_said_to_have_decided_it() -> None:
    trial = replace(rejected(0.1, (-0.4, 0.4)).trial, judges=(Decider(by=Trust.RUBRIC),))
    said = in_short(an_outcome(verdict=UNDECIDED, trial=trial))
    assert said.endswith(", graded by the judge")
    assert "decided by" not in said


def lost(interval: tuple[float, float], after: float = 0.1) -> Trial:
    return rejected(after, interval).trial


@pytest.mark.parametrize(
    ("verdict", "trial", "words"),
    [
        (PROVEN, TRIAL, "proven"),
        (ACCEPTED, TRIAL, SEEMED),
        (Verdict(decision=Decision.ACCEPT, reason="so", error_rate="unverified"), Trial(), UNTESTED),
        (REJECTED, lost((-1.0, 0.9)), "not proven: no gain seen (2 tries)"),
        (REJECTED, lost((-0.2, 0.9), after=0.5), "a gain seen but not proven (2 tries)"),
        (REJECTED, lost((-0.2, 0.04)), "not proven: useless"),
        (REJECTED, lost((-1.0, -0.1)), WORSE),
        (REJECTED, lost((0.2, 0.9)), "not proven"),
        (REJECTED, Trial(), "not proven"),
        (UNDECIDED, Trial(), "undecided"),
        (UNDECIDED, TRIAL, "undecided (2 tries)"),
        (Verdict(decision=Decision.ABSTAIN, reason="so"), TRIAL, "not decided"),
    ],
)
def test_every_verdict_has_its_words(verdict: Verdict, trial: Trial, words: str) -> None:
    assert verdict_words(verdict, trial) == words


def test_in_a_word_too_nothing_is_proven_whose_error_rate_nobody_knows() -> None:
    assert in_a_word(ACCEPTED, TRIAL) == SEEMED
    assert in_a_word(REJECTED, lost((-1.0, -0.1))) == "not proven"


def test_what_helped_but_harmed_other_lessons_is_called_that() -> None:
    harmed = replace(REJECTED, harmed=(Harm(lesson="l", n=2, before=1.0, after=0.0),))
    assert verdict_words(harmed, lost((0.2, 0.9))) == OTHERS_WORSE


def test_no_word_of_a_trial_is_one_of_a_persons_decision() -> None:
    theirs = " ".join(STATES.values())
    for word in (*WORDS.values(), SEEMED, UNTESTED, WORSE, OTHERS_WORSE):
        assert word not in theirs
        assert not {"accepted", "adopted", "rejected"} & set(word.split())
