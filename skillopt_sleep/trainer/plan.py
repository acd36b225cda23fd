"""Say what a training may cost and what its val set can prove, before any call is made."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.backends.metered import CHARS_PER_TOKEN
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Metric, Record, Split, Usage
from skillopt_sleep.stores.calls import completed_calls
from skillopt_sleep.trainer.asked import priced
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.course import steps_in_all, steps_per_epoch
from skillopt_sleep.trainer.data import read_items
from skillopt_sleep.trainer.env import Env, Item
from skillopt_sleep.trainer.extension import Extension, extension
from skillopt_sleep.trainer.power import smallest_gain
from skillopt_sleep.trainer.run import CALLS, CONFIG, HISTORY, SUMMARY, read_kept
from skillopt_sleep.trainer.summary import History
from skillopt_sleep.trainer.worth import most_attempts

ANSWER_TOKENS = 300  # of an answer whose length nobody knows yet
FRAME_CHARS = 200  # of what an environment writes around a question
REPLY_TOKENS = 800  # of a reply of the optimizer


class Stage(Record, frozen=True, kw_only=True):
    """The calls of one purpose, at most, with about so many tokens; `usd` is None if no price is known."""

    name: str
    calls: int
    tokens: int
    usd: float | None = None


class TrainingPlan(Record, frozen=True, kw_only=True):
    """A training before it runs: at most so many calls by stage, and the smallest gain its val set can prove.

    An attempt counts with `calls_each` calls, as many as its environment says that one makes at most.
    `smallest_gain` is None if the gate can prove nothing; under a rule of unknown error rate it is what is accepted.
    It holds where a skill repeats its answers; where they differ each time, all `passes` count, which can prove
    `varied_gain`.
    `extends` is the run in the folder that would go on for more epochs, None if there is none, and `added` the most
    calls that its new epochs make. A training that hasn't begun finds `kept` completed answers, as in a fork or in
    the file of `train.shared`: what asks the same as one of them isn't paid for. A run that isn't finished makes at
    most `left` calls more, None if there is no such run.
    """

    schema_version: int = 1
    items: dict[str, int]
    steps: int
    stages: tuple[Stage, ...]
    gate: str
    smallest_gain: float | None
    varied_gain: float | None
    passes: int
    proves: bool
    extends: Extension | None = None
    added: int = 0
    kept: int = 0
    calls_each: int = 1
    left: int | None = None

    @property
    def each(self) -> str:
        """Say with how many calls for each attempt it counts."""
        return f"{'one' if self.calls_each == 1 else self.calls_each} for each attempt"

    @property
    def calls(self) -> int:
        """The most calls of all stages."""
        return sum(stage.calls for stage in self.stages)

    @property
    def tokens(self) -> int:
        """About how many tokens they take."""
        return sum(stage.tokens for stage in self.stages)

    @property
    def usd(self) -> float | None:
        """About how many dollars they cost, None if a price isn't known."""
        total = 0.0
        for stage in self.stages:
            if stage.usd is None:
                return None
            total += stage.usd
        return total


def plan(
    config: TrainerConfig,
    env: Env,
    *,
    optimizer: Backend,
    target: Backend,
    initial_skill: str | None = None,
    folder: Path | None = None,
) -> TrainingPlan:
    """Return what this training makes at most, with the calls of each attempt that its environment tells, else one.

    No model is asked.

    If the `folder` has a run with fewer epochs, the plan says what it takes to go on with it. Raises ConfigError and
    StoreError as the training would.
    """
    items = read_items(env, config)
    sizes = {split: len(some) for split, some in items.items()}
    skill = initial_skill if initial_skill is not None else env.initial_skill()
    steps = steps_in_all(config, sizes[Split.TRAIN])
    chars = len(skill) + _mean_chars(items)
    attempt = Usage(input_tokens=chars // CHARS_PER_TOKEN, output_tokens=ANSWER_TOKENS)
    shown = len(skill) + config.gradient.minibatch * min(config.gradient.shown_chars, chars + ANSWER_TOKENS)
    reply = Usage(input_tokens=shown // CHARS_PER_TOKEN, output_tokens=REPLY_TOKENS)
    stages: list[Stage] = []
    each: int = getattr(env, "calls_each", 1)
    for name, calls in _attempts(config, sizes, steps, each).items():
        stages.append(_stage(name, calls, attempt, target))
    for name, calls in _questions(config, steps).items():
        stages.append(_stage(name, calls, reply, optimizer))
    proves = config.evaluation.gate == "sequential"
    extends = None
    if folder is not None:
        extends = extension(config, folder, per_epoch=steps_per_epoch(config, sizes[Split.TRAIN]))
    made = TrainingPlan(
        items={split.value: size for split, size in sizes.items()},
        steps=steps,
        stages=tuple(stage for stage in stages if stage.calls),
        gate=config.evaluation.gate,
        smallest_gain=_provable(config, steps=steps, val=sizes[Split.VAL], passes=1),
        varied_gain=_provable(config, steps=steps, val=sizes[Split.VAL], passes=config.evaluation.rounds),
        passes=config.evaluation.rounds if proves else config.evaluation.samples,
        proves=proves,
        extends=extends,
        added=_added(config, sizes, extends, each) if extends else 0,
        kept=_kept(config, folder) if folder else 0,
        calls_each=each,
    )
    return replace(made, left=_left(made, folder)) if folder else made


def _provable(config: TrainerConfig, *, steps: int, val: int, passes: int) -> float | None:
    """Return the smallest mean gain that so many passes over val can prove by the chosen gate, None if none.

    Rules but the evidence gate take whatever is more than nothing: one right answer more, or 0 for any gain, however
    small, if answers are graded in parts.
    """
    if config.evaluation.gate != "sequential":
        return 1 / (val * config.evaluation.samples) if config.evaluation.metric is Metric.HARD else 0.0
    shared = config.trials_left(epochs=config.horizon, steps=steps * config.horizon // config.train.epochs)
    gain = smallest_gain(val, alpha=config.evaluation.alpha / shared, rounds=passes)
    return None if gain is None else max(gain, config.evaluation.min_effect)


def _kept(config: TrainerConfig, folder: Path) -> int:
    """Return how many completed answers a training that hasn't begun in this folder would find, 0 if it has begun."""
    if (folder / CONFIG).exists():
        return 0
    shared = config.train.shared
    return completed_calls(folder.absolute().parent / shared if shared else folder / CALLS)


def _left(made: TrainingPlan, folder: Path) -> int | None:
    """Return the most calls that a run in this folder still makes, None if there is none or it is finished."""
    if not (folder / CONFIG).exists() or (folder / SUMMARY).exists():
        return None
    history = read_kept(folder / HISTORY, History)
    if history is None:
        return made.calls
    answered = max(record.calls or 0 for record in (history, *history.steps, *history.epochs))
    return max(0, made.calls - answered)


def _added(config: TrainerConfig, sizes: Mapping[Split, int], extends: Extension, each: int) -> int:
    """Return the most calls of the new epochs, with the report of the best and the final skill that come of them."""
    train = replace(config.train, epochs=extends.before)
    own = replace(config.optimizer, horizon=0)
    shorter = replace(config, train=train, optimizer=own)
    reported = 2 * each * (config.evaluation.samples * sizes[Split.VAL] + sizes[Split.TEST])
    return _most(config, sizes, each) - _most(shorter, sizes, each) + reported


def _most(config: TrainerConfig, sizes: Mapping[Split, int], each: int) -> int:
    """Return the most calls of a training."""
    steps = steps_in_all(config, sizes[Split.TRAIN])
    return sum(_attempts(config, sizes, steps, each).values()) + sum(_questions(config, steps).values())


def _attempts(config: TrainerConfig, sizes: Mapping[Split, int], steps: int, each: int) -> dict[str, int]:
    """Return the most calls of the attempts of each kind, with so many `each`."""
    epochs, own = config.train.epochs, config.optimizer
    train, val, test = (sizes[split] for split in (Split.TRAIN, Split.VAL, Split.TEST))
    compared = 0
    if own.slow_update or own.meta_skill:
        paired = min(own.slow_samples, train) if own.slow_pairs == "mixed" else train
        compared = 2 * paired * (epochs - 1)
    most = {
        "train": epochs * train * config.train.samples,
        "screen": steps * _screened(config, train),
        "removal": own.removal * len(config.ends) * most_attempts(steps * _edits(config)),
        "val": _passes(config, steps) * val,
        "slow": compared,
        "test": 3 * test,
    }
    return {name: each * attempts for name, attempts in most.items()}


def _screened(config: TrainerConfig, train: int) -> int:
    """Return the most attempts of a step that try its edits one by one, each on the items it was learned from."""
    pairs = config.optimizer.screen
    if not pairs:
        return 0
    items = min(train, config.train.batch_size * config.train.accumulation)
    return 2 * _edits(config) * (pairs + items - 1)


def _edits(config: TrainerConfig) -> int:
    """Return the most edits of a step."""
    if config.optimizer.schedule == "none":
        return config.optimizer.edit_budget * config.train.accumulation * _reflections(config)
    return config.optimizer.edit_budget


def _passes(config: TrainerConfig, steps: int) -> int:
    """Return the most passes over val: trials, skills that no trial measures, and what is reported at the end."""
    epochs, evaluation = config.train.epochs, config.evaluation
    trials = {"step": steps, "epoch": epochs, "end": len(config.ends)}[config.judged]
    comparisons, unmeasured = trials, 0
    if config.judged == "step":
        trials += (epochs - 1) * config.optimizer.slow_gated + config.optimizer.removal
        # Against the current skill and, if that is another one, against the best; at the end the final one.
        comparisons = 2 * trials + 1
        unmeasured = (epochs - 1) * config.optimizer.slow_update + steps * config.gradient.skill_aware
    # The initial skill, the final one, and the best one afresh.
    reported = 3
    if evaluation.gate == "sequential":
        return 2 * evaluation.rounds * comparisons + unmeasured + reported
    passes = {"never": trials, "doubt": trials + comparisons, "always": 2 * comparisons}[evaluation.redraw]
    return evaluation.samples * (passes + unmeasured + reported)


def _reflections(config: TrainerConfig) -> int:
    """Return the most calls that reflect on one batch."""
    attempts = config.train.batch_size * config.train.samples
    if config.gradient.reflection == "shallow":
        return attempts + 1
    return math.ceil(attempts / config.gradient.minibatch) + 1


def _questions(config: TrainerConfig, steps: int) -> dict[str, int]:
    """Return the most questions to the optimizer of each kind."""
    gradient, own, epochs = config.gradient, config.optimizer, config.train.epochs
    reflections = _reflections(config)
    batches = steps * config.train.accumulation
    deep = batches if gradient.reflection == "deep" else 0
    later = epochs - 1
    looking_back = {
        "slow_update": later if own.slow_update else 0,
        "meta_skill": max(later - 1, 0) if own.meta_skill else 0,
    }
    if own.mode == "full_rewrite":
        return {"rewrite_full": batches * reflections, "rewrite": steps, **looking_back}
    return {
        "diagnose": deep * reflections,
        "reflect": batches * reflections,
        "reflect_deep": deep,
        "aggregate": batches * (reflections + 1),
        "budget": steps if own.schedule == "autonomous" else 0,
        "select": steps,
        "rewrite": steps if own.mode == "rewrite" else 0,
        **looking_back,
        "appendix": steps if gradient.skill_aware and gradient.consolidate_after else 0,
    }


def _stage(name: str, calls: int, usage: Usage, model: Backend) -> Stage:
    usd = priced(model, usage)
    return Stage(name=name, calls=calls, tokens=calls * usage.tokens, usd=None if usd is None else calls * usd)


def _mean_chars(items: Mapping[Split, Sequence[Item]]) -> int:
    """Return how long the question of an item is: its text, or what its data holds if that is more."""
    lengths = [max(len(item.text), len(to_json(item.data))) for some in items.values() for item in some]
    return sum(lengths) // max(1, len(lengths)) + FRAME_CHARS
