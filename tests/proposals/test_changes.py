"""A step's outcome proposes what was accepted, and apart from it what is proven on one session."""

import pytest
from msgspec.structs import replace

from skillopt_sleep.proposals.changes import changes
from skillopt_sleep.records import CandidateKind, Decision, Early, Judged, Proof, TriedEdits, Verdict
from tests.builders import a_document, an_edit
from tests.proposals.staging import RULE, accepted

READ = a_document("- Old.")


@pytest.fixture
def early() -> Early:
    verdict = Verdict(decision=Decision.UNDECIDED, reason="one session", early=True)
    edits = (an_edit("- New.", lessons=("b",)),)
    tested = Judged(kind=CandidateKind.RULE, edits=edits, trial=accepted(READ).trial, verdict=verdict)
    return Early(candidate=replace(READ, body="- Old.\n- New."), tested=tested)


def test_the_accepted_candidate_comes_first(early: Early) -> None:
    outcome = accepted(READ)
    outcome = replace(outcome, tried=replace(outcome.tried, early=(early,)))

    first, second = changes(outcome)

    assert (first.proof, first.body) == (Proof.TRIAL, RULE)
    assert (second.proof, second.body, second.lessons) == (Proof.EARLY, "- Old.\n- New.", ("b",))


def test_what_was_not_accepted_is_no_change(early: Early) -> None:
    rejected = replace(accepted(READ), verdict=Verdict(decision=Decision.REJECT, reason="worse"))

    assert list(changes(rejected)) == []
    assert [change.proof for change in changes(replace(rejected, tried=TriedEdits(early=(early,))))] == [Proof.EARLY]
