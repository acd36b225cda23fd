"""The attempts of both arms in pairs: what counts, what counts in the bet only, what repeats itself."""

import pytest
from msgspec.structs import replace

from skillopt_sleep.learning.pairs import Paired, digest, pair_up
from skillopt_sleep.records import GateRule, Lost, Metric, Rollout, Trial
from tests.builders import a_rollout, a_task, a_trajectory

RULE = GateRule(metric=Metric.HARD)
TASK = a_task(id="t1")


def paired(old: Rollout, new: Rollout, trial: Trial | None = None, rule: GateRule = RULE) -> Paired:
    return pair_up(trial or Trial(), [TASK], [old, new], rule)


def said(text: str, value: float | None = 1.0, **fields: str) -> Rollout:
    return a_rollout(value, trajectory=a_trajectory(text, **fields))


def test_a_pair_has_the_grade_of_each_arm() -> None:
    (pair,) = paired(said("a", 0.0), said("b", 1.0)).pairs
    assert (pair.before, pair.after, pair.solved) == (0.0, 1.0, (False, True))


@pytest.mark.parametrize(
    ("failure", "lost"), [("timed_out: 60 s", 1), ("out_of_turns: 1 turn", 1), ("overloaded: later", 0)]
)
def test_only_an_attempt_that_failed_by_itself_counts_in_the_bet(failure: str, lost: int) -> None:
    found = paired(said("a"), said("", None, failure=failure))
    assert (found.pairs, len(found.lost_attempts), found.lost.after) == ((), lost, 1)
    assert [pair.after for pair in found.lost_attempts] == [0.0] * lost


def test_an_attempt_that_the_baseline_lost_gains_nothing() -> None:
    found = paired(said("", None, failure="timed_out: 60 s"), said("b"))
    assert found == Paired(lost=Lost(before=1))
    assert paired(said("a", None), said("b", None)) == Paired(lost=Lost(both=1))


@pytest.mark.parametrize(("old", "new", "again"), [("a", "b", 1), ("x", "b", 0), ("a", "x", 0)])
def test_a_pair_counts_once_if_both_arms_repeat_their_answers(old: str, new: str, again: int) -> None:
    earlier = Trial(pairs=paired(said("a", 0.0), said("b")).pairs)
    found = paired(said(old, 1.0), said(new, 0.0), earlier)
    assert (found.repeated, len(found.pairs), found.only_repeated) == (again, 1 - again, bool(again))
    assert paired(said(old), said(new), earlier, replace(RULE, name="strict")).repeated == 0


def test_case_and_spacing_make_no_other_answer_but_deeds_do() -> None:
    assert digest(a_trajectory("A  b\n")) == digest(a_trajectory("a b"))
    assert digest(a_trajectory("a b")) != digest(a_trajectory("a b", changed_files=("x.py",)))
