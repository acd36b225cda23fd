"""What a step could take on tonight: lessons to learn, rules that go on, the person's own words; no call is made."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.learning.begin import Begun, begin, by_split, in_reach
from skillopt_sleep.records import (
    CandidateKind,
    Check,
    Checks,
    Decision,
    Earlier,
    Edit,
    EditFate,
    EditOp,
    Effect,
    GateRule,
    Judged,
    Metric,
    Offered,
    Op,
    Outcome,
    Past,
    Split,
    StepOutcome,
    Task,
    TaskOrigin,
    Trial,
    Twin,
    Verdict,
    WaitingCandidate,
)
from tests.builders import a_document, a_past, a_task, an_edit
from tests.fakes import FakeExecutor
from tests.learning.test_step import Night, always
from tests.nights import RULE, a_crew, a_plan
from tests.steps import a_side

DOCUMENT = a_document("- Old.")
SURE = GateRule(metric=Metric.HARD)
TRAIN, VAL, TEST = a_side(Split.TRAIN, 1, 2), a_side(Split.VAL, 1, 2), a_side(Split.TEST, 1)


def begun(
    tasks: Sequence[Task] = (*TRAIN, *VAL, *TEST), past: Past | None = None, known: Sequence[Task] = (), **plan: Any
) -> Begun:
    """A step that has begun, with a crew that no call can be made of."""
    crew = a_crew(executor=FakeExecutor(lambda task, document, sample: pytest.fail("nothing is attempted")))
    plan = {"gate": SURE} | plan
    return begin(DOCUMENT, tasks, crew=crew, plan=a_plan(**plan), past=past or Past(), known=known)


def a_wait(lesson: str = "c", *, decision: Decision = Decision.UNDECIDED, **fields: Any) -> WaitingCandidate:
    verdict = Verdict(decision=decision, reason="not yet")
    edit = an_edit("- New.", lessons=(lesson,))
    tested = Judged(
        kind=fields.pop("kind", CandidateKind.RULE),
        edits=(edit,),
        trial=Trial(lessons=(lesson,), wealth=(0.0,) * 3),
        verdict=verdict,
    )
    return replace(WaitingCandidate(night="n1", path=DOCUMENT.path, crew="m v", tested=tested), **fields)


def notes_of(step: Begun) -> str:
    return "\n".join(note.summary for note in step.outcome.notes)


# lessons ------------------------------------------------------------------------------------------------


def test_a_lesson_with_an_unseen_task_can_be_taken_on() -> None:
    step = begun()

    assert (step.train, step.val, step.test, step.learn) == (tuple(TRAIN), tuple(VAL), tuple(TEST), tuple(TRAIN))
    assert (step.lessons, step.rules) == (("c",), ())
    assert (step.sessions({"c"}), step.sessions({"other"})) == (5, 0)
    assert (step.outcome.tasks.train, step.outcome.tasks.val, step.outcome.tasks.test) == (2, 2, 1)


def test_a_lesson_without_an_unseen_task_of_another_session_waits_and_is_counted() -> None:
    step = begun([*TRAIN, *a_side(Split.TRAIN, 7, lesson="other"), *VAL])

    assert (step.lessons, step.outcome.tasks.untestable) == (("c",), 1)
    assert all(task.lesson == "c" for task in step.learn)


def test_without_any_it_says_why() -> None:
    one, two = begun(TRAIN), begun([*TRAIN, *a_side(Split.TRAIN, 7, lesson="other")])

    assert (one.lessons, one.outcome.outcome) == ((), Outcome.UNVERIFIED)
    assert one.outcome.because.startswith("1 lesson has requests of one session only")
    assert two.outcome.because.startswith("2 lessons have requests of one session only")
    assert "there to test with, none to learn from" in begun(VAL).outcome.because
    assert begun([]).outcome.because == "there is no task to learn from"


def test_recalled_tasks_are_learned_from_beside_real_ones_and_never_alone() -> None:
    recalled = a_side(Split.TRAIN, 8, origin=TaskOrigin.RECALLED)

    assert begun([*TRAIN, *recalled, *VAL]).learn == (*TRAIN, *recalled)
    assert begun([*recalled, *VAL]).learn == ()


def test_each_task_is_on_its_own_side() -> None:
    tasks = [a_task(id=side.value, session=side.value, split=side) for side in Split]

    assert [[task.id for task in side] for side in by_split(tasks)] == [["train"], ["val"], ["test"]]


def test_in_words_what_needs_the_repository_is_not_tried_and_with_tools_all_is() -> None:
    called = Checks(items=(Check(op=Op.TOOL_CALLED, arg="Bash"),))
    tasks = [a_task(id="words"), a_task(id="files", needs_repository=True), a_task(id="tool", reference=called)]

    in_words, needing = in_reach(tasks, FakeExecutor())

    assert [task.id for task in in_words] == ["words"]
    assert [task.id for task in needing] == ["files", "tool"]
    assert in_reach(tasks, FakeExecutor(text_only=False)) == (tasks, [])


def test_the_lessons_of_adopted_rules_are_held_and_their_unseen_tasks_are_others() -> None:
    past = a_past(adopted=(an_edit("- Old.", lessons=("learned",)),))
    known = a_side(Split.VAL, 9, lesson="learned")

    step = begun(past=past, known=known)

    assert step.held == {"learned"}
    assert step.others == (*known, *VAL)
    assert begun(known=known).others == tuple(VAL)


# rules that wait ----------------------------------------------------------------------------------------


def test_a_rule_that_waits_goes_on_and_its_lesson_is_not_learned_again() -> None:
    wait = a_wait()

    step = begun(past=Past(waiting=(wait,)))

    assert [(rule.wait, rule.val) for rule in step.rules] == [(wait, tuple(VAL))]
    assert step.lessons == ()
    assert step.outcome.because == "all that was asked for has a rule that waits for more sessions"
    assert step.outcome.tried.undecided == ()


def test_a_lesson_whose_rule_was_rejected_is_learned_in_other_words() -> None:
    step = begun(past=Past(waiting=(a_wait(decision=Decision.REJECT),)))

    assert (step.lessons, len(step.rules)) == (("c",), 1)


def test_what_does_not_go_on_waits_as_it_is() -> None:
    wait = a_wait("other")

    step = begun(past=Past(waiting=(wait,)))

    assert (step.rules, step.outcome.tried.undecided) == ((), (wait,))


# proposals that wait for the person ---------------------------------------------------------------------

OFFER = Offered(proposal="P-0001", bodies={DOCUMENT.path: DOCUMENT.body_sha}, lessons=("c",))


def test_tasks_of_a_lesson_that_waits_for_the_person_are_not_learned_from_and_all_its_sessions_are_counted() -> None:
    step = begun(past=Past(offered=(OFFER,)))

    assert (step.lessons, step.outcome.tried.offered) == ((), ("P-0001",))
    assert step.outcome.because == "all that was asked for was proposed already: P-0001"
    (note,) = step.outcome.notes
    assert "5 sessions ask for what P-0001 proposes" in note.summary
    assert (note.expected, note.remedy) == (True, "adopt or reject P-0001")


def test_the_trial_of_a_decided_lesson_rests() -> None:
    mine, other = a_wait("c"), a_wait("d")
    val = a_side(Split.VAL, 9, lesson="d")

    step = begun([*TRAIN, *VAL, *val], past=Past(waiting=(mine, other), offered=(OFFER,)))

    assert [rule.wait for rule in step.rules] == [other]
    assert step.outcome.tried.undecided == (mine,)


def test_a_trial_of_the_persons_own_words_goes_on_while_they_wait() -> None:
    wait = a_wait()

    step = begun(past=Past(waiting=(wait,), offered=(replace(OFFER, wording=wait.tested.edits),)))

    assert [rule.wait for rule in step.rules] == [wait]


@pytest.mark.parametrize(
    ("offer", "document", "holds"),
    [
        (OFFER, DOCUMENT, True),
        (OFFER, a_document("- Changed."), False),
        (OFFER, replace(DOCUMENT, lead="# Edited\n\n"), True),
        (replace(OFFER, bodies={DOCUMENT.path: ""}), DOCUMENT, False),
    ],
    ids=["unchanged", "our part", "the rest", "nothing known"],
)
def test_a_proposal_holds_while_our_part_of_its_file_is_unchanged(offer: Offered, document: Any, holds: bool) -> None:
    step = begin(document, [*TRAIN, *VAL], crew=a_crew(), plan=a_plan(), past=Past(offered=(offer,)))

    assert bool(step.outcome.tried.offered) is holds


def test_a_proposal_for_a_pair_holds_only_while_both_files_are_as_they_were() -> None:
    twin = Twin(id="shop:AGENTS.md", path="/p/AGENTS.md", body="b", read_by=("Codex",))
    offer = replace(OFFER, bodies=OFFER.bodies | {twin.path: "b"})

    def holds(document: Any) -> bool:
        past = Past(offered=(offer,))
        return bool(begin(document, TRAIN, crew=a_crew(), plan=a_plan(), past=past).outcome.tried.offered)

    assert holds(replace(DOCUMENT, twins=(twin,)))
    assert not holds(replace(DOCUMENT, twins=(replace(twin, body="c"),)))
    assert not holds(DOCUMENT)


# the person's own words ---------------------------------------------------------------------------------

OWN = replace(an_edit(RULE, lessons=("c",)), tasks=("train1",))
WISH = replace(OFFER, proposal="P-0001.1", wording=(OWN,), again=True)
WANTED = Past(offered=(WISH,))


def stepped(night: Night, tasks: Sequence[Task] = (*TRAIN, *VAL), past: Past = WANTED) -> StepOutcome:
    return night.step(tasks, past=past, gate=SURE)


def said(outcome: StepOutcome) -> list[tuple[str, str]]:
    return [(one.proposal, one.said) for one in outcome.tried.retested]


def postponed(outcome: StepOutcome) -> list[str]:
    return [note.summary for note in outcome.notes if note.stage == "retest"]


def test_own_words_are_a_rule_of_tonight_and_what_proves_itself_is_accepted() -> None:
    night = Night()

    outcome = stepped(night)

    assert (outcome.outcome, outcome.verdict.decision) == (Outcome.IMPROVED, Decision.ACCEPT)
    assert outcome.trial.alpha == SURE.alpha
    assert [tested.edits for tested in outcome.tried.tested] == [(OWN,)]
    assert outcome.tried.evidence
    assert outcome.tried.offered == ()
    ((name, told),) = said(outcome)
    assert (name, "tested again: helped" in told) == ("P-0001.1", True)
    assert night.optimizer.prompts == [], "reflection isn't asked about a lesson that has a rule"


def test_without_the_wish_nothing_is_tried() -> None:
    night = Night()

    outcome = stepped(night, past=Past(offered=(replace(WISH, again=False),)))

    assert (outcome.outcome, outcome.tried.offered) == (Outcome.NO_CHANGE, ("P-0001.1",))
    assert (night.executor.jobs, said(outcome), postponed(outcome)) == ([], [], [])


def test_without_train_tasks_they_are_tested_too() -> None:
    assert stepped(Night(), VAL).verdict.decision is Decision.ACCEPT


def test_what_shows_no_gain_is_said_with_its_tries() -> None:
    outcome = stepped(Night(grade=always(0.0)))

    assert outcome.verdict.decision is not Decision.ACCEPT
    ((_, told),) = said(outcome)
    (effect,) = outcome.tried.effects
    assert (effect.edit, effect.effect is Effect.HELPED) == (OWN, False)
    assert told.startswith(f"your wording P-0001.1 was tested again: no gain seen ({effect.n} tries)")
    assert postponed(outcome) == []


def test_they_share_tonights_error_rate_with_what_reflection_writes() -> None:
    other = {"edits": [{"op": "append", "content": "- Other.", "reason": "said"}]}
    more: list[Task] = []
    for split in (Split.TRAIN, Split.VAL):
        for task in a_side(split, 1, 2, lesson="other"):
            more.append(replace(task, id=f"o{task.id}", session=f"o{task.session}"))

    outcome = stepped(Night(edits=other, grade=always(0.0)), [*TRAIN, *VAL, *more])

    assert [fate.edit.content for fate in outcome.tried.edits if fate.fate is EditFate.APPLIED] == ["- Other."]
    assert [one.edits[0].content for one in outcome.tried.tested] == [RULE, "- Other."]
    assert [one.trial.alpha for one in outcome.tried.tested] == pytest.approx([SURE.alpha / 2] * 2)
    assert said(outcome)


def test_without_an_unseen_task_of_their_lesson_they_wait_and_spend_nothing() -> None:
    step = begun(TRAIN, past=WANTED)

    assert step.rules == ()
    assert "P-0001.1 waits to be tested again: no unseen task of its lesson" in notes_of(step)


def test_one_session_alone_can_make_them_early() -> None:
    outcome = stepped(Night(), [*TRAIN, *VAL[:1]])

    assert [early.tested.edits for early in outcome.tried.early] == [(OWN,)]
    assert said(outcome)


def test_an_undecided_trial_of_them_goes_on_though_their_proposal_waits() -> None:
    first = stepped(Night(), [*TRAIN, *VAL[:1]])
    offered = (replace(WISH, again=False),)
    new = a_side(Split.VAL, 2, 3)

    outcome = stepped(Night(), new, past=Past(offered=offered, waiting=first.tried.undecided))

    assert [tested.edits for tested in outcome.tried.tested] == [(OWN,)]
    assert outcome.verdict.decision is Decision.ACCEPT


def test_what_is_wanted_again_while_its_trial_waits_begins_anew_and_is_tried_once() -> None:
    waiting = stepped(Night(), [*TRAIN, *VAL[:1]]).tried.undecided

    step = begun(past=replace(WANTED, waiting=waiting))

    assert [(rule.edits, rule.proposal, rule.wait) for rule in step.rules] == [((OWN,), "P-0001.1", None)]


@pytest.mark.parametrize(
    "wording", [replace(OWN, op=EditOp.REPLACE, target="- Gone."), replace(OWN, content=DOCUMENT.body)]
)
def test_what_fits_no_more_waits(wording: Edit) -> None:
    step = begun(past=Past(offered=(replace(WISH, wording=(wording,)),)))

    assert step.rules == ()
    assert "P-0001.1 waits to be tested again: it doesn't fit" in notes_of(step)


def test_what_a_look_back_tries_takes_nothing_of_what_was_found_of_them() -> None:
    past = replace(WANTED, snapshot=Earlier(night="n1", body="- Older.", nights=7))
    guidance = {"guidance": "- Ask first.", "reasoning": "it deleted"}
    night = Night(grade=always(0.0), slow_update=guidance, meta_skill={"notes": "Short rules win."})

    outcome = night.step([*TRAIN, *VAL], past=past, gate=SURE, slow_every=7)

    assert [tested.kind for tested in outcome.tried.tested] == [CandidateKind.RULE, CandidateKind.GUIDANCE]
    assert [name for name, _ in said(outcome)] == ["P-0001.1"]
