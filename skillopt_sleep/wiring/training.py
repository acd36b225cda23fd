"""Build a training from its configuration: models, pool, environment, and the skill to start from."""

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple, cast

from msgspec.structs import replace

from skillopt_sleep.backends.handoff import HandoffBackend
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.protocols.models import Model
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.settings import BackendSettings, Paths, RoleSettings, Settings, checked
from skillopt_sleep.trainer import Env, Trainer, TrainerConfig, find_env, load_config
from skillopt_sleep.trainer.loading import Progress, make_pool, read_skill
from skillopt_sleep.wiring.models import AUTO, KEYS, SIMULATED, choose, logged_in, make_model, of_role

_AZURE_TOKEN = "AZURE_OPENAI_AD_TOKEN"  # noqa: S105 - the variable's name


class Flags(NamedTuple):
    """The models named on the command line, which override the configuration; "" if a flag isn't given."""

    backend: str = ""
    model: str = ""


NO_FLAGS = Flags()


class WiredTraining(NamedTuple):
    """Everything needed to train, or to score a skill; paths in the configuration are relative to its file."""

    config: TrainerConfig
    env: Env
    optimizer: Model
    target: Model
    pool: Pool
    folder: Path
    skill: str | None

    def trainer(self) -> Trainer:
        """Return the trainer of these parts."""
        return Trainer(
            self.config,
            self.env,
            optimizer=self.optimizer,
            target=self.target,
            pool=self.pool,
            initial_skill=self.skill,
            folder=self.folder,
            wired=True,
        )

    def close(self) -> None:
        """Release the pool's resources, if it has any."""
        close: Callable[[], None] | None = getattr(self.pool, "close", None)
        if close:
            close()


def wire_training(
    path: Path,
    settings: Settings,
    paths: Paths,
    *,
    progress: Progress,
    flags: Flags = NO_FLAGS,
    scoring: bool = False,
    planning: bool = False,
    go_on: str = "",
    config: TrainerConfig | None = None,
    environ: Mapping[str, str] = os.environ,
) -> WiredTraining:
    """Build the training described in this file, or by a `config` that was made from it.

    `scoring` a skill needs the target's model only; `planning` sends nothing, so it needs no consent and no backend.
    `go_on` is the command that resumes what waits for answers.
    Raises ConfigError or BackendUnavailable if something can't be used as it is configured.
    """
    config = config or load_config(path)
    own = settings
    if planning and not (config.backend.name or settings.backend.name):
        # Any agent stands for the model still to be chosen: without a name its price isn't known.
        settings = replace(settings, backend=BackendSettings(name="claude"))
    settings = in_force(config, settings, flags, path=path, scoring=scoring)
    if not planning:
        check_consent(config, own, settings, flags, path=path)
    options = {key: value for key, value in config.env.items() if key != "name"}
    folder = path.parent / config.train.folder
    handoff = HandoffBackend(folder / ("handoff-eval" if scoring else "handoff"), command=go_on)
    chosen = choose(settings, paths, environ, handoff=handoff)
    target = chosen.target
    if config.train.pool == "ray":  # attempts run on other machines, so the model is called from there
        target = lend(target, settings.target, settings, paths, environ)
    return WiredTraining(
        config=config,
        env=find_env(config.env["name"], options, folder=path.parent),
        optimizer=chosen.optimizer,
        target=target,
        pool=make_pool(config, progress),
        folder=folder,
        skill=read_skill(path.parent / config.skill) if config.skill else None,
    )


def in_force(
    config: TrainerConfig, settings: Settings, flags: Flags, *, path: Path, scoring: bool = False
) -> Settings:
    """Return the settings with the models of this training: the file's, else the user's, overridden by the flags.

    A backend named by flag takes its other keys from the file or the user's settings if they know it, else the
    defaults; it replaces the target too, so that nothing is sent elsewhere. Raises ConfigError if none is named.
    """
    file = config.backend
    if not file.name and file != BackendSettings():
        raise ConfigError(f"{path}: [backend] has no name", remedy='add name = "…" to it, or take it out')
    backend = file if file.name else settings.backend
    target = settings.target
    if file.name or config.target != RoleSettings():
        target = config.target
    if scoring:
        backend = of_role(backend, target)
        target = RoleSettings()
    if flags.backend and flags.backend != backend.name:
        backend = _named(flags.backend, config, settings)
        target = RoleSettings()
    if flags.model:
        backend = replace(backend, model=flags.model)
    if not backend.name:
        raise ConfigError(
            "no backend is named, so nothing is sent anywhere",
            remedy=f"name it in [backend] of {path}, or add --backend auto (or claude, openai …) to the command",
        )
    return replace(settings, backend=backend, target=target, judge=RoleSettings())


def check_consent(config: TrainerConfig, own: Settings, in_force: Settings, flags: Flags, *, path: Path) -> None:
    """Raise ConfigError if something would be sent without the user's consent.

    That is a flag, or `confirmed` in the file or in the user's `own` settings. That a file names a backend is none. A
    server on this machine needs none.
    """
    allowed = {SIMULATED, "handoff", flags.backend}  # the first two send nothing anywhere
    if config.backend.confirmed:
        allowed |= {config.backend.name, config.target.name}
    asked = (in_force.backend, of_role(in_force.backend, in_force.target))
    unconfirmed = sorted({one.name for one in asked if not one.is_local} - allowed)
    if unconfirmed and not own.backend.confirmed:
        raise ConfigError(
            f"the backend {unconfirmed[0]!r} was not confirmed, so nothing is sent to it",
            remedy=f"set confirmed = true in [backend] of {path}, or add --backend {unconfirmed[0]} to the command",
        )


def _named(name: str, config: TrainerConfig, settings: Settings) -> BackendSettings:
    """Return the backend of this name as the training or the user configured it, else with its defaults."""
    default = checked({"backend": {"name": name}}, Settings, where="the command line").backend
    file = config.backend
    own = settings.backend
    for backend in (file, of_role(file, config.target), own, of_role(own, settings.target)):
        if backend.name == default.name:
            return backend
    return default


def lend(
    model: Model, role: RoleSettings, settings: Settings, paths: Paths, environ: Mapping[str, str] = os.environ
) -> Model:
    """Return the model of this role, for attempts that may run on other machines.

    A worker gets the key from here, and everything else (programs and their logins) from the machine it runs on. A
    handoff is answered in files on this machine, so workers don't call it.
    """
    from skillopt_sleep.pools.ray import WorkerModel

    wanted = of_role(settings.backend, role)
    if wanted.name == AUTO:
        wanted = replace(wanted, name=logged_in(wanted, paths, environ)[0], program="")
    if wanted.name == "handoff":
        return model
    key_env = wanted.api_key_env or KEYS.get(wanted.name, "")
    keys = {name: environ[name] for name in (key_env, _AZURE_TOKEN) if name in environ}
    return cast("Model", WorkerModel(model, partial(make_on_worker, wanted, paths, keys)))


def make_on_worker(backend: BackendSettings, paths: Paths, keys: Mapping[str, str]) -> Model:
    """Make the model on a worker; raises what `make_model` raises."""
    return make_model(backend, paths, {**os.environ, **keys})
