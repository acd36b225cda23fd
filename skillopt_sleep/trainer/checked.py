"""Check what a training is given in Python: its configuration as strictly as a file, each argument by its kind."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import msgspec

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.config import TrainerConfig, config_of
from skillopt_sleep.trainer.env import Env, check_env, kind_of

_MODEL = "pass a model such as OpenAIBackend, or an object of your own with complete(prompt)"


def checked_config(config: object) -> TrainerConfig:
    """Return the configuration with every value as a file would give it; raise ConfigError naming every mistake."""
    if not isinstance(config, TrainerConfig):
        raise ConfigError(
            f"the configuration is {kind_of(config)}, not a TrainerConfig",
            remedy="make one, as in TrainerConfig(train=TrainSection(epochs=3)), or read one with load_config",
        )
    for field in msgspec.structs.fields(TrainerConfig):
        kind: Any = field.type
        is_section = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
        if is_section and not isinstance(getattr(config, field.name), kind | Mapping):
            raise ConfigError(
                f"TrainerConfig: '{field.name}' is a section", remedy=f"write {field.name}={kind.__name__}(…)"
            )
    return config_of(_plain(config), where="TrainerConfig")


def _plain(config: msgspec.Struct) -> dict[str, Any]:
    """Return the sections as dictionaries, with their values as they are."""
    plain: dict[str, Any] = {}
    for name in config.__struct_fields__:
        value = getattr(config, name)
        plain[name] = _plain(value) if isinstance(value, msgspec.Struct) else value
    return plain


def checked_split(split: object) -> Split:
    """Return the split; raise ConfigError if there is none of this name."""
    try:
        return Split(cast("str", split))
    except ValueError as error:
        raise ConfigError(f"there is no split {split!r}", remedy="one of: train, val, test") from error


def check_told(on_step: object) -> None:
    """Raise ConfigError if what is to be told of each step isn't a function."""
    if on_step is not None and not callable(on_step):
        raise ConfigError(
            f"on_step is {kind_of(on_step)}, not a function", remedy="pass a function that takes one step"
        )


def check_parts(
    env: Env, models: Mapping[str, Backend | None], pools: Mapping[str, Pool | None], skill: str | None
) -> None:
    """Raise ConfigError if an argument of a training isn't of its kind."""
    check_env(env)
    for role, model in models.items():
        if isinstance(model, type) or not callable(getattr(model, "complete", None)):
            raise ConfigError(f"the {role} is {kind_of(model)}, not a model", remedy=_MODEL)
    for name, pool in pools.items():
        if pool is not None and not callable(getattr(pool, "map", None)):
            raise ConfigError(
                f"the {name} is {kind_of(pool)}, not a pool",
                remedy="leave it out, and set train.workers to the number of attempts at once",
            )
    if skill is not None and not isinstance(cast("object", skill), str):
        remedy = "pass the text"
        if isinstance(skill, Path):
            remedy += ": initial_skill=path.read_text(encoding='utf-8')"
        raise ConfigError(f"initial_skill is {kind_of(skill)}, not a text", remedy=remedy)
