"""Every trial of a night is told with its verdict, its numbers and what it rules out."""

from msgspec.structs import replace

from skillopt_sleep.records import CandidateKind, Decider, Outcome, Pair, Trial, Trust
from skillopt_sleep.reporters.morning import render
from skillopt_sleep.reporters.tried import every_trial, has_more_trials, in_short, interval, numbers, remarks, verdict
from tests.builders import an_edit, an_outcome, with_parts
from tests.reporters.reports import TESTED, UNDECIDED, WHOLE, improved, rejected


def test_every_trial_of_the_night_is_in_the_table_also_those_that_were_lost() -> None:
    lost = replace(TESTED, edits=(an_edit("- Lost."),), verdict=rejected().verdict, trial=rejected().trial)
    open_one = replace(TESTED, kind=CandidateKind.PATCH, verdict=UNDECIDED, edits=(an_edit("- One."),) * 2)
    outcome = with_parts(improved(), tested=(TESTED, lost, open_one))

    report = replace(WHOLE, documents=(outcome,))
    text = render(report, verbose=True)
    rows = [line for line in text.splitlines() if line.startswith("| `shop:CLAUDE.md` | ")]

    assert len(rows) == 1 + 3
    assert "| add «Use pnpm, never npm.» | seemed better |" in rows[1]
    assert "| add «Lost.» | not proven: no gain seen (2 tries) |" in rows[2]
    assert "| all together, 2 edits: add «One.» … | undecided: rules out nothing yet (2 tries) |" in rows[3]
    assert "Lost." not in render(report), "in short the line of the document is enough"


def test_the_only_trial_is_told_once() -> None:
    assert [has_more_trials(outcome) for outcome in (an_outcome(), improved())] == [False, False]
    assert "### Every trial" not in render(replace(WHOLE, documents=(improved(),)))


def test_every_kind_of_candidate_has_words() -> None:
    tested = tuple(replace(TESTED, kind=kind, edits=(an_edit("- One."),) * 2) for kind in CandidateKind)

    words = [row.change.split(", 2 edits")[0] for row in every_trial(with_parts(improved(), tested=tested))]

    assert len(set(words)) == len(CandidateKind)
    assert all(words)


def test_without_a_trial_the_outcome_stands_in_for_the_verdict_and_no_number_is_told() -> None:
    untried = an_outcome(outcome=Outcome.NO_HEADROOM)

    assert (verdict(untried), numbers(untried.trial), interval(untried.trial)) == (
        "the agent already does what you asked",
        "not tried",
        "–",
    )


def test_an_undecided_trial_says_what_it_rules_out_with_its_n() -> None:
    outcome = an_outcome(verdict=UNDECIDED, trial=rejected(0.1, (-0.4, 0.4)).trial)

    said = "undecided: rules out a gain of more than +0.40 and a loss of more than 0.40 (2 tries)"
    assert verdict(outcome) == said
    assert verdict(replace(outcome, trial=Trial())) == "undecided"


def test_who_graded_a_trial_is_not_said_to_have_decided_it() -> None:
    trial = replace(rejected(0.1, (-0.4, 0.4)).trial, judges=(Decider(by=Trust.RUBRIC),))
    said = in_short(an_outcome(verdict=UNDECIDED, trial=trial))
    assert said.endswith(", graded by the judge")
    assert "decided by" not in said


def test_repeated_answers_and_lost_attempts_are_told() -> None:
    lost = Pair(task="v", lesson="l", session="s", sample=0, before=1.0, after=0.0)
    trial = Trial(repeated=6, lost_attempts=(lost,))

    assert remarks(Trial()) == ""
    assert remarks(trial) == (
        "; both versions repeated earlier answers in 6 pairs, which count no second time"
        "; 1 attempt with the change failed by itself, which counts against it"
    )
    assert remarks(trial) in render(replace(WHOLE, documents=(replace(improved(), trial=trial),)))
