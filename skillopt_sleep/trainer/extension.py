"""Say what it takes to go on with a run for more epochs, and which of its paid calls are made again."""

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.learning.select import edit_budget
from skillopt_sleep.records import Record
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.manifest import horizon_of
from skillopt_sleep.trainer.run import CONFIG, HISTORY, SUMMARY, read_kept, read_manifest, read_spending
from skillopt_sleep.trainer.summary import History, StepRecord, Summary

_FALLING = frozenset({"linear", "cosine"})


class Extension(Record, frozen=True, kw_only=True):
    """A run that goes on for more epochs: of its `answers`, about `again` are asked for again, as `why` says.

    `paid` is how many calls were paid in its folder, None if that isn't known. `usd` is about what those that are
    made again cost, None if that isn't known. `kept_by` is the horizon under which none is, and `stopped` why the run
    ended before all of its epochs, "" if it didn't.
    """

    folder: str
    before: int
    epochs: int
    answers: int
    paid: int | None = None
    again: int = 0
    usd: float | None = 0.0
    why: str = ""
    kept_by: int = 0
    stopped: str = ""


class _Parting(Record, frozen=True, kw_only=True):
    """The first record that differs in the longer run: after how many calls it began, and why it differs."""

    calls: int
    why: str


def extension(config: TrainerConfig, folder: Path, *, per_epoch: int) -> Extension | None:
    """Return what going on with the run in this folder takes, None if there is none or no epoch is added.

    `per_epoch` is how many steps an epoch has. Raises ConfigError if the folder can't be read.
    """
    if not (folder / CONFIG).exists():
        return None
    manifest = read_manifest(folder)
    history = read_kept(folder / HISTORY, History)
    before: int = manifest.config["train"]["epochs"]
    if history is None or before >= config.train.epochs:
        return None
    summary = read_kept(folder / SUMMARY, Summary)
    reached = max(record.calls or 0 for record in (*history.steps, *history.epochs))
    spending = read_spending(folder)
    found = Extension(
        folder=str(folder),
        before=before,
        epochs=config.train.epochs,
        answers=summary.total.calls if summary else reached,
        paid=spending.paid.calls if spending else None,
        stopped=summary.stopped if summary else "",
    )
    horizon = horizon_of(manifest)
    if config.horizon == horizon:
        return found
    parting = next(_partings(config, history, before=horizon, per_epoch=per_epoch), None)
    if parting is None:
        return found
    again = reached - parting.calls
    return replace(found, again=again, usd=_dollars(again, summary), why=parting.why, kept_by=horizon)


def _partings(config: TrainerConfig, history: History, *, before: int, per_epoch: int) -> Iterator[_Parting]:
    """Yield where the longer run parts from this one, the first place first."""
    shares = f"each trial has a smaller share of evaluation.alpha over {config.horizon} epochs"
    shared = config.evaluation.gate == "sequential" and config.judged != "end"
    calls = history.calls or 0
    for step in history.steps:
        old = _budget(config, step, before * per_epoch)
        new = _budget(config, step, config.horizon * per_epoch)
        if old is not None and new is not None and old != new and step.merged > min(old, new):
            schedule = f"with optimizer.schedule {config.optimizer.schedule}"
            budgets = f"step {step.step} may apply {new} instead of {old} edits"
            yield _Parting(calls=calls, why=f"{schedule} over {config.horizon} epochs, {budgets}")
        if shared and step.gated.n:
            yield _Parting(calls=calls, why=shares)
        calls = step.calls or calls
        ended = [epoch for epoch in history.epochs if epoch.epoch == step.epoch and step.step_in_epoch == per_epoch]
        for epoch in ended:
            if shared and any(gated.n for gated in (epoch.gated, epoch.judged) if gated):
                yield _Parting(calls=calls, why=shares)
            calls = epoch.calls or calls


def _budget(config: TrainerConfig, step: StepRecord, total: int) -> int | None:
    """Return the edit budget of a step under a schedule over so many steps, None if it doesn't depend on them."""
    own = config.optimizer
    if step.edit_budget is None or own.schedule not in _FALLING:
        return None
    return edit_budget(own.schedule, step=step.step, total=total, most=own.edit_budget, least=own.min_edit_budget)


def _dollars(calls: int, summary: Summary | None) -> float | None:
    """Return what so many calls cost at the mean price of those so far."""
    if summary is None or summary.total.usd is None or not summary.total.calls:
        return None
    return calls * summary.total.usd / summary.total.calls
