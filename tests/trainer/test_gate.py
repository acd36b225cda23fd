from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Document, Split
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer import Item, Result
from skillopt_sleep.trainer.attempts import Attempt, Attempts, Counting
from skillopt_sleep.trainer.costs import StageCosts
from skillopt_sleep.trainer.data import as_document, as_task
from skillopt_sleep.trainer.gate import gate, judge
from skillopt_sleep.trainer.parts import Parts, ScoredSkill, State
from skillopt_sleep.trainer.run import RunFolder
from skillopt_sleep.trainer.summary import Action, Gated, SkillVersion
from tests.fakes import FakeBackend, SerialPool
from tests.nights import an_optimizer
from tests.trainer.toy import Toy, a_config

Grade = Callable[[str, int, int], float | None]


class Graded(Toy, frozen=True):
    """Grades by skill, number of the item and sample; None is an outage."""

    grade: Any = None

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        grade = self.grade(skill, int(item.id.rpartition("-")[2]), sample)
        if grade is None:
            return Result(failure="gone")
        return Result(hard=float(grade >= 1), soft=grade, response=f"answer {sample}")


def some_parts(
    folder: Path,
    grade: Grade,
    preset: str = "default",
    *,
    sizes: dict[str, int] | None = None,
    env: type[Graded] = Graded,
    **evaluation: Any,
) -> Parts:
    config = a_config(preset, evaluation=evaluation)
    world, costs = env(grade=grade, sizes=sizes or {}), StageCosts()
    folder.mkdir(exist_ok=True)
    store = CallStore(folder / "calls.db", utc_now)
    items = {split: tuple(world.items(split)) for split in Split}
    return Parts(
        config=config,
        items=items,
        tasks={item.id: as_task(item, split, source="toy") for split, some in items.items() for item in some},
        attempts=Attempts(Attempt(world, FakeBackend()), SerialPool(), costs),
        optimizer=an_optimizer(),
        counting=Counting(FakeBackend()),
        folder=RunFolder(folder, store, store.calls),
        initial=as_document("# Skill").sha,
        costs=costs,
        rule=config.rule(),
    )


def held(text: str, val: float | None = None) -> ScoredSkill:
    document = as_document(text)
    return ScoredSkill(document=document, version=SkillVersion(sha=document.sha, val=val))


def decided(parts: Parts, best: str = "current") -> tuple[State, Gated]:
    state = State(current=held("current"), best=held(best))
    if parts.config.of_preset.at_end:
        after, gated, _ = judge(parts, replace(state, current=held("candidate")))
    else:
        after, gated, _ = gate(parts, state, as_document("candidate"), step=1, origin="step")
    return after, gated


def means(**grades: float) -> Grade:
    """Each skill's mean, made of whole items."""
    return lambda skill, n, sample: float(n < 8 * grades[skill])


@pytest.mark.parametrize(
    ("current", "candidate", "best", "action", "is_best"),
    [
        (0.5, 0.75, None, Action.ACCEPT_NEW_BEST, "candidate"),
        (0.5, 0.5, None, Action.REJECT, "current"),
        (0.5, 0.25, None, Action.REJECT, "current"),
        (0.25, 0.5, 0.75, Action.ACCEPT, "best"),
        (0.25, 0.75, 0.75, Action.ACCEPT, "best"),
        (0.25, 1.0, 0.75, Action.ACCEPT_NEW_BEST, "candidate"),
    ],
)
def test_strict_takes_what_is_strictly_better_and_keeps_the_best_apart(
    tmp_path: Path, *, current: float, candidate: float, best: float | None, action: Action, is_best: str
) -> None:
    grade = means(current=current, candidate=candidate, best=best or 0.0)
    after, gated = decided(some_parts(tmp_path, grade, preset="skillopt"), best="current" if best is None else "best")
    assert gated.action is action
    assert after.best.document.text == is_best
    assert after.current.document.text == ("candidate" if action is not Action.REJECT else "current")
    assert (gated.before, gated.after, gated.n) == (current, candidate, 8)
    assert gated.error_rate == "error rate unknown"
    assert "unseen items" in gated.reason


@pytest.mark.parametrize(("candidate", "action"), [(1.0, Action.ACCEPT_NEW_BEST), (0.0, Action.REJECT)])
def test_the_evidence_gate_asks_afresh_until_it_knows(tmp_path: Path, candidate: float, action: Action) -> None:
    asked: list[tuple[str, int]] = []

    def grade(skill: str, n: int, sample: int) -> float:
        asked.append((skill, sample))
        return candidate if skill == "candidate" else 0.0 if candidate else 1.0

    after, gated = decided(some_parts(tmp_path, grade, preset="evidence"))
    assert gated.action is action
    assert "5 %" in gated.error_rate
    assert gated.interval is not None
    assert {sample for skill, sample in asked if skill == "candidate"} & {0} == set()
    assert after.best.document.text == ("candidate" if candidate else "current")


def test_an_outage_of_one_side_takes_the_pair_out_and_not_the_score_down(tmp_path: Path) -> None:
    def grade(skill: str, n: int, sample: int) -> float | None:
        if skill == "candidate":
            return None if n == 0 else float(n < 6)
        return float(n < 5)

    # The candidate lost one of the current's five right answers to the outage: 5 of 7 against 4 of the same 7.
    after, gated = decided(some_parts(tmp_path, grade))
    assert (gated.before, gated.after, gated.n, gated.unscored) == (4 / 7, 5 / 7, 7, 1)
    assert after.current.document.text == "candidate"


def test_a_candidate_that_can_not_be_scored_on_much_of_val_is_not_the_best(tmp_path: Path) -> None:
    def grade(skill: str, n: int, sample: int) -> float | None:
        if skill == "candidate":
            return None if n < 7 else 1.0
        return float(n < 7)

    after, gated = decided(some_parts(tmp_path, grade, preset="skillopt"))
    assert gated.action is Action.ABSTAIN
    assert "0 attempts under the old version and 7 under the new one" in gated.reason
    assert after.best.document.text == "current"


def test_no_pair_is_no_evidence(tmp_path: Path) -> None:
    after, gated = decided(some_parts(tmp_path, lambda skill, n, sample: None if skill == "candidate" else 1.0))
    assert gated.action is Action.ABSTAIN
    assert after.current.document.text == "current"


@pytest.mark.parametrize(
    ("metric", "weight", "action"),
    [("hard", 0.5, Action.REJECT), ("soft", 0.5, Action.ACCEPT_NEW_BEST), ("mixed", 0.0, Action.REJECT)],
)
def test_the_metric_decides_what_is_better(tmp_path: Path, metric: str, weight: float, action: Action) -> None:
    def grade(skill: str, n: int, sample: int) -> float:
        return 0.75 if skill == "candidate" else 0.5

    _, gated = decided(some_parts(tmp_path, grade, metric=metric, mixed_weight=weight))
    assert gated.action is action


def test_a_skill_is_measured_once(tmp_path: Path) -> None:
    asked: list[str] = []

    def grade(skill: str, n: int, sample: int) -> float:
        asked.append(skill)
        return 1.0 if skill == "candidate" else 0.0

    parts = some_parts(tmp_path, grade, preset="skillopt")
    after, _ = decided(parts)
    later: Document = as_document("later")
    gate(parts, after, later, step=2, origin="step")
    assert {skill: asked.count(skill) for skill in asked} == {"current": 8, "candidate": 8, "later": 8}
