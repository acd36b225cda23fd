"""What it takes to go on with a finished training: calls paid from 2 to 4 epochs, over those of the new epochs alone."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.reduced import size
from tests.benchmarks.trainer_lab import OurRun, train

BEFORE, AFTER = 2, 4
SCHEDULES = size(("constant", "linear", "cosine", "autonomous", "none"), ("constant",))
SIZES = size({"train": 64, "val": 40, "test": 40}, {"train": 16, "val": 8, "test": 8})
SHORT = {"batch_size": 16, "minibatch_size": 4, "merge_batch_size": 8, "workers": 8, "seed": 3}
BUDGET = {"edit_budget": 4, "min_edit_budget": 1, "slow_update": True, "meta_skill": True, "screen": 2}
# The defaults of a training, and the evidence gate with a trial at each step, whose error rate depends on the total.
GATES: Mapping[str, Mapping[str, Any]] = {
    "strict": {"redraw": "doubt", "part": 0.5, "confirm": True},
    "sequential": {"gate": "sequential", "judge": "step", "part": 0.5, "confirm": True, "redraw": "doubt"},
}
DEFINITIONS = f"""
extend    calls that are paid for when a finished training of {BEFORE} epochs goes on to {AFTER}, over the calls that the {AFTER} epochs'
x new     history counts between the end of epoch {BEFORE} and the end of epoch {AFTER} (what is measured at the very end for the
          report is paid, and not among these): the highest over {len(SCHEDULES)} schedules under {len(GATES)} gates, with optimizer.horizon = {BEFORE}.
          {SIZES}, batches of {SHORT["batch_size"]}, slow update, meta skill and screen on; the model answers at once
without   the same without the key, where the schedule is laid over all epochs again
"""


def extend_cost(home: Path) -> dict[str, float]:
    """How much more than the new epochs' own calls an extension pays, with the horizon kept and without."""
    kept: dict[str, float] = {}
    anew: dict[str, float] = {}
    print(f"\nfrom {BEFORE} to {AFTER} epochs: calls paid / calls of the new epochs")
    print("                          with horizon              without")
    for gate, rule in GATES.items():
        for schedule in SCHEDULES:
            name = f"{gate} {schedule}"
            first = _train(home / f"{name} kept", rule, schedule, epochs=BEFORE)
            paid, new = _extended(home / f"{name} kept", first, rule, schedule, horizon=BEFORE)
            _train(home / f"{name} anew", rule, schedule, epochs=BEFORE)
            paid_anew, new_anew = _extended(home / f"{name} anew", first, rule, schedule, horizon=0)
            kept[name], anew[name] = paid / new, paid_anew / new_anew
            with_it = f"{paid:5} / {new:5} = {kept[name]:.3f}"
            print(f"  {name:22} {with_it}    {paid_anew:5} / {new_anew:5} = {anew[name]:.3f}")
    return {"extend_x_new": round(max(kept.values()), 3), "extend_x_new_without": round(max(anew.values()), 3)}


def _extended(
    folder: Path, first: OurRun, rule: Mapping[str, Any], schedule: str, *, horizon: int
) -> tuple[int, int]:
    """Return the calls that are paid for to go on, and those of the new epochs."""
    longer = _train(folder, rule, schedule, epochs=AFTER, horizon=horizon)
    ends = {epoch.epoch: epoch.calls or 0 for epoch in longer.history.epochs}
    return len(longer.calls) - len(first.calls), ends[AFTER] - ends[BEFORE]


def _train(folder: Path, rule: Mapping[str, Any], schedule: str, *, epochs: int, horizon: int = 0) -> OurRun:
    config = {**SHORT, "num_epochs": epochs, "lr_scheduler": schedule}
    run = {"folder": str(folder), "config": config, "seed": 3, "sizes": SIZES, "median": 0.0, "sigma": 0.0}
    return train(run, optimizer={**BUDGET, "horizon": horizon}, evaluation=rule)
