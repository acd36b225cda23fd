"""A training's configuration to its parts: the models, the pool, the environment, the skill to start from."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols import Model, Pool
from skillopt_sleep.settings import Paths, Settings
from skillopt_sleep.trainer import Env, Trainer, TrainerConfig, find_env, load_config
from skillopt_sleep.trainer.given import Progress, make_pool, read_skill
from skillopt_sleep.wiring.models import choose

_PATHS = frozenset({"path", "documents"})  # the options of our environments that name files


class Training(NamedTuple):
    """What it takes to train, or to score a skill; paths in the configuration are relative to its file."""

    config: TrainerConfig
    env: Env
    optimizer: Model
    target: Model
    pool: Pool
    optimizer_pool: Pool | None
    folder: Path
    skill: str | None

    def trainer(self) -> Trainer:
        """The trainer of it all."""
        return Trainer(
            self.config,
            self.env,
            optimizer=self.optimizer,
            target=self.target,
            pool=self.pool,
            optimizer_pool=self.optimizer_pool,
            initial_skill=self.skill,
            folder=self.folder,
        )


def wire_training(
    path: Path,
    settings: Settings,
    paths: Paths,
    *,
    progress: Progress,
    consented: str = "",
    environ: Mapping[str, str] = os.environ,
) -> Training:
    """Choose who does the work of the training in this file.

    `consented` names the backend that the command line named. Raises ConfigError or BackendUnavailable where
    something can't be used as it is set up.
    """
    config = load_config(path)
    if config.backend.name and not consented:
        settings = replace(settings, backend=config.backend, target=config.target)
    elif not consented and settings.backend.name not in {"", "simulated"} and not settings.backend.confirmed:
        raise ConfigError(
            f"the backend {settings.backend.name!r} was not confirmed, so nothing is sent to it",
            remedy=f"add --backend {settings.backend.name}, or name it in [backend] of {path}",
        )
    options = {key: _placed(key, value, path.parent) for key, value in config.env.items() if key != "name"}
    chosen = choose(settings, paths, environ)
    return Training(
        config=config,
        env=find_env(config.env["name"], options),
        optimizer=chosen.optimizer,
        target=_reached(chosen.target, config, settings, paths, environ),
        pool=make_pool(config, progress),
        optimizer_pool=ThreadPool(config.gradient.workers, progress) if config.gradient.workers else None,
        folder=path.parent / config.train.folder,
        skill=read_skill(path.parent / config.skill) if config.skill else None,
    )


def _placed(option: str, value: Any, folder: Path) -> Any:
    """An environment's option, as a path from the configuration's folder on where it is one."""
    return str(folder / Path(value).expanduser()) if option in _PATHS and isinstance(value, str) and value else value


def _reached(
    target: Model, config: TrainerConfig, settings: Settings, paths: Paths, environ: Mapping[str, str]
) -> Model:
    """The target; where attempts are made elsewhere, it is asked from there."""
    if config.train.pool != "ray":
        return target
    from skillopt_sleep.wiring.lending import lent

    return lent(target, settings.target, settings, paths, environ)
