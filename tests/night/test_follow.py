"""Every correction of a night is followed to what became of it."""

import re

import pytest
from msgspec.structs import replace

from skillopt_sleep.night.follow import BECAUSE_CHARS, MOST_LISTED, follow
from skillopt_sleep.night.tonight import Tonight
from skillopt_sleep.proposals.absence import NEXT
from skillopt_sleep.protocols import Routing
from skillopt_sleep.records import (
    AppliedEdit,
    Became,
    CandidateKind,
    Correction,
    Decision,
    Evidence,
    Fate,
    InForce,
    Judged,
    Note,
    Pair,
    Proposal,
    Split,
    StepOutcome,
    Task,
    Trial,
    Verdict,
)
from tests.builders import a_document, a_proposal, a_task, an_edit, an_outcome

DOCUMENT = a_document()
TRAIN = a_task(lesson="l", split=Split.TRAIN, document=DOCUMENT.id)
VAL = replace(a_task(id="t2", session="s2", lesson="l"), split=Split.VAL, document=DOCUMENT.id)


def became(
    *tasks: Task,
    outcomes: tuple[StepOutcome, ...] = (),
    asked: tuple[Task, ...] | None = None,
    routed: tuple[Task, ...] | None = None,
    proposals: tuple[Proposal, ...] = (),
    waiting: tuple[Proposal, ...] = (),
) -> list[tuple[Became, str]]:
    found = Tonight(tasks, tasks if asked is None else asked)
    routing = Routing(tasks if routed is None else routed, (DOCUMENT,))
    followed = follow(found, routing, outcomes, proposals, lambda _path: waiting)
    return [(one.became, one.because) for one in followed.listed]


def test_a_lesson_that_was_only_noticed_is_not_asked() -> None:
    assert became(TRAIN, asked=()) == [(Became.NOTICED, "")]


def test_what_the_night_did_not_come_to_is_said() -> None:
    assert became(TRAIN, routed=()) == [(Became.NOT_REACHED, "")]
    assert became(TRAIN) == [(Became.NOT_REACHED, "")]
    left = an_outcome(left=(TRAIN.session,), because="left for another night")
    assert became(TRAIN, outcomes=(left,)) == [(Became.NOT_REACHED, "left for another night")]


def test_a_task_of_no_document_is_said() -> None:
    assert became(replace(TRAIN, document="")) == [(Became.NO_DOCUMENT, "")]


def test_a_lesson_of_one_session_waits_for_another() -> None:
    assert became(TRAIN, outcomes=(an_outcome(),)) == [(Became.SEEN_ONCE, "")]


def test_what_needs_the_repository_is_said() -> None:
    task = replace(TRAIN, needs_repository=True)
    assert became(task, outcomes=(an_outcome(needs_repository=1),)) == [(Became.NEEDS_REPOSITORY, "")]


def test_without_an_edit_both_sides_say_why() -> None:
    ended = an_outcome(because="no edit was proposed")
    assert became(TRAIN, VAL, outcomes=(ended,)) == [
        (Became.ATTEMPTED, "no edit was proposed"),
        (Became.KEPT, "no edit was proposed"),
    ]


def test_what_the_agent_does_already_with_the_persons_files_is_said_whatever_else_was_tried() -> None:
    other = AppliedEdit(edit=an_edit(tasks=("other",)), fate=Fate.APPLIED)
    for score, said in ((1.0, True), (0.5, False)):
        ended = an_outcome(edits=(other,), scores={TRAIN.id: score})
        for _, because in became(TRAIN, VAL, outcomes=(ended,)):
            assert ("already does it" in because) is said


@pytest.mark.parametrize("not_followed", [True, False])
def test_a_lesson_whose_rule_stands_already_says_where_whatever_its_document_came_to(*, not_followed: bool) -> None:
    said = (Evidence(session="s", turn=1, quote="no, use pytest here, never unittest"),)
    rule = InForce(path="/p/.claude/rules/tests.md", text="- Use pytest, never unittest.\n")
    stands = [
        replace(task, lesson="pytest", evidence=said, session=f"pytest-{task.id}", not_followed=not_followed)
        for task in (TRAIN, VAL)
    ]
    refused = AppliedEdit(edit=an_edit("- Use pytest."), fate=Fate.REFUSED, because="it stands already")
    for edits in ((), (refused,)):
        ended = an_outcome(
            document=a_document(loaded=(rule,), loaded_by=TRAIN.source), edits=edits, because="no edit was proposed"
        )
        *others, (end, because), (unseen, _) = became(replace(TRAIN, id="t0"), *stands, outcomes=(ended,))
        assert {end, unseen} == {Became.STANDS}
        assert [other for other, _ in others] == [Became.SEEN_ONCE]
        assert "/p/.claude/rules/tests.md" in because
        assert ("had it in 2 sessions and didn't follow it" in because) == not_followed
        assert not re.search("later night|while the agent follows it", NEXT[Became.STANDS])


def test_an_edit_that_could_not_be_applied_says_its_fate() -> None:
    refused = AppliedEdit(edit=an_edit(), fate=Fate.REFUSED, because="you rejected it before")
    (train, _) = became(TRAIN, VAL, outcomes=(an_outcome(edits=(refused,)),))
    assert train == (Became.EDITED, "refused: you rejected it before")


def test_an_edit_that_was_tried_says_what_its_own_trial_showed() -> None:
    trial = Trial(pairs=(Pair(task=VAL.id, sample=0, before=0.0, after=0.0),))
    tested = Judged(
        kind=CandidateKind.RULE,
        edits=(an_edit(),),
        trial=trial,
        verdict=Verdict(decision=Decision.REJECT, reason="no better"),
    )
    applied = AppliedEdit(edit=an_edit(), fate=Fate.APPLIED)
    ended = an_outcome(edits=(applied,), tested=(tested,), because="another was better")
    assert became(TRAIN, VAL, outcomes=(ended,)) == [(Became.EDITED, "no better"), (Became.TESTED, "no better")]


def test_what_is_kept_says_what_was_tried_on_another_request_of_its_lesson() -> None:
    pair = Pair(task="another", lesson=VAL.lesson, sample=0, before=0.0, after=0.0)
    verdict = Verdict(decision=Decision.REJECT, reason="no better")
    tested = Judged(kind=CandidateKind.RULE, edits=(an_edit(),), trial=Trial(pairs=(pair,)), verdict=verdict)
    assert became(VAL, outcomes=(an_outcome(tested=(tested,)),)) == [(Became.TESTED, "no better")]


def test_a_long_reason_is_cut() -> None:
    refused = AppliedEdit(edit=an_edit(), fate=Fate.REFUSED, because="a link; " * 999)
    (train, _) = became(TRAIN, VAL, outcomes=(an_outcome(edits=(refused,)),))
    assert len(train[1]) == BECAUSE_CHARS


def test_a_proposal_of_tonight_or_of_before_is_named() -> None:
    proposal = a_proposal(lessons=("l",))
    assert became(TRAIN, VAL, outcomes=(an_outcome(),), proposals=(proposal,)) == [(Became.PROPOSED, "P-0001")] * 2
    waits = became(TRAIN, outcomes=(an_outcome(),), waiting=(proposal,))
    assert waits == [(Became.PROPOSED, "P-0001 waits already")]


def test_what_was_dropped_before_is_listed_too_and_no_more_than_there_is_room_for() -> None:
    dropped = [Correction(session="s", turn=n, quote="no", became=Became.UNUSED) for n in range(MOST_LISTED)]
    followed = follow(
        Tonight((TRAIN,), (TRAIN,), dropped=tuple(dropped)), Routing((TRAIN,), (DOCUMENT,)), (), (), lambda _path: ()
    )
    assert followed.counts == {"not_reached": 1, "unused": MOST_LISTED}
    assert (len(followed.listed), followed.left_out) == (MOST_LISTED, 1)
    assert followed.listed[0].document == DOCUMENT.id


def test_an_edit_that_was_not_tried_says_its_own_obstacle_and_not_the_trial_of_another() -> None:
    other = Judged(
        kind=CandidateKind.RULE,
        edits=(an_edit("- Use polars."),),
        trial=Trial(pairs=(Pair(task="p", sample=0, before=0.0, after=1.0),)),
        verdict=Verdict(decision=Decision.REJECT, reason="better: solved 1 of 7 before and 7 of 7"),
    )
    applied = AppliedEdit(edit=an_edit(), fate=Fate.APPLIED)
    screened = Note(stage="screen", summary="1 edit wasn't tried on unseen tasks", expected=True)
    ended = an_outcome(edits=(applied,), tested=(other,), because=other.verdict.reason)
    ((_, unseen), _) = became(TRAIN, replace(VAL, lesson="m"), outcomes=(ended,))
    assert "another session" in unseen
    ((_, gained), _) = became(TRAIN, VAL, outcomes=(ended.noted(screened),))
    assert "gained" in gained
    ((_, untried), _) = became(TRAIN, VAL, outcomes=(ended,))
    assert "polars" not in untried + unseen + gained
    assert "7 of 7" not in untried + unseen + gained
