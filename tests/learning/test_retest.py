"""A person's own wording of a rule is tested as a new edit of tonight, whatever an earlier trial showed."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from skillopt_sleep.learning.retest import own_words
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Edit,
    EditOp,
    Effect,
    Fate,
    GateRule,
    Metric,
    Offered,
    Outcome,
    Past,
    PastEdit,
    Split,
    StepOutcome,
    Task,
)
from tests.builders import a_document, an_edit
from tests.learning.test_step import DOCUMENT, TRAIN, VAL, Night, a_side, always
from tests.nights import RULE

SURE = GateRule(metric=Metric.HARD)
OWN = replace(an_edit(RULE, lessons=("c",)), tasks=("train1",))
OFFER = Offered(
    proposal="P-0001.1",
    shas={DOCUMENT.path: DOCUMENT.sha},
    bodies={DOCUMENT.path: DOCUMENT.body_sha},
    lessons=("c",),
    wording=(OWN,),
    again=True,
)
WANTED = Past(offered=(OFFER,))
NOTHING = {"edits": []}


def stepped(night: Night, tasks: Sequence[Task] = (*TRAIN, *VAL), past: Past = WANTED) -> StepOutcome:
    return night.step(tasks, past=past, gate=SURE)


def said(outcome: StepOutcome) -> list[tuple[str, str]]:
    return [(one.proposal, one.said) for one in outcome.tried.retested]


def waiting(outcome: StepOutcome) -> list[str]:
    return [note.summary for note in outcome.notes if note.stage == "retest"]


def test_what_proves_itself_is_accepted_with_its_own_trial_and_share() -> None:
    night = Night()

    outcome = stepped(night)

    assert (outcome.outcome, outcome.verdict.decision) == (Outcome.IMPROVED, Decision.ACCEPT)
    assert [(fate.edit, fate.fate) for fate in outcome.tried.edits] == [(OWN, Fate.APPLIED)]
    assert outcome.trial.alpha == SURE.alpha
    assert outcome.tried.evidence
    assert outcome.tried.offered == ()
    ((name, told),) = said(outcome)
    assert (name, "tested again: helped" in told) == ("P-0001.1", True)
    # Reflection isn't asked about a lesson that has a rule.
    assert night.optimizer.prompts == []


def test_without_the_wish_nothing_is_tried() -> None:
    night = Night()

    outcome = stepped(night, past=Past(offered=(replace(OFFER, again=False),)))

    assert (outcome.outcome, outcome.tried.offered) == (Outcome.NO_CHANGE, ("P-0001.1",))
    assert (night.executor.jobs, said(outcome), waiting(outcome)) == ([], [], [])


def test_without_train_tasks_it_is_tested_too() -> None:
    assert stepped(Night(), VAL).verdict.decision is Decision.ACCEPT


def test_what_shows_no_gain_is_said_with_its_tries_and_no_other_wording_is_learned() -> None:
    outcome = stepped(Night(grade=always(0.0)))

    assert outcome.verdict.decision is not Decision.ACCEPT
    ((_, told),) = said(outcome)
    (effect,) = outcome.tried.effects
    assert (effect.edit, effect.effect is Effect.HELPED) == (OWN, False)
    assert told.startswith(f"your wording P-0001.1 was tested again: no gain seen ({effect.n} tries)")
    assert waiting(outcome) == []


def test_it_is_tried_although_much_the_same_was_turned_down() -> None:
    known = PastEdit(
        night="n1", edit=replace(OWN, content=f"{RULE} "), effect=Effect.NEUTRAL, rejected_on=("val1", "val2")
    )
    past = replace(WANTED, tried=(known,), refused=(replace(OWN, op=EditOp.APPEND),), nights=("n1",))

    assert stepped(Night(), past=past).verdict.decision is Decision.ACCEPT


def test_it_shares_tonights_error_rate_with_what_reflection_writes() -> None:
    other = {"edits": [{"op": "append", "content": "- Other.", "reason": "said"}]}
    tasks = [*TRAIN, *VAL, *more("other")]
    night = Night(edits=other)

    outcome = stepped(night, tasks)

    edits = {fate.edit.content for fate in outcome.tried.edits if fate.fate is Fate.APPLIED}
    assert edits == {RULE, "- Other."}
    assert all((tested.trial.alpha or 0.0) <= SURE.alpha for tested in outcome.tried.tested)
    bundles = [tested for tested in outcome.tried.tested if tested.kind is CandidateKind.BUNDLE]
    assert sum(tested.trial.alpha or 0.0 for tested in bundles) <= SURE.alpha
    assert said(outcome)


def more(lesson: str) -> list[Task]:
    tasks: list[Task] = []
    for split in (Split.TRAIN, Split.VAL):
        for task in a_side(split, 1, 2, lesson=lesson):
            tasks.append(replace(task, id=f"{lesson}-{task.id}", session=f"{lesson}-{task.session}"))
    return tasks


def test_without_an_unseen_task_of_its_lesson_it_waits_and_spends_nothing() -> None:
    night = Night(edits=NOTHING)

    outcome = stepped(night, TRAIN)

    assert (night.executor.jobs, said(outcome)) == ([], [])
    (told,) = waiting(outcome)
    assert "P-0001.1 waits to be tested again: no unseen task of its lesson" in told


def test_one_session_alone_can_make_it_early() -> None:
    outcome = stepped(Night(), [*TRAIN, *VAL[:1]])

    assert [early.tested.edits for early in outcome.tried.early] == [(OWN,)]
    assert said(outcome)


def test_an_undecided_trial_of_it_goes_on_though_its_proposal_waits() -> None:
    first = stepped(Night(), [*TRAIN, *VAL[:1]])
    offered = (replace(OFFER, again=False),)
    new = a_side(Split.VAL, 2, 3)

    outcome = stepped(Night(), new, past=Past(offered=offered, waiting=first.tried.undecided))

    assert [tested.edits for tested in outcome.tried.tested] == [(OWN,)]
    assert outcome.verdict.decision is Decision.ACCEPT


@pytest.mark.parametrize(
    "wording", [replace(OWN, op=EditOp.REPLACE, target="- Gone."), replace(OWN, content=DOCUMENT.body)]
)
def test_what_fits_no_more_waits(wording: Edit) -> None:
    outcome = stepped(Night(), past=Past(offered=(replace(OFFER, wording=(wording,)),)))

    (told,) = waiting(outcome)
    assert "doesn't fit" in told
    assert said(outcome) == []


def test_two_wordings_that_exclude_each_other_are_not_tested_together() -> None:
    one = replace(OFFER, wording=(replace(OWN, op=EditOp.REPLACE, target="- Old."),))
    other = replace(
        one, proposal="P-0002.1", wording=(replace(OWN, op=EditOp.REPLACE, target="- Old.", content="- B."),)
    )

    found = own_words(a_document("- Old."), (), (one, other), VAL, most=10_000)

    assert found.offers == (one,)
    assert "P-0002.1" in found.notes[0].summary
