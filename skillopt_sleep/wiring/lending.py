"""Let workers on other machines call a model themselves: send them its recipe and the key it needs."""

import os
from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from skillopt_sleep.pools.worker_model import WorkerModel
from skillopt_sleep.protocols import Model
from skillopt_sleep.settings import BackendSettings, Paths, RoleSettings, Settings
from skillopt_sleep.wiring.models import AUTO, KEYS, logged_in, make_model, of_role

_AZURE_TOKEN = "AZURE_OPENAI_AD_TOKEN"  # noqa: S105 - the variable's name


def lend(
    model: Model, role: RoleSettings, settings: Settings, paths: Paths, environ: Mapping[str, str] = os.environ
) -> Model:
    """Return the model of this role, for attempts that may run on other machines.

    A worker gets the key from here, and everything else (programs and their logins) from the machine it runs on. A
    handoff is answered in files on this machine, so workers don't call it.
    """
    wanted = of_role(settings.backend, role)
    if wanted.name == AUTO:
        wanted = replace(wanted, name=logged_in(wanted, paths, environ)[0], program="")
    if wanted.name == "handoff":
        return model
    key_env = wanted.api_key_env or KEYS.get(wanted.name, "")
    keys = {name: environ[name] for name in (key_env, _AZURE_TOKEN) if name in environ}
    return WorkerModel(model, partial(make_on_worker, wanted, paths, keys))


def make_on_worker(backend: BackendSettings, paths: Paths, keys: Mapping[str, str]) -> Model:
    """Make the model on a worker; raises what `make_model` raises."""
    return make_model(backend, paths, {**os.environ, **keys})
