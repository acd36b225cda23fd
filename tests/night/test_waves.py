"""The rules of a night are tried one after the other, each in its own trial, as far as its calls reach."""

from pathlib import Path

import pytest

from skillopt_sleep.records import CandidateKind, GateRule, Split, StepOutcome
from tests.builders import changed
from tests.night.lessons import (
    BLOG,
    GATE,
    SHOP,
    THREE,
    Night,
    a_lesson,
    a_rule,
    accepted,
    lives,
    of_val,
    slightly,
)
from tests.stores.opening import open_at


def test_each_rule_is_tried_alone_on_the_unseen_tasks_of_its_own_lesson(tmp_path: Path) -> None:
    night = Night(THREE)
    seen: list[tuple[str, str]] = []
    night.breaks = lambda task, document: seen.append((task.lesson, document.body))

    (outcome,) = night.alone(tmp_path)

    assert outcome.candidate is not None
    assert all(a_rule(name) in outcome.candidate.body for name in ("large", "middle", "small"))
    trials = of_val(outcome)
    assert list(trials) == ["large", "middle", "small"]
    for name, one in trials.items():
        assert (one.kind, len(one.edits)) == (CandidateKind.RULE, 1)
        assert {pair.lesson for pair in one.trial.pairs} == {name}
    assert {body for lesson, body in seen if lesson == "large"} >= {"", a_rule("large")}


def test_the_rules_of_all_documents_go_one_after_the_other_the_best_founded_first(tmp_path: Path) -> None:
    other = a_lesson("other", val=5, document="blog")
    night = Night((*THREE, *other), documents=(BLOG, SHOP), plan={"gate": GateRule(non_regression=False)})

    outcomes = night.alone(tmp_path)

    assert night.tried[:4] == ["large", "other", "middle", "small"]
    assert {outcome.document.id: accepted(outcome) for outcome in outcomes} == {
        "blog": ["other"],
        "shop": ["large", "middle", "small"],
    }


@pytest.mark.parametrize("left", range(60, 340, 20))
def test_none_is_begun_that_the_night_cannot_end(tmp_path: Path, left: int) -> None:
    corrected = [changed(task, rejected="Not so.") for task in THREE]
    night = Night(corrected, left=left)

    (outcome,) = night.alone(tmp_path)

    trials = of_val(outcome)
    assert accepted(outcome) == list(trials)
    assert outcome.fresh.n == sum(len([t for t in THREE if t.split is Split.VAL and t.lesson == n]) for n in trials)
    assert night.meter.calls_left >= 0


def test_with_a_rule_proven_the_others_need_less_proof(tmp_path: Path) -> None:
    tasks = (*a_lesson("first"), *a_lesson("second"))

    (one_by_one,) = Night(tasks).alone(tmp_path / "one")
    (side_by_side,) = Night(tasks, width=64).alone(tmp_path / "wide")

    assert [one.trial.alpha for one in one_by_one.tried.tested] == [GATE.alpha / 2, GATE.alpha]
    assert [one.trial.alpha for one in side_by_side.tried.tested] == [GATE.alpha / 2] * 2


def ends(night: Night, folder: Path) -> StepOutcome:
    """What a night that is answered by hand ends as."""
    store = open_at(folder)
    with store.open_night() as page:
        lives(night, page)
    store.close()
    (outcome,) = night.outcomes
    return outcome


def test_after_a_proof_the_undecided_rules_are_read_again(tmp_path: Path) -> None:
    weak, sure = a_lesson("a", val=2), a_lesson("b", val=2)
    grade = slightly("a", 0.29)

    alone = ends(Night((*weak, *sure), silent=("b",), grade=grade, by_hand=True), tmp_path / "alone")
    both = ends(Night((*weak, *sure), grade=grade, by_hand=True), tmp_path / "both")

    evidence = of_val(alone)["a"].trial.evidence
    assert evidence is not None
    assert 1 / GATE.alpha <= evidence < 2 / GATE.alpha
    assert accepted(alone) == []
    assert of_val(both)["a"].trial.evidence == evidence
    assert sorted(accepted(both)) == ["a", "b"]


def test_what_was_put_off_goes_on_with_the_calls_that_are_left(tmp_path: Path) -> None:
    weak, sure = a_lesson("a", val=2), a_lesson("b", val=2)
    night = Night((*weak, *sure), grade=slightly("a", 0.25))

    (outcome,) = night.alone(tmp_path)

    rounds = {name: one.trial.rounds for name, one in of_val(outcome).items()}
    assert rounds["a"] > GATE.rounds > rounds["b"]
    assert accepted(outcome) == ["b", "a"]
    first = night.tried.index("b")
    assert "a" in night.tried[:first]
    assert "a" in night.tried[first:]


@pytest.mark.parametrize(("width", "by_hand"), [(1, False), (64, False), (1, True)])
def test_rules_go_side_by_side_only_where_workers_would_idle_or_by_hand(
    tmp_path: Path, width: int, *, by_hand: bool
) -> None:
    night = Night((*a_lesson("first"), *a_lesson("second")), width=width, by_hand=by_hand)
    store = open_at(tmp_path)
    with store.open_night() as page:
        stops = lives(night, page)
    store.close()

    (outcome,) = night.outcomes
    side_by_side = width > 1 or by_hand
    assert [one.trial.alpha for one in outcome.tried.tested] == [
        GATE.alpha / 2,
        GATE.alpha / (2 if side_by_side else 1),
    ]
    assert stops <= 6
