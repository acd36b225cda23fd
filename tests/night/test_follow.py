"""Every correction of a night is followed to what became of it."""

import re

import pytest
from msgspec.structs import replace

from skillopt_sleep.mining.mined import UNCLEAR
from skillopt_sleep.night.follow import BECAUSE_CHARS, MOST_LISTED, NOT_BEGUN, follow
from skillopt_sleep.night.tonight import TonightsTasks
from skillopt_sleep.protocols.work import Routing
from skillopt_sleep.records import (
    NEXT_STEPS,
    AppliedEdit,
    Became,
    CandidateKind,
    Correction,
    Decision,
    EditFate,
    Evidence,
    InForce,
    Judged,
    Pair,
    Proposal,
    Split,
    StepOutcome,
    Task,
    Trial,
    Verdict,
    WaitingCandidate,
)
from tests.builders import a_document, a_proposal, a_task, an_edit, an_outcome, changed

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
    untried: tuple[Task, ...] = (),
) -> list[tuple[Became, str]]:
    found = TonightsTasks(tasks, tasks if asked is None else asked)
    routing = Routing(tasks if routed is None else routed, (DOCUMENT,))
    followed = follow(found, routing, outcomes, proposals, lambda _path: waiting, untried=untried)
    return [(one.became, one.because) for one in followed.listed]


def test_a_lesson_that_was_only_noticed_is_not_asked() -> None:
    assert became(TRAIN, asked=()) == [(Became.NEEDS_SESSION, UNCLEAR)]


def test_what_the_night_did_not_come_to_is_said() -> None:
    assert became(TRAIN, routed=()) == [(Became.NOT_REACHED, "")]
    assert became(TRAIN) == [(Became.NOT_REACHED, "")]
    ended = {"because": "left for another night"}
    for left in (an_outcome(left=(TRAIN.session,), **ended), an_outcome(unfinished=True, **ended)):
        assert became(TRAIN, VAL, outcomes=(left,)) == [(Became.NOT_REACHED, "left for another night")] * 2


def test_a_task_of_no_document_is_said() -> None:
    ((end, because),) = became(replace(TRAIN, document=""))
    assert end is Became.NOT_REACHED
    assert "no document" in because


def test_what_only_a_judge_that_failed_could_grade_is_said() -> None:
    assert became(TRAIN, untried=(TRAIN,)) == [(Became.UNGRADED, "")]


def test_a_lesson_of_one_session_waits_for_another() -> None:
    for alone in (TRAIN, VAL):
        assert became(alone, outcomes=(an_outcome(),)) == [(Became.NEEDS_SESSION, "")]


def test_what_needs_the_repository_is_said_and_proves_nothing_in_words() -> None:
    unseen = changed(VAL, needs_repository=True)
    assert became(TRAIN, unseen, outcomes=(an_outcome(needs_repository=1),)) == [
        (Became.NEEDS_SESSION, ""),
        (Became.NEEDS_REPOSITORY, ""),
    ]


def test_without_an_edit_both_sides_say_why() -> None:
    ended = an_outcome(because="no edit was proposed")
    assert became(TRAIN, VAL, outcomes=(ended,)) == [(Became.TRIED, "no edit was proposed")] * 2


def test_what_the_agent_does_already_with_the_persons_files_is_said_whatever_else_was_tried() -> None:
    other = AppliedEdit(edit=an_edit(tasks=("other",)), fate=EditFate.APPLIED)
    for score, said in ((1.0, True), (0.5, False)):
        ended = an_outcome(edits=(other,), scores={TRAIN.id: score})
        for _, because in became(TRAIN, VAL, outcomes=(ended,)):
            assert ("already does it" in because) is said


@pytest.mark.parametrize("not_followed", [True, False])
def test_a_lesson_whose_rule_stands_already_says_where_whatever_its_document_came_to(*, not_followed: bool) -> None:
    said = (Evidence(session="s", turn=1, quote="no, use pytest here, never unittest"),)
    rule = InForce(path="/p/.claude/rules/tests.md", text="- Use pytest, never unittest.\n")
    stands = [
        changed(task, lesson="pytest", evidence=said, session=f"pytest-{task.id}", not_followed=not_followed)
        for task in (TRAIN, VAL)
    ]
    refused = AppliedEdit(edit=an_edit("- Use pytest."), fate=EditFate.REFUSED, because="it stands already")
    for edits in ((), (refused,)):
        ended = an_outcome(
            document=a_document(loaded=(rule,), loaded_by=TRAIN.source), edits=edits, because="no edit was proposed"
        )
        *others, (end, because), (unseen, _) = became(replace(TRAIN, id="t0"), *stands, outcomes=(ended,))
        assert {end, unseen} == {Became.STANDS}
        assert [other for other, _ in others] == [Became.NEEDS_SESSION]
        assert "/p/.claude/rules/tests.md" in because
        assert ("had it in 2 sessions and didn't follow it" in because) == not_followed
        assert not re.search("later night|while the agent follows it", NEXT_STEPS[Became.STANDS])


def test_an_edit_that_could_not_be_applied_says_its_fate() -> None:
    refused = AppliedEdit(edit=an_edit(), fate=EditFate.REFUSED, because="you rejected it before")
    (train, _) = became(TRAIN, VAL, outcomes=(an_outcome(edits=(refused,)),))
    assert train == (Became.TRIED, "refused: you rejected it before")


def test_an_edit_that_was_tried_says_what_its_own_trial_showed() -> None:
    trial = Trial(pairs=(Pair(task=VAL.id, sample=0, before=0.0, after=0.0),))
    tested = Judged(
        kind=CandidateKind.RULE,
        edits=(an_edit(),),
        trial=trial,
        verdict=Verdict(decision=Decision.REJECT, reason="no better"),
    )
    applied = AppliedEdit(edit=an_edit(), fate=EditFate.APPLIED)
    ended = an_outcome(edits=(applied,), tested=(tested,), because="another was better")
    assert became(TRAIN, VAL, outcomes=(ended,)) == [(Became.TRIED, "no better")] * 2


def test_what_is_kept_says_what_was_tried_on_another_request_of_its_lesson() -> None:
    pair = Pair(task="another", lesson=VAL.lesson, sample=0, before=0.0, after=0.0)
    verdict = Verdict(decision=Decision.REJECT, reason="no better")
    tested = Judged(kind=CandidateKind.RULE, edits=(an_edit(),), trial=Trial(pairs=(pair,)), verdict=verdict)
    assert became(VAL, outcomes=(an_outcome(tested=(tested,)),)) == [(Became.TRIED, "no better")]


def test_a_long_reason_is_cut() -> None:
    refused = AppliedEdit(edit=an_edit(), fate=EditFate.REFUSED, because="a link; " * 999)
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
        TonightsTasks((TRAIN,), (TRAIN,), dropped=tuple(dropped)),
        Routing((TRAIN,), (DOCUMENT,)),
        (),
        (),
        lambda _path: (),
    )
    assert followed.counts == {"not_reached": 1, "unused": MOST_LISTED}
    assert (len(followed.listed), followed.left_out) == (MOST_LISTED, 1)
    assert followed.listed[0].document == DOCUMENT.id


def test_a_rule_that_was_not_begun_waits_for_another_night_whatever_was_tried_beside_it() -> None:
    polars = an_edit("- Use polars.", tasks=("p",))
    verdict = Verdict(decision=Decision.REJECT, reason="better: solved 1 of 7 before and 7 of 7")
    pair = Pair(task="p", sample=0, before=0.0, after=1.0)
    other = Judged(kind=CandidateKind.RULE, edits=(polars,), trial=Trial(pairs=(pair,)), verdict=verdict)
    for rounds, end, because in (
        (0, Became.NOT_REACHED, NOT_BEGUN),
        (2, Became.TRIED, "its rule is tried since the night of 2026-03-01"),
    ):
        own = Judged(
            kind=CandidateKind.RULE, edits=(an_edit(lessons=("l",)),), trial=Trial(rounds=rounds), verdict=verdict
        )
        wait = WaitingCandidate(night="2026-03-01", path=DOCUMENT.path, crew="", tested=own)
        ended = an_outcome(tested=(other,), waits=(wait,), because=verdict.reason)
        assert became(TRAIN, VAL, outcomes=(ended,)) == [(end, because)] * 2


def test_a_lesson_is_not_told_by_the_trial_of_another() -> None:
    verdict = Verdict(decision=Decision.REJECT, reason="no better")
    other = Judged(kind=CandidateKind.RULE, edits=(an_edit(tasks=("p",)),), trial=Trial(), verdict=verdict)
    ended = an_outcome(tested=(other,), because=verdict.reason)
    assert became(TRAIN, VAL, outcomes=(ended,)) == [(Became.TRIED, "")] * 2
