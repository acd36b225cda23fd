"""Every tried edit ends with what it did by itself, with numbers."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.learning.credit import credit
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Edit,
    Effect,
    Guard,
    Harm,
    Judged,
    Pair,
    Solved,
    Trial,
    Verdict,
    effect_of,
)
from tests.builders import an_edit

GOOD, IDLE = an_edit("- Good."), an_edit("- Idle.")


def judged(
    *edits: Edit,
    after: float,
    before: float = 0.0,
    n: int = 20,
    decision: Decision = Decision.ACCEPT,
    kind: CandidateKind = CandidateKind.BUNDLE,
    **fields: Any,
) -> Judged:
    pairs = tuple(
        Pair(task=f"v{i}", session=f"s{i}", sample=0, before=before, after=after, solved=(False, after == 1))
        for i in range(n)
    )
    trial = Trial(pairs=pairs, before=before, after=after, calls=2 * n, interval=(-0.1, 0.9), **fields)
    return Judged(kind=kind, edits=edits, trial=trial, verdict=Verdict(decision=decision, reason="so it was"))


def test_an_accepted_edit_that_stands_alone_helped() -> None:
    only = judged(GOOD, after=1.0)

    (told,) = credit(only, (only,))

    assert (told.edit, told.effect, told.because) == (GOOD, Effect.HELPED, "")
    assert (told.n, told.before, told.after, told.calls) == (20, 0.0, 1.0, 40)
    assert told.solved == Solved(before=0, after=20, n=20, requests=20)
    assert told.interval is not None
    assert told.interval[0] > 0


def test_of_halves_each_tells_of_its_own_edits() -> None:
    bundle = judged(GOOD, IDLE, after=0.0, decision=Decision.REJECT)
    good = judged(GOOD, after=1.0, kind=CandidateKind.HALF)
    idle = judged(IDLE, after=0.0, decision=Decision.REJECT, kind=CandidateKind.HALF)

    assert [told.effect for told in credit(good, (bundle, good, idle))] == [Effect.HELPED, Effect.UNDECIDED]


def test_what_lost_alone_beyond_doubt_is_harmful() -> None:
    only = judged(GOOD, before=1.0, after=0.0, decision=Decision.REJECT)

    assert [told.effect for told in credit(only, (only,))] == [Effect.HARMFUL]


def test_what_waits_for_more_tasks_is_undecided() -> None:
    only = judged(GOOD, after=0.3, decision=Decision.UNDECIDED)

    assert [told.effect for told in credit(only, (only,))] == [Effect.UNDECIDED]


def test_of_edits_that_were_only_tried_together_that_is_said() -> None:
    bundle = judged(GOOD, IDLE, after=1.0)

    assert {(told.effect, told.because) for told in credit(bundle, (bundle,))} == {
        (Effect.UNDECIDED, "tried together with 1 other edit")
    }


def test_without_a_scored_pair_the_reason_is_told() -> None:
    only = Judged(
        kind=CandidateKind.BUNDLE,
        edits=(GOOD,),
        trial=Trial(),
        verdict=Verdict(decision=Decision.ABSTAIN, reason="no unseen task could be scored"),
    )

    assert [(told.effect, told.because) for told in credit(only, (only,))] == [
        (Effect.UNDECIDED, "no unseen task could be scored")
    ]


def test_a_removal_that_is_proven_no_loss_is_neutral_and_one_that_is_not_did_harm_only_beyond_doubt() -> None:
    proven = judged(GOOD, after=1.0, before=1.0, kind=CandidateKind.REMOVAL)
    unclear = judged(GOOD, after=0.94, before=1.0, decision=Decision.REJECT, kind=CandidateKind.REMOVAL)
    lost = judged(GOOD, after=0.4, before=1.0, decision=Decision.REJECT, kind=CandidateKind.REMOVAL)

    assert [credit(one, (one,))[0].effect for one in (proven, unclear, lost)] == [
        Effect.NEUTRAL,
        Effect.UNDECIDED,
        Effect.HARMFUL,
    ]


gains = st.lists(st.sampled_from((-1.0, -0.5, 0.0, 0.5, 1.0)), max_size=40)
REJECTS = st.sampled_from((Decision.REJECT, Decision.UNDECIDED, Decision.ABSTAIN))


def a_loser(gained: Sequence[float], decision: Decision, *, kind: CandidateKind = CandidateKind.BUNDLE) -> Judged:
    pairs = tuple(
        Pair(task=f"v{i}", session=f"s{i}", sample=0, before=max(0.0, -gain), after=max(0.0, gain))
        for i, gain in enumerate(gained)
    )
    verdict = Verdict(decision=decision, reason="so it was")
    return Judged(kind=kind, edits=(GOOD,), trial=Trial(pairs=pairs), verdict=verdict)


@given(gains, REJECTS)
def test_nothing_is_called_harmful_or_useless_without_an_interval_that_says_so(
    gained: list[float], decision: Decision
) -> None:
    lost = a_loser(gained, decision)

    (told,) = credit(lost, (lost,))

    if told.effect is Effect.HARMFUL:
        assert told.interval is not None
        assert told.interval[1] < 0
    if told.effect is Effect.NEUTRAL:
        assert told.interval is not None
        assert told.interval[1] <= lost.trial.min_effect
    if told.effect is Effect.HELPED:
        assert told.interval is not None
        assert told.interval[0] > 0
        assert decision is Decision.REJECT


@given(gains)
def test_the_label_never_leaves_the_interval(gained: list[float]) -> None:
    lost = a_loser(gained, Decision.REJECT)

    (told,) = credit(lost, (lost,))

    assert told.effect is effect_of(told.interval, min_effect=lost.trial.min_effect)


def test_of_a_thousand_trials_of_a_useless_edit_few_are_called_harmful() -> None:
    draw = random.Random(18)
    labels: Counter[Effect] = Counter()
    for _ in range(1000):
        lost = a_loser([draw.choice((-1.0, 0.0, 0.0, 1.0)) for _ in range(14)], Decision.REJECT)
        labels[credit(lost, (lost,))[0].effect] += 1

    assert labels[Effect.HARMFUL] + labels[Effect.NEUTRAL] <= 50


def test_many_tries_without_any_difference_show_that_an_edit_is_useless() -> None:
    few, many = (a_loser([0.0] * n, Decision.REJECT) for n in (20, 400))

    assert [credit(lost, (lost,))[0].effect for lost in (few, many)] == [Effect.UNDECIDED, Effect.NEUTRAL]


def test_a_rejected_bundle_says_nothing_of_its_parts() -> None:
    bundle = judged(GOOD, IDLE, before=1.0, after=0.0, decision=Decision.REJECT)

    assert {told.effect for told in credit(bundle, (bundle,))} == {Effect.UNDECIDED}


def test_an_edit_that_helped_and_was_rejected_says_why() -> None:
    lost = judged(GOOD, after=1.0, decision=Decision.REJECT)

    (told,) = credit(lost, (lost,))

    assert (told.effect, told.because) == (Effect.HELPED, "so it was")


def test_an_edit_is_credited_with_what_it_did_for_its_own_lessons() -> None:
    edit = an_edit("- Good.", lessons=("a",))
    own = [Pair(task=f"a{i}", lesson="a", session=f"s{i}", sample=0, before=0.0, after=1.0) for i in range(5)]
    others = [Pair(task=f"b{i}", lesson="b", session=f"s{i}", sample=0, before=0.5, after=0.5) for i in range(5)]
    trial = Trial(lessons=(("a",),), pairs=(*own, *others), bystanders=5, unharmed=5)
    only = Judged(
        kind=CandidateKind.BUNDLE,
        edits=(edit,),
        trial=trial,
        verdict=Verdict(decision=Decision.ACCEPT, reason="better"),
    )

    (told,) = credit(only, (only,))

    assert (told.n, told.before, told.after) == (5, 0.0, 1.0)
    assert (told.unharmed, told.bystanders) == (5, 5)


def test_a_void_trial_shows_neither_harm_nor_help() -> None:
    for after in (0.0, 0.5, 1.0):
        void = judged(IDLE, before=0.5, after=after, n=400, decision=Decision.ABSTAIN)

        (told,) = credit(void, (void,))

        assert (told.effect, told.because) == (Effect.UNDECIDED, "so it was")


def test_one_session_that_is_missing_is_named_before_any_number_of_pairs() -> None:
    pairs = tuple(Pair(task="a", lesson="a", session="s", sample=n, before=0.0, after=1.0) for n in range(4))
    other = Pair(task="b", lesson="b", session="t", sample=0, before=0.0, after=0.0)
    trial = Trial(lessons=(("a",),), pairs=(*pairs, other), more=5)
    only = Judged(
        kind=CandidateKind.BUNDLE,
        edits=(an_edit("- Good.", lessons=("a",)),),
        trial=trial,
        verdict=Verdict(decision=Decision.UNDECIDED, reason="one session"),
    )

    assert credit(only, (only,))[0].because == "an unseen task of another session can prove it"


def test_an_edit_that_was_turned_down_is_told_with_the_tasks_it_was_tried_on() -> None:
    alone = judged(IDLE, after=0.1, n=2, decision=Decision.REJECT)
    bundle = judged(GOOD, IDLE, after=1.0, n=2)
    no_idle = judged(GOOD, after=1.0, n=2, kind=CandidateKind.PRUNED)
    useless = judged(GOOD, IDLE, after=0.0, n=2, decision=Decision.REJECT)
    mixed = judged(GOOD, IDLE, after=0.4, n=2, decision=Decision.REJECT)

    assert [told.rejected_on for told in credit(alone, (alone,))] == [("v0", "v1")]
    assert [told.rejected_on for told in credit(no_idle, (bundle, no_idle))] == [(), ("v0", "v1")]
    assert [told.rejected_on for told in credit(useless, (useless,))] == [("v0", "v1")] * 2
    assert [told.rejected_on for told in credit(mixed, (mixed,))] == [(), ()]


def test_attempts_that_ended_without_an_answer_are_tries_too() -> None:
    lost = tuple(Pair(task=f"v{n}", lesson="a", session=f"s{n}", sample=0, before=1.0, after=0.0) for n in range(2))
    edit = an_edit("- Endless.", lessons=("a",))
    trial = Trial(lessons=(("a",),), lost_attempts=lost)
    verdict = Verdict(decision=Decision.REJECT, reason="no attempt ended with an answer")
    only = Judged(kind=CandidateKind.BUNDLE, edits=(edit,), trial=trial, verdict=verdict)

    assert credit(only, (only,))[0].rejected_on == ("v0", "v1")


def test_what_waits_what_could_not_be_tried_and_a_removal_are_not_turned_down() -> None:
    waits = judged(IDLE, after=0.1, n=2, decision=Decision.UNDECIDED)
    void = judged(IDLE, after=0.0, n=2, decision=Decision.ABSTAIN)
    removal = judged(IDLE, after=0.0, n=2, decision=Decision.REJECT, kind=CandidateKind.REMOVAL)

    for tested in (waits, void, removal):
        assert [told.rejected_on for told in credit(tested, (tested,))] == [()]


@pytest.mark.parametrize("after", [1.0, 0.1], ids=["a gain that is proven", "a gain that isn't"])
def test_what_alone_harms_another_lesson_is_turned_down_for_that_however_much_it_gains(after: float) -> None:
    harm = Harm(lesson="tabs", wording="Use tabs.", before=0.9, after=0.3, n=10)
    refused = judged(GOOD, after=after, n=4, decision=Decision.REJECT, guard=Guard(harmed=(harm,)))

    (told,) = credit(refused, (refused,))

    assert told.effect in {Effect.HELPED, Effect.UNDECIDED}
    assert told.because == "so it was"
    assert told.rejected_on == ("v0", "v1", "v2", "v3")


def test_a_rule_of_a_change_that_harms_another_lesson_is_not_turned_down_by_that_alone() -> None:
    harm = Harm(lesson="tabs", before=0.9, after=0.3, n=10)
    refused = judged(GOOD, IDLE, after=1.0, decision=Decision.REJECT, guard=Guard(harmed=(harm,)))

    good, idle = credit(refused, (refused,))

    assert (good.rejected_on, idle.rejected_on) == ((), ())
    assert good.because == "tried together with 1 other edit; so it was"
