"""Find the agent that acts with the target's model in a sealed copy: the target's own, or one that speaks its API."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.backends.cli import CliBackend
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.protocols import Model
from skillopt_sleep.settings import BackendSettings, Paths, Settings
from skillopt_sleep.wiring.models import KEYS, make_program, of_roles

# For an address of the user's own that needs no key.
_NO_KEY = "not-needed"


@dataclass(frozen=True, kw_only=True)
class Actor:
    """An agent's program, and where its login is looked for: in these files and variables.

    Without a program, `why_not` says why none can act, and `remedy` what helps.
    """

    program: CliBackend | None = None
    login_files: Mapping[str, bytes] = field(default_factory=dict[str, bytes], repr=False)
    environ: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    why_not: str = ""
    remedy: str = "set target.name to claude or codex"


def find_actor(settings: Settings, target: Model, paths: Paths, environ: Mapping[str, str] = os.environ) -> Actor:
    """Return the target's own program, or the one that can be pointed at the target's API with the target's key."""
    if isinstance(target, CliBackend):
        return Actor(program=target, login_files=target.login_files, environ=environ)
    _, wanted, _ = of_roles(settings)
    speaking = [name for name, agent in AGENTS.items() if agent.api == wanted.name]
    if not speaking:
        return Actor(why_not=f"the target {target.name} is no agent's program, and no agent speaks its API")
    if wanted.name == "openai" and wanted.base_url and wanted.api != "responses":
        return Actor(
            why_not=f"{speaking[0]} speaks the Responses API alone, and {wanted.base_url} is asked by the older one",
            remedy='set target.api to "responses" if that server has it, or target.name to claude or codex',
        )
    return _pointed_at(speaking[0], wanted, paths, environ)


def _pointed_at(agent: str, api: BackendSettings, paths: Paths, environ: Mapping[str, str]) -> Actor:
    """Return the agent's program with the API's model, address and key; the agent's own login isn't used."""
    key_env = api.api_key_env or KEYS[api.name]
    key = environ.get(key_env) or (_NO_KEY if api.base_url else "")
    try:
        program = make_program(replace(api, name=agent, api_key_env=key_env), paths, environ)
    except ConfigError as error:
        return Actor(why_not=error.message, remedy=error.remedy)
    return Actor(program=program, environ={key_env: key})
