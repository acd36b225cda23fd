"""Which model plays which role: settings to models, each as it is reached."""

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from msgspec.structs import asdict, replace

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.backends.cli import CliBackend
from skillopt_sleep.errors import BackendUnavailable, CallFailed, ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.protocols import Model
from skillopt_sleep.protocols.program import Setup
from skillopt_sleep.settings import BackendSettings, Paths, RoleSettings, Settings, seconds

SIMULATED = "simulated"
AUTO = "auto"
KEYS = {"openai": "OPENAI_API_KEY", "azure": "AZURE_OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
_UNLIMITED = frozenset({"handoff", SIMULATED})


class Chosen(NamedTuple):
    """The models of the roles, how they are shown, and why they were chosen where that was left to us."""

    optimizer: Model
    target: Model
    judge: Model
    why: str = ""

    @property
    def one(self) -> str:
        """The model, where optimizer, target and judge are one; empty where they aren't."""
        same = {model.name for model in (self.optimizer, self.target, self.judge)}
        return self.optimizer.name if len(same) == 1 else ""

    @property
    def shown(self) -> str:
        """The models by name; the roles are named where they differ."""
        roles = {"optimizer": self.optimizer, "target": self.target, "judge": self.judge}
        each = ", ".join(f"{role} {_shown(model)}" for role, model in roles.items())
        shown = _shown(self.optimizer) if self.one else each
        return f"{shown} ({self.why})" if self.why else shown


def choose(
    settings: Settings,
    paths: Paths,
    environ: Mapping[str, str] = os.environ,
    *,
    handoff: Model | None = None,
) -> Chosen:
    """The model of each role; `handoff` answers in place of the one of the nights.

    Raises ConfigError or BackendUnavailable where one can't be had as it is set up.
    """
    why: list[str] = []
    # Two for one folder would each clear away what the other laid out.
    by_files = [handoff] if handoff is not None else []

    @cache
    def made(wanted: BackendSettings) -> Model:
        if wanted.name != AUTO:
            model = make_model(wanted, paths, environ)
            if wanted.name != "handoff":
                return model
            by_files.append(model)
            return by_files[0]
        name, because = logged_in(wanted, paths, environ)
        why.append(because)
        return made(replace(wanted, name=name, program=""))

    optimizer, target, judge = (made(wanted) for wanted in of_roles(settings))
    return Chosen(optimizer, target, judge, why="; ".join(dict.fromkeys(why)))


def of_role(backend: BackendSettings, role: RoleSettings) -> BackendSettings:
    """What a role asks: the backend as it is, what the role says otherwise, or another backend."""
    own = {key: value for key, value in asdict(role).items() if value}
    if role.name and role.name != backend.name:
        return BackendSettings(**own, timeout=backend.timeout, confirmed=backend.confirmed)
    return replace(backend, **own)


def of_roles(settings: Settings) -> tuple[BackendSettings, BackendSettings, BackendSettings]:
    """What the optimizer, the target and the judge ask."""
    backend = settings.backend
    return backend, of_role(backend, settings.target), of_role(backend, settings.judge)


def unconfirmed(settings: Settings, *, consented: str = "") -> tuple[str, ...]:
    """The names of the backends to which nothing may be sent without the user's word."""
    names = sorted({wanted.name for wanted in of_roles(settings)} - {"", SIMULATED, consented})
    return () if settings.backend.confirmed else tuple(names)


def logged_in(backend: BackendSettings, paths: Paths, environ: Mapping[str, str]) -> tuple[str, str]:
    """The agent that is installed and logged in, and why it was taken."""
    problems: list[str] = []
    for name in AGENTS:
        model = _agent(replace(backend, name=name, model="", program=""), paths, environ)
        try:
            account = model.account
            problem = account.problem or (model.program and "")
            now = utc_now()
            if not problem and account.expires and account.expires <= now:
                problem = f"its login {account.ends(now)}"
        except CallFailed as error:
            problem = error.message
        else:
            if not problem:
                skipped = f" ({'; '.join(problems)})" if problems else ""
                return name, f"auto: {account.how}{skipped}"
        problems.append(f"{name}: {problem}")
    raise BackendUnavailable(
        f"backend auto found no agent that is logged in ({'; '.join(problems)})",
        remedy="log in to claude or codex, or name another backend",
        login=True,
    )


def make_model(backend: BackendSettings, paths: Paths, environ: Mapping[str, str]) -> Model:
    """One model as it is reached; the SDKs take longer to import than all else, so each only where it is used."""
    key_env = backend.api_key_env or KEYS.get(backend.name, "")
    key, timeout = environ.get(key_env, ""), seconds(backend.timeout)
    if backend.base_url and not _is_address(backend.base_url):
        raise ConfigError(f"{backend.base_url!r} is no address", remedy="such as http://localhost:11434/v1")
    if backend.name in KEYS and not backend.model:
        raise ConfigError("no model is named", remedy="add --model NAME, or set backend.model")
    if backend.max_output_tokens and not _limits_answers(backend.name):
        raise ConfigError(
            f"{backend.name} can't be told how long an answer may be", remedy="leave out backend.max_output_tokens"
        )
    match backend.name:
        case "simulated":
            from skillopt_sleep.example.model import SimulatedBackend

            return SimulatedBackend()
        case name if name in AGENTS:
            return _agent(backend, paths, environ)
        case "openai" | "azure":
            from skillopt_sleep.backends.openai import Azure, OpenAIBackend
            from skillopt_sleep.backends.openai_responses import OpenAIResponses

            token = environ.get("AZURE_OPENAI_AD_TOKEN", "")
            return (OpenAIResponses if backend.api == "responses" else OpenAIBackend)(
                model=backend.model,
                base_url=backend.base_url,
                api_key=key,
                api_key_env=key_env,
                timeout=timeout,
                azure=Azure(backend.api_version, token) if backend.name == "azure" else None,
                max_output_tokens=backend.max_output_tokens,
            )
        case "anthropic":
            from skillopt_sleep.backends.anthropic import AnthropicBackend

            return AnthropicBackend(
                model=backend.model,
                base_url=backend.base_url,
                api_key=key,
                api_key_env=key_env,
                timeout=timeout,
                max_output_tokens=backend.max_output_tokens,
            )
        case "handoff":
            from skillopt_sleep.backends.handoff import HandoffBackend

            return HandoffBackend(paths.handoff)
        case _:
            raise ConfigError(
                "no backend is named: nothing is sent anywhere without your word",
                remedy="add --backend auto (or claude, codex, openai …), or try run --now --example, that needs none",
            )


def _limits_answers(name: str) -> bool:
    """Return whether this backend can be told how long an answer may be."""
    if name in AGENTS:
        return AGENTS[name].program.limits_answers
    return name not in _UNLIMITED


def _agent(backend: BackendSettings, paths: Paths, environ: Mapping[str, str]) -> CliBackend:
    return CliBackend(
        AGENTS[backend.name].program,
        setup=Setup(backend.model, backend.base_url, backend.api_key_env, backend.max_output_tokens),
        program=backend.program,
        environ=environ,
        home=Path.home(),
        folder=paths.replays,
        timeout=seconds(backend.timeout),
    )


def _shown(model: Model) -> str:
    """The model with its program's version; where that can't be told, the preflight will say why."""
    try:
        version = model.version
    except CallFailed:
        version = ""
    return f"{model.name} ({version})" if version else model.name


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
