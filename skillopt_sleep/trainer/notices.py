"""Say what should be known of a training before anything is spent on it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.words import counted
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.course import steps_in_all
from skillopt_sleep.trainer.data import read_items, remarks, repeated, used_splits
from skillopt_sleep.trainer.env import Env, Item
from skillopt_sleep.trainer.plan import TrainingPlan, plan
from skillopt_sleep.trainer.power import warned
from skillopt_sleep.trainer.run import SUMMARY, read_kept
from skillopt_sleep.trainer.summary import Summary
from skillopt_sleep.trainer.unused import unused


def notices(
    config: TrainerConfig,
    env: Env,
    *,
    optimizer: Backend,
    target: Backend,
    initial_skill: str | None,
    folder: Path,
    resume: bool,
) -> Iterator[str]:
    """Yield what is left out of the data or changes nothing, what the gate can't prove, and what more epochs cost.

    Raises ConfigError if the dataset can't be used.
    """
    items = read_items(env, config)
    yield from data_lines(config, env, items)
    if config.evaluation.gate == "sequential":
        steps = steps_in_all(config, len(items[Split.TRAIN]))
        for note in warned(config, steps=steps, val=len(items[Split.VAL])):
            yield f"Gate: {note.summary}; {note.remedy}."
    if resume and was_asked(config, folder):
        yield (
            "Gate: val was asked when this training ended early. If it goes on, val is asked a second time, which "
            "evaluation.alpha doesn't count."
        )
    if resume:
        # Results that can't be read are written anew, and whatever else is wrong the training says itself.
        with suppress(ConfigError):
            made = plan(config, env, optimizer=optimizer, target=target, initial_skill=initial_skill, folder=folder)
            price = " ".join(extension_lines(made))
            if price:
                yield price


def was_asked(config: TrainerConfig, folder: Path) -> bool:
    """Return whether the run in the folder ended early with a trial of the evidence gate that is held once only."""
    if config.evaluation.gate != "sequential" or config.judged == "step":
        return False
    with suppress(ConfigError):
        summary = read_kept(folder / SUMMARY, Summary)
        return bool(summary and summary.stopped)
    return False


def data_lines(config: TrainerConfig, env: Env, items: Mapping[Split, Sequence[Item]]) -> Iterator[str]:
    """Yield what the environment leaves out of the data, which items are in train too, and what does nothing."""
    for text in (*remarks(env, used_splits(config)), *repeated(items)):
        yield f"Data: {text}."
    for text in unused(config, items):
        yield f"Config: {text}."
    if config.evaluation.gate == "sequential" and config.judged != "end" and config.train.epochs > config.horizon:
        yield (
            f"Gate: evaluation.alpha is laid over {counted(config.horizon, 'epoch')} (optimizer.horizon). "
            "Trials after them can prove nothing, unless an earlier one was won."
        )


def extension_lines(made: TrainingPlan) -> list[str]:
    """Return what it takes to go on with a run for more epochs, nothing if none would go on."""
    extends = made.extends
    if extends is None:
        return []
    goes_on = f"The training in {extends.folder} goes on from {extends.before} to {extends.epochs} epochs"
    paid = "" if extends.paid is None else f", {counted(extends.paid, 'call')} paid in this folder"
    so_far = f"{counted(extends.answers, 'answer')} so far{paid}"
    lines = [f"{goes_on}: at most {made.added:,} new calls, with {made.each}, after {so_far}."]
    if extends.again:
        usd = "" if extends.usd is None else f", about ${extends.usd:,.2f},"
        again = f"Besides, about {extends.again:,} of these answers{usd} are asked for again: {extends.why}."
        lines.append(f"{again} To keep them as they are, set optimizer.horizon = {extends.kept_by}.")
    else:
        lines.append(
            "None of these answers is asked for again; those that only scored the final skill so far may not be used."
        )
    if extends.stopped:
        lines.append(f"It ended early: {extends.stopped}. With the same settings it ends there again.")
    return lines
