"""A trial's verdict is told in one set of words, none of which says what a person decides."""

import pytest
from msgspec.structs import replace

from skillopt_sleep.records import Decision, Harm, Trial, Verdict
from skillopt_sleep.reporters.decided import STATES
from skillopt_sleep.reporters.verdicts import OTHERS_WORSE, SEEMED, UNTESTED, WORDS, WORSE, in_a_word, verdict_words
from tests.reporters.reports import ACCEPTED, TRIAL, UNDECIDED, rejected

PROVEN = Verdict(decision=Decision.ACCEPT, reason="better", rule="sequential, mixed", error_rate="at most 5 %")
REJECTED = rejected().verdict


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
        (UNDECIDED, TRIAL, "undecided: rules out nothing yet (2 tries)"),
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
