"""List the backends this machine could use at night, and what each one lacks."""

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.backends.http import listed_models
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.settings import BackendSettings, Paths
from skillopt_sleep.wiring.models import KEYS, host_of, make_program

# Where llama.cpp, Ollama and LM Studio listen unless they are told otherwise.
USUAL = ("http://127.0.0.1:8080/v1", "http://127.0.0.1:11434/v1", "http://127.0.0.1:1234/v1")


class Offer(NamedTuple):
    """A backend: whether it could answer now, and why or why not; a `subscription` isn't billed per call.

    A server on this machine has an address, and the models that it lists.
    """

    name: str
    ready: bool
    says: str
    subscription: bool = False
    base_url: str = ""
    models: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Return what it is called in a list: its name, or the address of a server on this machine."""
        return host_of(self.base_url) if self.base_url else self.name


def offers(paths: Paths, environ: Mapping[str, str], own: BackendSettings) -> tuple[Offer, ...]:
    """Return every backend that asks a model, agents first, the user's `own` as it is set up; no model is asked."""
    with tempfile.TemporaryDirectory(prefix="skillopt-sleep-", ignore_cleanup_errors=True) as made:
        scratch = replace(paths, data=Path(made) / "data")
        agents = tuple(_agent(name, own, scratch, environ) for name in AGENTS)
    apis = tuple(_api(name, key, environ) for name, key in KEYS.items())
    return (
        *agents,
        *local_servers(dict.fromkeys([*([own.base_url] if own.is_local else []), *USUAL])),
        *apis,
        Offer("handoff", ready=True, says="you answer in files, or one of your agent sessions does"),
    )


def local_servers(addresses: Iterable[str]) -> tuple[Offer, ...]:
    """Return the model servers that answer at these addresses of this machine; no model is asked."""
    found: list[Offer] = []
    for address in addresses:
        models = listed_models(address)
        if models:
            says = f"a server on this machine; its models: {', '.join(models)}"
            found.append(Offer("openai", ready=True, says=says, base_url=address, models=models))
    return tuple(found)


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
