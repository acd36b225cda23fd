import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Completion, Document, Prompt, Purpose, Split
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer import Item, Result
from skillopt_sleep.trainer.attempts import Attempt, Attempts, Counting, Spent
from skillopt_sleep.trainer.gate import gate
from skillopt_sleep.trainer.parts import Held, Parts, State
from skillopt_sleep.trainer.run import RunFolder
from skillopt_sleep.trainer.summary import Action, Gated, Standing
from skillopt_sleep.trainer.tasks import as_document, as_task
from tests.fakes import FakeBackend, SerialPool
from tests.nights import an_optimizer
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer

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
    optimizer: dict[str, Any] | None = None,
    *,
    sizes: dict[str, int] | None = None,
    env: type[Graded] = Graded,
    **evaluation: Any,
) -> Parts:
    config = a_config(optimizer=optimizer or {}, evaluation=evaluation)
    world, spent = env(grade=grade, sizes=sizes or {}), Spent()
    folder.mkdir(exist_ok=True)
    items = {split: tuple(world.items(split)) for split in Split}
    return Parts(
        config=config,
        items=items,
        tasks={item.id: as_task(item, split, source="toy") for split, some in items.items() for item in some},
        attempts=Attempts(Attempt(world, FakeBackend()), SerialPool(), spent),
        optimizer=an_optimizer(),
        counting=Counting(FakeBackend()),
        lapses=None,
        folder=RunFolder(folder, CallStore(folder / "calls.db", utc_now)),
        spent=spent,
        rule=config.rule(),
    )


def held(text: str, val: float | None = None) -> Held:
    document = as_document(text)
    return Held(document=document, standing=Standing(sha=document.sha, val=val))


def decided(parts: Parts, best: str = "current") -> tuple[State, Gated]:
    state = State(current=held("current"), best=held(best), alpha=0.05)
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
    after, gated = decided(some_parts(tmp_path, grade), best="current" if best is None else "best")
    assert gated.action is action
    assert after.best.document.text == is_best
    assert after.current.document.text == ("candidate" if action is not Action.REJECT else "current")
    assert (gated.before, gated.after, gated.n) == (current, candidate, 8)
    assert gated.error_rate == "error rate unknown"


def test_greedy_takes_any_candidate_and_the_best_stays(tmp_path: Path) -> None:
    parts = some_parts(tmp_path, means(current=0.5, candidate=0.25), gate="greedy")
    after, gated = decided(parts)
    assert (gated.action, gated.after, gated.error_rate) == (Action.FORCE_ACCEPT, 0.25, "unverified")
    assert after.current.document.text == "candidate"
    assert after.best.document.text == "current"


@pytest.mark.parametrize(("candidate", "action"), [(1.0, Action.ACCEPT_NEW_BEST), (0.0, Action.REJECT)])
def test_the_evidence_gate_asks_afresh_until_it_knows(tmp_path: Path, candidate: float, action: Action) -> None:
    asked: list[tuple[str, int]] = []

    def grade(skill: str, n: int, sample: int) -> float:
        asked.append((skill, sample))
        return candidate if skill == "candidate" else 0.0 if candidate else 1.0

    after, gated = decided(some_parts(tmp_path, grade, gate="sequential"))
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


@pytest.mark.parametrize("rule", ["strict", "greedy"])
def test_a_candidate_that_can_not_be_scored_on_much_of_val_is_not_the_best(tmp_path: Path, rule: str) -> None:
    def grade(skill: str, n: int, sample: int) -> float | None:
        if skill == "candidate":
            return None if n < 7 else 1.0
        return float(n < 7)

    after, gated = decided(some_parts(tmp_path, grade, gate=rule))
    assert gated.action is (Action.ABSTAIN if rule == "strict" else Action.FORCE_ACCEPT)
    assert "0 attempts under the old version and 7 under the new one" in gated.reason
    assert after.best.document.text == "current"


@pytest.mark.parametrize("better", [False, True])
def test_what_beats_an_unmeasured_skill_is_the_best_only_where_it_is_proven_better_than_the_best(
    tmp_path: Path, *, better: bool
) -> None:
    def grade(skill: str, n: int, sample: int) -> float:
        known = {"best": 1.0, "current": 0.0, "candidate": 1.0}
        return 0.5 if skill == "best" and better else known[skill]

    parts = some_parts(tmp_path, grade, gate="sequential", metric="soft", rounds=5)
    after, gated = decided(parts, best="best")
    assert after.current.document.text == "candidate"
    assert (gated.action, after.best.document.text) == (
        (Action.ACCEPT_NEW_BEST, "candidate") if better else (Action.ACCEPT, "best")
    )
    assert "; against the best so far: " in gated.reason


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

    parts = some_parts(tmp_path, grade)
    after, _ = decided(parts)
    later: Document = as_document("later")
    gate(parts, after, later, step=2, origin="step")
    assert {skill: asked.count(skill) for skill in asked} == {"current": 8, "candidate": 8, "later": 8}


class Coin(Toy, frozen=True):
    """Whether an attempt is right is drawn: no skill is better than another."""

    seed: int = 0

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        drawn = hashlib.sha256(f"{self.seed} {skill} {item.id} {sample}".encode()).digest()[0]
        return Result(hard=float(drawn < 128), soft=0.5, why="bad luck")


class Useless(Scripted):
    """Finds nothing to edit, and writes guidance that helps nobody."""

    def complete(self, prompt: Prompt) -> Completion:
        said = {Purpose.REFLECT: '{"edits": []}', Purpose.SLOW_UPDATE: '{"guidance": "Take good care."}'}
        if prompt.purpose not in said:
            return super().complete(prompt)
        return decoded(prompt, Completion(text=said[prompt.purpose]))


@pytest.mark.slow
def test_useless_guidance_that_was_put_in_is_the_best_in_no_more_runs_than_the_gate_says(tmp_path: Path) -> None:
    runs, rule = 40, {"gate": "sequential", "test": False}
    best: list[bool] = []
    for seed in range(runs):
        config = a_config(evaluation=rule, optimizer={"meta_skill": False})
        trainer = a_trainer(tmp_path / str(seed), Useless(), env=Coin(seed=seed), config=config, pool=SerialPool())
        summary = trainer.train()
        assert "Take good care." in (tmp_path / str(seed) / summary.final.file).read_text(encoding="utf-8")
        assert "at most 5 % of runs" in summary.error_rate
        best.append("Take good care." in summary.best_skill)
    assert sum(best) <= 0.05 * runs
