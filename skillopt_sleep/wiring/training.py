"""A training's configuration to its parts: the models, the pool, the environment, the skill to start from."""

import os
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.backends.handoff import HandoffBackend
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols import Model, Pool
from skillopt_sleep.settings import BackendSettings, Paths, RoleSettings, Settings, checked
from skillopt_sleep.trainer import Env, Trainer, TrainerConfig, find_env, load_config
from skillopt_sleep.trainer.given import Progress, make_pool, read_skill
from skillopt_sleep.wiring.models import SIMULATED, choose, of_role


class Said(NamedTuple):
    """What the command line says of the models: each instead of what is in force, "" nothing."""

    backend: str = ""
    model: str = ""


UNSAID = Said()


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

    def close(self) -> None:
        """Let go of what the pool holds, where it holds anything."""
        close: Callable[[], None] | None = getattr(self.pool, "close", None)
        if close:
            close()


def wire_training(
    path: Path,
    settings: Settings,
    paths: Paths,
    *,
    progress: Progress,
    said: Said = UNSAID,
    scoring: bool = False,
    environ: Mapping[str, str] = os.environ,
) -> Training:
    """Choose who does the work of the training in this file; `scoring` a skill takes the target's model only.

    Raises ConfigError or BackendUnavailable where something can't be used as it is set up.
    """
    config = load_config(path)
    settings = in_force(config, settings, said, path=path, scoring=scoring)
    options = {key: value for key, value in config.env.items() if key != "name"}
    folder = path.parent / config.train.folder
    handoff = (
        HandoffBackend(folder / "handoff-eval")
        if scoring
        else HandoffBackend(folder / "handoff", command=go_on(path, said))
    )
    chosen = choose(settings, paths, environ, handoff=handoff)
    return Training(
        config=config,
        env=find_env(config.env["name"], options, folder=path.parent),
        optimizer=chosen.optimizer,
        target=_reached(chosen.target, config, settings, paths, environ),
        pool=make_pool(config, progress),
        optimizer_pool=ThreadPool(config.gradient.workers, progress) if config.gradient.workers else None,
        folder=folder,
        skill=read_skill(path.parent / config.skill) if config.skill else None,
    )


def go_on(path: Path, said: Said) -> str:
    """The command that goes on with a training that was begun with this file."""
    flags = [*(["--backend", said.backend] if said.backend else []), *(["--model", said.model] if said.model else [])]
    return shlex.join(["skillopt-sleep", "train", str(path.absolute()), "--resume", *flags])


def in_force(config: TrainerConfig, settings: Settings, said: Said, *, path: Path, scoring: bool) -> Settings:
    """The settings with the models of this training: the file's, else the user's own, changed by the command line.

    A backend of another name comes with what the file or the user's settings say of it, else with its defaults, and
    in place of the target too: who names one must not be asked at another. Raises ConfigError where something would
    be sent without the user's word.
    """
    file, own = config.backend, settings.backend
    if not file.name and file != BackendSettings():
        raise ConfigError(f"{path}: [backend] has no name", remedy='add name = "…" to it, or take it out')
    backend = file if file.name else own
    target = config.target if file.name or config.target != RoleSettings() else settings.target
    if scoring:
        backend, target = of_role(backend, target), RoleSettings()
    if said.backend and said.backend != backend.name:
        blank = checked({"backend": {"name": said.backend}}, Settings, where="the command line").backend
        known = (file, of_role(file, config.target), own, of_role(own, settings.target))
        backend, target = next((one for one in known if one.name == blank.name), blank), RoleSettings()
    backend = replace(backend, model=said.model or backend.model)
    if not backend.name:
        raise ConfigError(
            "no backend is named: nothing is sent anywhere without your word",
            remedy=f"add --backend auto (or claude, codex, openai …), or name it in [backend] of {path}",
        )
    sent = {backend.name, of_role(backend, target).name}
    unsaid = sorted(sent - {SIMULATED, said.backend, file.name, config.target.name})
    if unsaid and not own.confirmed:
        raise ConfigError(
            f"the backend {unsaid[0]!r} was not confirmed, so nothing is sent to it",
            remedy=f"add --backend {unsaid[0]}, or name it in [backend] of {path}",
        )
    return replace(settings, backend=backend, target=target, judge=RoleSettings())


def _reached(
    target: Model, config: TrainerConfig, settings: Settings, paths: Paths, environ: Mapping[str, str]
) -> Model:
    """The target; where attempts are made elsewhere, it is asked from there."""
    if config.train.pool != "ray":
        return target
    from skillopt_sleep.wiring.lending import lent

    return lent(target, settings.target, settings, paths, environ)
