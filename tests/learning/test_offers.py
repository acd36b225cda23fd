"""A lesson whose rule waits, for the person or for one more session, isn't learned again."""

from msgspec.structs import replace

from skillopt_sleep.learning.offers import current, resting, still_open, without
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Judged,
    Offered,
    Past,
    Split,
    Trial,
    Twin,
    Verdict,
    Waiting,
)
from tests.builders import a_document, a_task, an_edit

DOCUMENT = a_document("- Old.")
OFFER = Offered(proposal="P-0001", shas={DOCUMENT.path: DOCUMENT.sha}, lessons=("a",))
TRAIN = [
    a_task(id=f"{lesson}{n}", lesson=lesson, session=f"s{n}", split=Split.TRAIN) for lesson in "abc" for n in (1, 2)
]


def a_wait(lesson: str, *, early: bool) -> Waiting:
    verdict = Verdict(decision=Decision.UNDECIDED, reason="not yet", early=early)
    tested = Judged(
        kind=CandidateKind.BUNDLE, edits=(an_edit("- New.", lessons=(lesson,)),), trial=Trial(), verdict=verdict
    )
    return Waiting(night="n1", path=DOCUMENT.path, base=DOCUMENT.sha, crew="m v", tested=tested)


def test_tasks_of_a_lesson_that_waits_for_the_person_are_not_learned_from_and_that_is_noted() -> None:
    found = still_open(TRAIN, Past(offered=(OFFER,)), DOCUMENT)

    assert {task.lesson for task in found.tasks} == {"b", "c"}
    assert found.offered == ("P-0001",)
    (note,) = found.notes
    assert "2 sessions ask for what P-0001 proposes" in note.summary
    assert note.expected


def test_every_session_that_asks_for_what_waits_is_counted_also_those_to_test_with() -> None:
    more = [a_task(id=f"v{n}", session=f"v{n}", lesson="a") for n in range(2)]
    own = len({task.session for task in TRAIN if task.lesson == "a"})

    (note,) = still_open(TRAIN, Past(offered=(OFFER,)), DOCUMENT, tonight=[*TRAIN, *more]).notes

    assert f"{own + 2} sessions ask for what P-0001 proposes" in note.summary


def test_a_lesson_with_an_early_rule_waits_for_its_trial_and_any_other_is_learned() -> None:
    found = still_open(TRAIN, Past(waiting=(a_wait("b", early=True), a_wait("c", early=False))), DOCUMENT)

    assert {task.lesson for task in found.tasks} == {"a", "c"}
    assert found.offered == ()


def test_a_trial_of_the_persons_own_words_goes_on_while_they_wait() -> None:
    wait = a_wait("a", early=True)

    assert resting([wait], [OFFER], DOCUMENT) == (wait,)
    assert resting([wait], [replace(OFFER, wording=wait.tested.edits)], DOCUMENT) == ()


def test_a_proposal_for_a_pair_can_be_adopted_only_while_both_files_are_as_they_were() -> None:
    twin = Twin(id="shop:AGENTS.md", path="/p/AGENTS.md", sha="1", read_by=("Codex",))
    offer = replace(OFFER, shas=OFFER.shas | {twin.path: "1"})
    pair = replace(DOCUMENT, twins=(twin,))

    assert current(Past(offered=(offer,)), pair).offered == (offer,)
    assert current(Past(offered=(OFFER,)), pair).offered == (OFFER,)
    assert current(Past(offered=(offer,)), replace(DOCUMENT, twins=(replace(twin, sha="2"),))).offered == ()
    assert current(Past(offered=(offer,)), DOCUMENT).offered == ()


def test_a_proposal_that_can_not_be_adopted_any_more_decides_nothing() -> None:
    past = current(Past(offered=(OFFER,)), a_document("- Changed."))

    assert past.offered == ()
    assert current(Past(offered=(OFFER,)), DOCUMENT).offered == (OFFER,)


def test_the_trial_of_a_decided_lesson_rests() -> None:
    mine, other = a_wait("a", early=False), a_wait("b", early=False)

    assert resting([mine, other], [OFFER], DOCUMENT) == (mine,)


def test_a_part_that_is_tried_on_top_of_a_proposal_rests_until_the_person_decided() -> None:
    alone = a_wait("b", early=False)
    part = replace(alone, body="sha of the proposal", tested=replace(alone.tested, kind=CandidateKind.PART))

    assert resting([alone, part], [OFFER], DOCUMENT) == (part,)
    assert resting([alone, part], [], DOCUMENT) == ()
    adopted = replace(part, body=DOCUMENT.body_sha)
    assert resting([adopted], [OFFER], DOCUMENT) == ()


def test_what_waits_for_a_lesson_that_was_taken_back_is_dropped_with_a_note() -> None:
    mine, other = a_wait("a", early=True), a_wait("b", early=False)

    past, (note,) = without(Past(waiting=(mine, other)), {"a"}, DOCUMENT)

    assert past.waiting == (other,)
    assert "you took its lesson back" in note.summary


def test_a_proposal_holds_while_our_part_of_its_files_is_unchanged() -> None:
    twin = Twin(id="shop:AGENTS.md", path="/p/AGENTS.md", sha="1", body="b", read_by=("Codex",))
    bodies = {DOCUMENT.path: DOCUMENT.body_sha, twin.path: "b"}
    offer = replace(OFFER, shas=OFFER.shas | {twin.path: "1"}, bodies=bodies)
    edited = replace(DOCUMENT, lead="# Edited\n\n", twins=(replace(twin, sha="2"),))

    assert current(Past(offered=(offer,)), edited).offered == (offer,)
    assert current(Past(offered=(offer,)), replace(edited, body="- Newer.")).offered == ()
    assert current(Past(offered=(offer,)), replace(edited, twins=(replace(twin, sha="2", body="c"),))).offered == ()
    # One of an older version knows the whole text only.
    assert current(Past(offered=(OFFER,)), edited).offered == ()
    old = replace(OFFER, bodies={DOCUMENT.path: ""})
    assert current(Past(offered=(old,)), edited).offered == ()
