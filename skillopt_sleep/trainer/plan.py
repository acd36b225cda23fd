"""Say what a training may cost and what its val set can prove, before any call is made."""

import math
from collections.abc import Mapping, Sequence

from skillopt_sleep.backends.metered import CHARS_PER_TOKEN
from skillopt_sleep.kit.betting import STAKES, bet, start, statistic
from skillopt_sleep.learning.gate import BREADTH
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Record, Split, Usage
from skillopt_sleep.trainer.asked import priced
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.course import steps_per_epoch, trials
from skillopt_sleep.trainer.data import read_items
from skillopt_sleep.trainer.env import Env, Item

ANSWER_TOKENS = 300  # of an answer whose length nobody knows yet
REPLY_TOKENS = 800  # of a reply of the optimizer


class Stage(Record, frozen=True, kw_only=True):
    """The calls of one purpose, at most, with about so many tokens; `usd` is None if no price is known."""

    name: str
    calls: int
    tokens: int
    usd: float | None = None


class TrainingPlan(Record, frozen=True, kw_only=True):
    """A training before it runs: at most so many calls by stage, and the smallest gain its val set can prove.

    `smallest_gain` is None if the gate can prove nothing; under a rule of unknown error rate it is what is accepted.
    """

    schema_version: int = 1
    items: dict[str, int]
    steps: int
    stages: tuple[Stage, ...]
    gate: str
    smallest_gain: float | None
    proves: bool

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
    config: TrainerConfig, env: Env, *, optimizer: Backend, target: Backend, initial_skill: str | None = None
) -> TrainingPlan:
    """Return what this training makes at most, with one call for each attempt; no model is asked.

    Raises ConfigError as the training would.
    """
    items = read_items(env, config)
    sizes = {split: len(some) for split, some in items.items()}
    skill = initial_skill if initial_skill is not None else env.initial_skill()
    steps = config.train.epochs * steps_per_epoch(config, sizes[Split.TRAIN])
    chars = len(skill) + _mean_chars(items)
    attempt = Usage(input_tokens=chars // CHARS_PER_TOKEN, output_tokens=ANSWER_TOKENS)
    shown = len(skill) + config.gradient.minibatch * min(config.gradient.shown_chars, chars + ANSWER_TOKENS)
    reply = Usage(input_tokens=shown // CHARS_PER_TOKEN, output_tokens=REPLY_TOKENS)
    stages: list[Stage] = []
    for name, calls in _attempts(config, sizes, steps).items():
        stages.append(_stage(name, calls, attempt, target))
    for name, calls in _questions(config, steps).items():
        stages.append(_stage(name, calls, reply, optimizer))
    proves = config.evaluation.gate == "sequential"
    return TrainingPlan(
        items={split.value: size for split, size in sizes.items()},
        steps=steps,
        stages=tuple(stage for stage in stages if stage.calls),
        gate=config.evaluation.gate,
        smallest_gain=provable(config, train=sizes[Split.TRAIN], val=sizes[Split.VAL]),
        proves=proves,
    )


def provable(config: TrainerConfig, *, train: int, val: int) -> float | None:
    """Return the smallest mean gain that this val set can prove by the chosen gate, None if it can prove none.

    The evidence gate is asked with its own bets, for a change that loses nothing in its first pass: noise makes it
    more. The other rules take whatever is more than nothing.
    """
    if config.evaluation.gate != "sequential":
        return 1 / val
    alpha = config.rule(trials=trials(config, train)).alpha
    for wins in range(BREADTH, val + 1):
        if statistic(bet(start(STAKES), [1.0] * wins)) >= 1 / alpha:
            return wins / val
    return None


def _attempts(config: TrainerConfig, sizes: Mapping[Split, int], steps: int) -> dict[str, int]:
    """Return the most attempts of each kind."""
    epochs, own = config.train.epochs, config.optimizer
    train, val, test = (sizes[split] for split in (Split.TRAIN, Split.VAL, Split.TEST))
    passes = 1 + steps  # the first skill, and each candidate
    if own.slow_update:
        passes += epochs - 1  # a skill with guidance: tried as a candidate, or measured as the current one
    if config.gradient.skill_aware:
        passes += steps  # a skill with a new note
    if config.evaluation.gate == "sequential":
        passes = 3 + 2 * config.evaluation.rounds * trials(config, train)
    compared = 0
    if own.slow_update or own.meta_skill:
        most = train
        if own.slow_pairs == "mixed":
            most = min(own.slow_samples, train)
        compared = 2 * most * (epochs - 1)
    return {"train": epochs * train, "val": passes * val, "slow": compared, "test": 3 * test}


def _questions(config: TrainerConfig, steps: int) -> dict[str, int]:
    """Return the most questions to the optimizer of each kind."""
    gradient, own, epochs = config.gradient, config.optimizer, config.train.epochs
    reflections = math.ceil(config.train.batch_size / gradient.minibatch) + 1
    batches = steps * config.train.accumulation
    if gradient.reflection == "shallow":
        reflections = config.train.batch_size + 1
    deep = batches if gradient.reflection == "deep" else 0
    later = epochs - 1
    return {
        "diagnose": deep * reflections,
        "reflect": batches * reflections,
        "reflect_deep": deep,
        "aggregate": batches * (reflections + 1),
        "budget": steps if own.schedule == "autonomous" else 0,
        "select": steps,
        "rewrite": steps if own.mode == "rewrite" else 0,
        "slow_update": later if own.slow_update else 0,
        "meta_skill": max(later - 1, 0) if own.meta_skill else 0,
        "appendix": steps if gradient.skill_aware and gradient.consolidate_after else 0,
    }


def _stage(name: str, calls: int, usage: Usage, model: Backend) -> Stage:
    usd = priced(model, usage)
    return Stage(name=name, calls=calls, tokens=calls * usage.tokens, usd=None if usd is None else calls * usd)


def _mean_chars(items: Mapping[Split, Sequence[Item]]) -> int:
    lengths = [len(item.text) for some in items.values() for item in some]
    return sum(lengths) // max(1, len(lengths))
