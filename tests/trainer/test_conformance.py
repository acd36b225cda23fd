"""Our trainer against PyPI's skillrl 1.0.0: the same toy world, answered by the same scripted client, comes to the same.

skillrl runs in its own environment: the variable SKILLRL_PYTHON names a Python that has it, without it pip installs it.
"""

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.trainer_lab import OurRun, train
from bench.trainer_peer import PeerRun, peer_python, peer_runs
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.learning.select import edit_budget
from skillopt_sleep.records import EditSource, Patch
from skillopt_sleep.trainer.summary import Action
from tests.sweeps import sampled

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SIZES = {"train": 20, "val": 12, "test": 8}
GATES = (("hard", "cosine", 0.5), ("soft", "linear", 0.5), ("mixed", "constant", 0.3))
SKIPPED = {"skip_no_patches"}


def a_run(seed: int, gate: tuple[str, str, float], *, failure_only: bool) -> dict[str, Any]:
    """Three epochs of three steps."""
    metric, schedule, weight = gate
    config = {
        "num_epochs": 3,
        "batch_size": 8,
        "minibatch_size": 4,
        "merge_batch_size": 4,
        "edit_budget": 4,
        "gate_metric": metric,
        "gate_mixed_weight": weight,
        "lr_scheduler": schedule,
        "failure_only": failure_only,
        "workers": 4,
        "seed": seed,
    }
    return {"config": config, "seed": seed, "sizes": SIZES, "median": 0.0, "sigma": 0.0}


RUNS = [
    a_run(seed, gate, failure_only=only)
    for seed, gate, only in itertools.product(sampled(range(1, 7), every=2), GATES, (False, True))
]
NAMES = [f"{run['seed']}-{run['config']['gate_metric']}-{run['config']['failure_only']}" for run in RUNS]


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[OurRun, PeerRun]]:
    """Every run, ours and skillrl's."""
    home = tmp_path_factory.mktemp("conformance")
    python = peer_python(home)
    theirs = peer_runs(python, [run | {"folder": str(home / f"skillrl-{n}")} for n, run in enumerate(RUNS)], home)
    ours = [train(run | {"folder": str(home / f"ours-{n}")}) for n, run in enumerate(RUNS)]
    return dict(zip(NAMES, zip(ours, theirs, strict=True), strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_both_trainers_accept_and_reject_the_same_candidates(
    both: dict[str, tuple[OurRun, PeerRun]], name: str
) -> None:
    ours, theirs = both[name]
    assert _ours(ours) == _theirs(theirs)


@pytest.mark.parametrize("name", NAMES)
def test_both_trainers_use_as_many_answers_for_every_stage(
    both: dict[str, tuple[OurRun, PeerRun]], name: str
) -> None:
    ours, theirs = both[name]
    used = {stage: cost.calls for stage, cost in ours.summary.costs.items()}
    saved = sum(_saved(_sides(path)) for path in ours.folder.rglob("patches.json"))
    assert used | {"aggregate": used.get("aggregate", 0) + saved} == {"aggregate": 0, **theirs.kinds}
    assert used == dict(ours.kinds)


@pytest.mark.parametrize("name", NAMES)
def test_failures_and_successes_are_merged_apart_and_then_with_each_other(
    both: dict[str, tuple[OurRun, PeerRun]], name: str
) -> None:
    ours, theirs = both[name]
    steps = [_sides(path) for path in ours.folder.rglob("patches.json")]
    assert theirs.kinds.get("aggregate", 0) == sum(
        sum(len(side) > 1 for side in sides) + all(sides) for sides in steps
    )


def _sides(path: Path) -> tuple[list[set[str]], list[set[str]]]:
    """The edits of each patch of a step that has some: from failures, and from successes."""
    patches = from_json(path.read_bytes(), tuple[Patch, ...])
    told = [(patch.source, {edit.content for edit in patch.edits}) for patch in patches if patch.edits]
    return [own for source, own in told if source is EditSource.FAILURE], [
        own for source, own in told if source is EditSource.SUCCESS
    ]


def _saved(sides: tuple[list[set[str]], list[set[str]]]) -> int:
    """The merges of a step that have nothing to decide, as all patches say the same: only skillrl asks."""
    alike = [len(side) > 1 and len(set[str]().union(*side)) == 1 for side in sides]
    return sum(alike) + (all(sides) and len(set[str]().union(*sides[0], *sides[1])) == 1)


@pytest.mark.parametrize("name", NAMES)
def test_the_edit_budget_is_that_of_the_step_s_number_even_after_a_skip(
    both: dict[str, tuple[OurRun, PeerRun]], name: str
) -> None:
    ours, theirs = both[name]
    config = next(run["config"] for run, own in zip(RUNS, NAMES, strict=True) if own == name)
    told = [(step.step, step.edit_budget) for step in ours.history.steps if step.edit_budget is not None]
    total = len(ours.history.steps)
    assert told == [
        (step, edit_budget(config["lr_scheduler"], step=step, total=total, most=4, least=2)) for step, _ in told
    ]
    # skillrl's schedule stands still in a step that is skipped; up to there both say the same.
    skip = next((n for n, step in enumerate(theirs.history) if step["action"] in SKIPPED), total)
    assert [step.edit_budget for step in ours.history.steps[:skip]] == [
        step["edit_budget"] for step in theirs.history[:skip]
    ]


def test_the_runs_hold_every_action_that_both_trainers_know(both: dict[str, tuple[OurRun, PeerRun]]) -> None:
    actions = Counter(step.gated.action for ours, _ in both.values() for step in ours.history.steps)
    assert set(actions) == {Action.ACCEPT_NEW_BEST, Action.REJECT, Action.SKIP_NO_PATCHES}
    assert min(actions.values()) >= 20


def _ours(run: OurRun) -> dict[str, Any]:
    """What decided our run, step by step."""
    steps = run.history.steps
    return {
        "actions": [step.gated.action.value for step in steps],
        "scores": [_rounded(step.gated.after) for step in steps],
        "train": [(_rounded(step.train.hard), _rounded(step.train.soft), step.train.n) for step in steps],
        "current": [_rounded(step.current.val) for step in steps],
        "best": [(_rounded(step.best.val), step.best.step) for step in steps],
        "rules": run.best,
        "test": _rounded(run.summary.best.test and run.summary.best.test.hard),
        "test before": _rounded(run.summary.initial.test and run.summary.initial.test.hard),
    }


def _theirs(run: PeerRun) -> dict[str, Any]:
    """The same of theirs."""
    steps = run.history
    return {
        "actions": [step["action"] for step in steps],
        "scores": [_rounded(step.get("candidate_gate_score")) for step in steps],
        "train": [
            (_rounded(step["rollout_hard"]), _rounded(step["rollout_soft"]), step["rollout_n"]) for step in steps
        ],
        "current": [_rounded(step["current_score"]) for step in steps],
        "best": [(_rounded(step["best_score"]), step["best_step"]) for step in steps],
        "rules": run.best,
        "test": _rounded(run.summary["test_hard"]),
        "test before": _rounded(run.summary["baseline_test_hard"]),
    }


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 5)
