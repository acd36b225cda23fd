"""Models that workers elsewhere reach themselves: what travels is how to make one, and the key it needs."""

import os
from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from skillopt_sleep.pools.worker_model import WorkerModel
from skillopt_sleep.protocols import Model
from skillopt_sleep.settings import BackendSettings, Paths, RoleSettings, Settings
from skillopt_sleep.wiring.models import AUTO, KEYS, logged_in, make_model, of_role

_AZURE_TOKEN = "AZURE_OPENAI_AD_TOKEN"  # noqa: S105 - the variable's name


def lent(
    model: Model, role: RoleSettings, settings: Settings, paths: Paths, environ: Mapping[str, str] = os.environ
) -> Model:
    """The model of this role, for attempts that may be made elsewhere.

    A worker's model takes its key from here, and all else (programs and their logins) from where it is made. What a
    handoff answers are files of this machine, so it is asked here.
    """
    wanted = of_role(settings.backend, role)
    if wanted.name == AUTO:
        wanted = replace(wanted, name=logged_in(wanted, paths, environ)[0], program="")
    if wanted.name == "handoff":
        return model
    names = (wanted.api_key_env or KEYS.get(wanted.name, ""), _AZURE_TOKEN)
    keys = {name: environ[name] for name in names if name in environ}
    return WorkerModel(model, partial(made_there, wanted, paths, keys))


def made_there(backend: BackendSettings, paths: Paths, keys: Mapping[str, str]) -> Model:
    """The model, made by a worker; raises what making it here raises."""
    return make_model(backend, paths, {**os.environ, **keys})
