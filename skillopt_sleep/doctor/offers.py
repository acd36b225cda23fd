"""List the backends this machine could use at night, and what each one lacks."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.settings import BackendSettings, Paths
from skillopt_sleep.wiring.models import KEYS, make_program


class Offer(NamedTuple):
    """A backend: whether it could answer now, and why or why not; a `subscription` isn't billed per call."""

    name: str
    ready: bool
    says: str
    subscription: bool = False


def offers(paths: Paths, environ: Mapping[str, str], own: BackendSettings) -> tuple[Offer, ...]:
    """Return every backend that asks a model, agents first, the user's `own` as it is set up; no model is asked."""
    with tempfile.TemporaryDirectory(prefix="skillopt-sleep-", ignore_cleanup_errors=True) as made:
        scratch = replace(paths, data=Path(made) / "data")
        agents = tuple(_agent(name, own, scratch, environ) for name in AGENTS)
    apis = tuple(_api(name, key, environ) for name, key in KEYS.items())
    return (
        *agents,
        *apis,
        Offer("handoff", ready=True, says="you answer in files, or one of your agent sessions does"),
    )


def _api(name: str, key: str, environ: Mapping[str, str]) -> Offer:
    if environ.get(key):
        return Offer(name, ready=True, says=f"by its API; {key} is set")
    return Offer(name, ready=False, says=f"by its API; {key} is not set")


def _agent(name: str, own: BackendSettings, scratch: Paths, environ: Mapping[str, str]) -> Offer:
    backend = own if own.name == name else replace(BackendSettings(), name=name)
    try:
        model = make_program(backend, scratch, environ)
        program, account = f"{model.version} ({model.program})", model.account
    except SleepError as error:
        return Offer(name, ready=False, says=error.message)
    if account.problem:
        return Offer(name, ready=False, says=f"{program}: {account.problem}")
    now = utc_now()
    if account.expires and account.expires <= now:
        return Offer(name, ready=False, says=f"{program}: its login {account.ends(now)}")
    return Offer(name, ready=True, says=f"{program}: {account.how}", subscription=account.subscription)
