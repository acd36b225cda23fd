"""Check what a training is given, as strictly from Python as from a file, and name what is set for nothing."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import Metric, Split
from skillopt_sleep.trainer.config import TrainerConfig, config_of
from skillopt_sleep.trainer.env import Env, Item, check_env, kind_of

_ONLY_FOR_EDITS = (
    "gradient.reflection",
    "gradient.failure_only",
    "gradient.merge_batch",
    "optimizer.edit_budget",
    "optimizer.min_edit_budget",
    "optimizer.schedule",
)


def checked_config(config: object) -> TrainerConfig:
    """Return the configuration with every value as a file would give it; raise ConfigError naming every mistake."""
    if not isinstance(config, TrainerConfig):
        raise ConfigError(
            f"the configuration is {kind_of(config)}, not a TrainerConfig",
            remedy="make one, as in TrainerConfig(train=TrainSection(epochs=3)), or read one with load_config",
        )
    return config_of(_plain(config), where="TrainerConfig", kind=type(config))


def _plain(config: msgspec.Struct) -> dict[str, Any]:
    """Return the sections as dictionaries, with their values as they are."""
    plain: dict[str, Any] = {}
    for name in config.__struct_fields__:
        value = getattr(config, name)
        plain[name] = _plain(value) if isinstance(value, msgspec.Struct) else value
    return plain


def check_arguments(env: Env, *, pools: Mapping[str, Pool | None], skill: str | None, on_step: object = None) -> None:
    """Raise ConfigError if an argument of a training isn't of its kind."""
    check_env(env)
    for name, pool in pools.items():
        if pool is not None and not callable(getattr(pool, "map", None)):
            raise ConfigError(
                f"the {name} is {kind_of(pool)}, not a pool",
                remedy="leave it out, and set train.workers to the number of attempts at once",
            )
    if skill is not None and not isinstance(cast("object", skill), str):
        raise ConfigError(
            f"the skill is {kind_of(skill)}, not a text",
            remedy="pass its text, as in path.read_text(encoding='utf-8')",
        )
    if on_step is not None and not callable(on_step):
        raise ConfigError(
            f"on_step is {kind_of(on_step)}, not a function", remedy="pass a function that takes one step"
        )


def unused(config: TrainerConfig, items: Mapping[Split, Sequence[Item]]) -> Iterator[str]:
    """Yield, in words, which keys change nothing without another one, and which ask for more items than there are."""
    defaults = TrainerConfig()
    for key, other in _needing(config):
        section, _, name = key.partition(".")
        if getattr(getattr(config, section), name) != getattr(getattr(defaults, section), name):
            yield f"{key} changes nothing without {other}"
    own = config.optimizer
    if own.min_edit_budget == 0 and own.schedule in {"linear", "cosine"} and own.mode != "full_rewrite":
        yield "optimizer.min_edit_budget is 0, so steps that get no edit are paid for and learn nothing"
    wanted = {
        "evaluation.val_items": (config.evaluation.val_items, Split.VAL),
        "evaluation.test_items": (config.evaluation.test_items if config.evaluation.test else 0, Split.TEST),
    }
    for key, (most, split) in wanted.items():
        if most > len(items[split]):
            yield f"{key} is {most:,}, but {split} has only {len(items[split]):,}"


def _needing(config: TrainerConfig) -> Iterator[tuple[str, str]]:
    """Yield the keys that have no effect under this configuration, each with what would give it one."""
    if config.evaluation.metric is not Metric.MIXED:
        yield "evaluation.mixed_weight", 'evaluation.metric = "mixed"'
    if not config.evaluation.test:
        yield "evaluation.test_items", "evaluation.test"
    if config.of_preset.gate != "sequential":
        yield "evaluation.alpha", 'preset = "evidence"'
    if config.optimizer.mode == "full_rewrite":
        for key in _ONLY_FOR_EDITS:
            yield key, "another optimizer.mode"
    if config.optimizer.schedule in {"constant", "none"} and config.optimizer.edit_budget > 1:
        yield "optimizer.min_edit_budget", "another optimizer.schedule"
    names = {config.backend.name, config.target.name}  # an empty key of a target is taken from the backend
    if config.backend.name != "" and not names & {"auto", "claude", "codex"}:
        yield "backend.program", "backend.name claude or codex"
    if "azure" not in names:
        yield "backend.api_version", "backend.name azure"
    if config.train.pool != "ray":
        yield "train.ray", 'train.pool = "ray"'


def ignored(config: TrainerConfig) -> Iterator[str]:
    """Yield which keys aren't looked at in Python, as Trainer is given the environment and the models."""
    defaults = TrainerConfig()
    names = [name for name in ("env", "backend", "target") if getattr(config, name) != getattr(defaults, name)]
    if names:
        yield f"Trainer is given its environment and models, so these aren't looked at: {', '.join(names)}"
