"""What the person said and did stands beside what is proposed."""

from skillopt_sleep.learning.ending import beginning
from skillopt_sleep.learning.evidence import early_ones, with_evidence
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Deed,
    DeedKind,
    Judged,
    Split,
    StepOutcome,
    Trial,
    Tried,
    Verdict,
    Waiting,
)
from tests.builders import a_document, a_task, an_edit, with_parts

DOCUMENT = a_document("- Old.")
DEED = Deed(kind=DeedKind.RAN, session="claude_code:s1", turn=3, what="pnpm install")
TASK = a_task(id="t1", split=Split.TRAIN, deeds=(DEED,))
OTHER = a_task(id="t2", split=Split.TRAIN, session="claude_code:s2")


def an_outcome(*, early: bool, kind: CandidateKind = CandidateKind.BUNDLE, tonight: bool = True) -> StepOutcome:
    """The outcome of a step after which one candidate waits."""
    tested = Judged(
        kind=kind,
        edits=(an_edit("- New.", tasks=("t1",)),),
        trial=Trial(),
        verdict=Verdict(decision=Decision.UNDECIDED, reason="not yet", early=early),
    )
    wait = Waiting(night="n1", path=DOCUMENT.path, base=DOCUMENT.sha, crew="m v", tested=tested)
    tried = Tried(undecided=(wait,), tested=(tested,) if tonight else ())
    return with_parts(beginning(DOCUMENT, [TASK], waiting=()), tried=tried)


def test_the_evidence_is_that_of_the_tasks_an_edit_was_learned_from() -> None:
    outcome = beginning(DOCUMENT, [TASK, OTHER], waiting=())
    assert len(outcome.tried.evidence) == 2

    found = with_evidence(outcome, [an_edit("- New.", tasks=("t1",))], [TASK, OTHER])

    assert (found.tried.evidence, found.tried.deeds) == (TASK.evidence, (DEED,))


def test_where_the_tasks_are_not_known_it_stays_as_it_is() -> None:
    outcome = beginning(DOCUMENT, [TASK], waiting=())

    assert with_evidence(outcome, [an_edit("- New.", tasks=("gone",))], [TASK]) == outcome


def test_what_is_early_tonight_is_ready_to_be_proposed_with_its_words_and_deeds() -> None:
    (early,) = early_ones(an_outcome(early=True), [TASK, OTHER])

    assert early.candidate.body == "- Old.\n- New."
    assert (early.evidence, early.deeds) == (TASK.evidence, (DEED,))


def test_nothing_else_that_waits_is_proposed() -> None:
    assert early_ones(an_outcome(early=False), [TASK]) == ()
    assert early_ones(an_outcome(early=True, tonight=False), [TASK]) == ()
    assert early_ones(an_outcome(early=True, kind=CandidateKind.GUIDANCE), [TASK]) == ()
