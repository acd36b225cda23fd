"""Show a training: how it ended, each step and epoch, and what it cost."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from skillopt_sleep.cli.train_shown import scored, summary_lines
from skillopt_sleep.kit.words import counted
from skillopt_sleep.trainer.found import Run

if TYPE_CHECKING:
    from skillopt_sleep.trainer.attempts import Cost
    from skillopt_sleep.trainer.summary import EpochRecord, Gated, History, StepRecord

_SHORTEST = 0.05  # shorter stages, in seconds, are not shown


def training_lines(training: Run) -> Iterator[str]:
    """Yield a training: its result or why it has none, its steps and epochs in order, and what each stage took."""
    costs: Mapping[str, Cost] = {}
    if training.summary:
        costs = training.summary.costs
        yield from summary_lines(training.summary, training.paid)
    else:
        yield from _unfinished(training)
    if training.history:
        yield from _history_lines(training.history, is_guided=training.manifest.config["optimizer"]["slow_update"])
    yield from _stage_lines(costs, seconds_of(training))


def seconds_of(run: Run) -> dict[str, float]:
    """Return the seconds of each stage, empty if no stage has ended yet."""
    return run.spending.seconds if run.spending else {}


def _unfinished(training: Run) -> Iterator[str]:
    """Yield why a training has no result, as far as that is known, and what it has paid."""
    from skillopt_sleep.trainer.manifest import is_outdated
    from skillopt_sleep.trainer.spent import price

    why = f": {training.ended}" if training.ended else ""
    how = "An older version began it, so it can't go on"
    if not is_outdated(training.manifest):
        how = "To go on: train --resume"
    yield f"{training.manifest.env}: not finished{why}. {how}"
    if training.paid:
        until = "paid so far" if training.ended else "paid until its last step"
        yield f"{until}: {price(training.paid)}"


def _history_lines(history: "History", *, is_guided: bool) -> Iterator[str]:
    """Yield the steps, and after those of an epoch how it ended."""
    from skillopt_sleep.trainer.summary import ACTIONS

    ends = {epoch.epoch: epoch for epoch in history.epochs}
    for place, step in enumerate(history.steps):
        did = ACTIONS[step.gated.action]
        came = f"train {scored(step.train)}{_change(step.gated)}{_besides(step)}"
        yield f"  step {step.step:4} (epoch {step.epoch}), {did}: {came}"
        is_last = place + 1 == len(history.steps) or history.steps[place + 1].epoch != step.epoch
        if is_last and step.epoch in ends:
            yield from _epoch_lines(ends[step.epoch], is_guided=is_guided)
    if history.end:
        gated = history.end.gated
        yield f"  final skill, {ACTIONS[gated.action]}{_change(gated)}: {gated.reason}"


def _epoch_lines(epoch: "EpochRecord", *, is_guided: bool) -> Iterator[str]:
    """Yield what the look back at the end of an epoch wrote, and what val said of the epoch."""
    from skillopt_sleep.trainer.summary import ACTIONS

    if epoch.epoch > 1:
        yield f"  end of epoch {epoch.epoch}: {_guidance(epoch, is_guided=is_guided)}"
    if epoch.judged:
        judged = epoch.judged
        yield f"  epoch {epoch.epoch}, {ACTIONS[judged.action]}{_change(judged)}: {judged.reason}"


def _guidance(epoch: "EpochRecord", *, is_guided: bool) -> str:
    """Say what became of the guidance, or why there is none."""
    from skillopt_sleep.trainer.summary import ACTIONS

    if epoch.gated:
        return f"guidance {ACTIONS[epoch.gated.action]}: {epoch.gated.reason}"
    if not is_guided:
        return "no guidance, as optimizer.slow_update is off"
    failed = [note.summary for note in epoch.notes if note.stage == "slow_update"]
    refused = [edit.because for edit in epoch.edits if edit.because]
    for reason in (*failed, *refused):
        return f"no guidance: {reason}"
    if not epoch.compared:
        return "no guidance, as nothing could be compared"
    if not any(epoch.compared.get(change) for change in ("regressed", "persistent_fail")):
        return "no guidance, as none of the compared items fails"
    return "no guidance, as the optimizer had nothing to add"


def _besides(step: "StepRecord") -> str:
    """Return why edits of a step were refused or never tried, and that notes were put in, if that is so."""
    reasons = [f"{edit.fate}: {edit.because}" for edit in step.edits if edit.because]
    if step.appendix:
        reasons.append(f"{counted(len(step.appendix), 'note')} in the appendix, put in without a trial")
    return "".join(f"; {reason}" for reason in dict.fromkeys(reasons))


def _change(gated: "Gated") -> str:
    """Return the scores on val that were compared, if any were."""
    if gated.after is None:
        return ""
    answers = f", {gated.n} answers" if gated.n > gated.size else ""
    return f"; val {gated.before:.3f} → {gated.after:.3f} (n={gated.size}{answers})"


def _stage_lines(costs: "Mapping[str, Cost]", seconds: Mapping[str, float]) -> Iterator[str]:
    """Yield what the answers were for and cost, and how long each stage took."""
    from skillopt_sleep.trainer.spent import cost

    if costs:
        yield "answers used, by purpose:"
    for stage, spent in costs.items():
        yield f"  {stage}: {cost(spent)}"
    times = {stage: taken for stage, taken in seconds.items() if taken >= _SHORTEST}
    if times:
        yield "time by stage, over all resumed runs:"
    for stage, taken in times.items():
        yield f"  {stage}: {taken:.1f} s"
