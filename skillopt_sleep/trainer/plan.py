"""Say before any call what a training may cost, how often it ships a gain, and what else should be known of it."""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from skillopt_sleep.backends.metered import CHARS_PER_TOKEN
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.learning.statistics import STAKES, bet, start, statistic
from skillopt_sleep.prompts.attempts import RESPONSE_CHARS
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Record, Split, Usage
from skillopt_sleep.trainer.calls import priced
from skillopt_sleep.trainer.checks import unused
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.data import read_items, remarks, repeated, used_splits
from skillopt_sleep.trainer.env import Env, Item
from skillopt_sleep.trainer.epochs import FIRST_SHARE, steps_in_all
from skillopt_sleep.trainer.removal import most_attempts
from skillopt_sleep.trainer.run import read_paid
from skillopt_sleep.trainer.slow import SLOW_ITEMS

ANSWER_TOKENS = 300  # of an answer whose length nobody knows yet
FRAME_CHARS = 200  # of what an environment writes around a question
REPLY_TOKENS = 800  # of a reply of the optimizer
GAINS = (0.1, 0.2, 0.3)
_BASE = 0.3  # the share of right answers before the gain
_RUNS = 200
_TRIED = 0.5  # the share of steps that usually have a candidate left for val


class PlannedStage(Record, frozen=True, kw_only=True):
    """The calls of one purpose, usually and at most, with about so many tokens at most; `usd` None: price unknown."""

    name: str
    usual: int
    calls: int
    tokens: int
    usd: float | None = None


class TrainingPlan(Record, frozen=True, kw_only=True):
    """A training before it runs: its calls by stage, usually and at most.

    An attempt counts with `calls_each` calls, as many as its environment says that one makes at most. `ships` says,
    with the preset evidence, in what share of runs a skill that gains so much is shipped.
    """

    schema_version: int = 2
    items: dict[str, int]
    steps: int
    stages: tuple[PlannedStage, ...]
    ships: tuple[tuple[float, float], ...] = ()
    calls_each: int = 1

    @property
    def usual(self) -> int:
        """About how many calls are made, if about half of the steps have a candidate for val."""
        return sum(stage.usual for stage in self.stages)

    @property
    def calls(self) -> int:
        """The most calls of all stages."""
        return sum(stage.calls for stage in self.stages)

    @property
    def tokens(self) -> int:
        """About how many tokens they take at most."""
        return sum(stage.tokens for stage in self.stages)

    @property
    def usd(self) -> float | None:
        """About how many dollars they cost at most, None if a price isn't known."""
        total = 0.0
        for stage in self.stages:
            if stage.usd is None:
                return None
            total += stage.usd
        return total


def plan(
    config: TrainerConfig, env: Env, *, optimizer: Backend, target: Backend, initial_skill: str | None = None
) -> TrainingPlan:
    """Return what this training makes, with the calls of each attempt that its environment tells, else one.

    No model is asked. Raises ConfigError as the training would.
    """
    items = read_items(env, config)
    sizes = {split: len(some) for split, some in items.items()}
    skill = initial_skill if initial_skill is not None else env.initial_skill()
    steps = steps_in_all(config, sizes[Split.TRAIN])
    chars = len(skill) + _mean_chars(items)
    attempt = Usage(input_tokens=chars // CHARS_PER_TOKEN, output_tokens=ANSWER_TOKENS)
    shown = len(skill) + config.gradient.minibatch * min(RESPONSE_CHARS, chars + ANSWER_TOKENS)
    reply = Usage(input_tokens=shown // CHARS_PER_TOKEN, output_tokens=REPLY_TOKENS)
    each: int = getattr(env, "calls_each", 1)
    stages: list[PlannedStage] = []
    for name, (usual, most) in _attempts(config, sizes, steps).items():
        stages.append(_stage(name, each * usual, each * most, attempt, target))
    for name, (usual, most) in _questions(config, steps).items():
        stages.append(_stage(name, usual, most, reply, optimizer))
    return TrainingPlan(
        items={split.value: size for split, size in sizes.items()},
        steps=steps,
        stages=tuple(stage for stage in stages if stage.calls),
        ships=tuple((gain, ships(config, gain, sizes[Split.VAL])) for gain in GAINS)
        if config.of_preset.at_end
        else (),
        calls_each=each,
    )


def ships(config: TrainerConfig, gain: float, val: int) -> float:
    """Return in what share of runs the evidence gate ships a skill that truly gains so much, by simulation."""
    chance = random.Random(7)  # noqa: S311 - a simulation, not a secret
    alpha = config.evaluation.alpha * FIRST_SHARE
    won = 0
    for _ in range(_RUNS):
        wealth = start(STAKES)
        for _ in range(config.of_preset.rounds):
            pairs = [(chance.random() < _BASE + gain) - (chance.random() < _BASE) for _ in range(val)]
            wealth = bet(wealth, pairs)
            if statistic(wealth) >= 1 / alpha:
                won += 1
                break
    return won / _RUNS


def notices(
    config: TrainerConfig, env: Env, *, optimizer: Backend, target: Backend, initial_skill: str | None, folder: Path
) -> Iterator[str]:
    """Yield what should be known of a training before anything is spent on it.

    That is what is left out of the data, what changes nothing, and whether a limit will end it early. Raises
    ConfigError if the dataset can't be used.
    """
    items = read_items(env, config)
    yield from data_lines(config, env, items)
    made = plan(config, env, optimizer=optimizer, target=target, initial_skill=initial_skill)
    paid = read_paid(folder)
    yield from limit_lines(config, made, paid=paid.calls if paid else 0)


def data_lines(config: TrainerConfig, env: Env, items: Mapping[Split, Sequence[Item]]) -> Iterator[str]:
    """Yield what the environment leaves out of the data, which items are in train too, and what does nothing."""
    for text in (*remarks(env, used_splits(config)), *repeated(items)):
        yield f"Data: {text}."
    for text in unused(config, items):
        yield f"Config: {text}."


def limit_lines(config: TrainerConfig, made: TrainingPlan, *, paid: int = 0) -> Iterator[str]:
    """Yield whether the limit of calls ends the training early; so many were paid for already."""
    limit = config.limits.calls
    if not limit or limit >= made.calls:
        return
    known = f"it takes about {made.usual:,} calls, {made.calls:,} at most"
    if limit >= made.usual:
        yield f"Limit: limits.calls = {limit} may end it early, as {known}."
        return
    so_far = f", of which {paid:,} are paid already," if paid else ""
    begun = made.calls_each * (made.items["val"] + made.items["test"])
    least = begun + made.calls_each * min(made.items["train"], config.train.batch_size * config.train.accumulation)
    if limit < least:
        yield (
            f"Limit: limits.calls = {limit}{so_far} ends it without a result: the first scores take {least:,} calls "
            "(a batch of train, val and test)."
        )
        return
    usual = {stage.name: stage.usual for stage in made.stages}
    at_end = sum(usual.get(name, 0) for name in ("val", "removal", "test"))
    fixed = at_end if config.of_preset.at_end else 2 * begun
    steps = min(max(0, int(made.steps * (limit - fixed) / max(1, made.usual - fixed))), made.steps)
    yield (
        f"Limit: limits.calls = {limit}{so_far} will end it after about {steps} of {made.steps} steps, as {known}. "
        "The best skill so far is kept."
    )


def _attempts(config: TrainerConfig, sizes: Mapping[Split, int], steps: int) -> dict[str, tuple[int, int]]:
    """Return the usual and the most attempts of each kind."""
    way, edits = config.of_preset, _edits(config)
    train, val, test = (sizes[split] for split in (Split.TRAIN, Split.VAL, Split.TEST))
    items = min(train, config.train.batch_size * config.train.accumulation)
    screened = 2 * edits * (way.screen + items - 1) if way.screen else 0
    looked_back = 2 * min(SLOW_ITEMS, train) * (config.epochs - 1) * way.look_back
    tried = math.ceil(_TRIED * steps)
    removal = most_attempts(steps * edits) if way.removal else 0
    if way.at_end:
        passes = (2 + way.rounds, 2 + 4 * way.rounds)
    else:
        afresh = 2 if way.redraw else 1
        # The initial skill, the final one, and the best one afresh.
        passes = (2 + tried, 3 + 2 * afresh * (steps + 1) + (config.epochs - 1) * way.look_back)
    return {
        "train": (config.epochs * train, config.epochs * train),
        "screen": (steps * 2 * edits * way.screen, steps * screened),
        "removal": (removal // 8, removal),
        "val": (passes[0] * val, passes[1] * val),
        "slow": (looked_back, looked_back),
        "test": (2 * test, 3 * test),
    }


def _edits(config: TrainerConfig) -> int:
    """Return the most edits of a step."""
    if config.optimizer.schedule == "none":
        return config.optimizer.edit_budget * config.train.accumulation * _reflections(config)
    return config.optimizer.edit_budget


def _reflections(config: TrainerConfig) -> int:
    """Return the most calls that reflect on one batch."""
    if config.gradient.reflection == "shallow":
        return config.train.batch_size + 1
    return math.ceil(config.train.batch_size / config.gradient.minibatch) + 1


def _questions(config: TrainerConfig, steps: int) -> dict[str, tuple[int, int]]:
    """Return the usual and the most questions to the optimizer of each kind."""
    own, way = config.optimizer, config.of_preset
    reflections = _reflections(config)
    batches = steps * config.train.accumulation
    deep = batches if config.gradient.reflection == "deep" else 0
    later = config.epochs - 1
    most = {"slow_update": later * way.look_back, "meta_skill": max(later - 1, 0) * way.look_back}
    if own.mode == "full_rewrite":
        most |= {"rewrite_full": batches * reflections, "rewrite": steps}
    else:
        most |= {
            "diagnose": deep * reflections,
            "reflect": batches * reflections,
            "reflect_deep": deep,
            "aggregate": batches * (reflections + 1),
            "budget": steps if own.schedule == "autonomous" else 0,
            "select": steps,
            "rewrite": steps if own.mode == "rewrite" else 0,
        }
    usual = most | {"aggregate": 2 * batches if "aggregate" in most else 0}
    return {name: (min(usual[name], calls), calls) for name, calls in most.items()}


def _stage(name: str, usual: int, calls: int, usage: Usage, model: Backend) -> PlannedStage:
    usd = priced(model, usage)
    dollars = None if usd is None else calls * usd
    return PlannedStage(name=name, usual=usual, calls=calls, tokens=calls * usage.tokens, usd=dollars)


def _mean_chars(items: Mapping[Split, Sequence[Item]]) -> int:
    """Return how long the question of an item is: its text, or what its data holds if that is more."""
    lengths = [max(len(item.text), len(to_json(item.data))) for some in items.values() for item in some]
    return sum(lengths) // max(1, len(lengths)) + FRAME_CHARS
