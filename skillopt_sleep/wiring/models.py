"""Make the model of each role from the settings."""

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from msgspec.structs import asdict, replace

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.backends.cli import CliBackend
from skillopt_sleep.backends.replies import Tariff
from skillopt_sleep.errors import BackendUnavailable, CallFailed, ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.protocols.models import Model
from skillopt_sleep.protocols.program import Setup
from skillopt_sleep.settings import BackendSettings, Paths, RoleSettings, Settings, find_paths, seconds
from skillopt_sleep.settings.sections import on_this_machine

# The user's own prices: dollars per million tokens in and out, by the model's name.
Prices = Mapping[str, tuple[float, float]]

SIMULATED = "simulated"
AUTO = "auto"
_NOT_INSTALLED = "not installed"
PLACES = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
_NO_ADDRESS = {
    AUTO: "the agent that is logged in",
    "handoff": "a folder, for you or your agent to answer",
}
KEYS = {"openai": "OPENAI_API_KEY", "azure": "AZURE_OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
# `auto` may turn out to be a program that can't limit its answers.
HANDOFF = "handoff"
_UNLIMITED = frozenset({AUTO, HANDOFF, SIMULATED})


class RoleModels(NamedTuple):
    """The model of each role, and why it was chosen if the settings say `auto`."""

    optimizer: Model
    target: Model
    judge: Model
    why: str = ""

    @property
    def only_model(self) -> str:
        """Return the model's name if all roles use the same one, else ""."""
        same = {model.name for model in (self.optimizer, self.target, self.judge)}
        return self.optimizer.name if len(same) == 1 else ""

    @property
    def by_hand(self) -> bool:
        """Return whether a person, or their agent, answers for one of the roles."""
        return any(model.name == HANDOFF for model in (self.optimizer, self.target, self.judge))

    @property
    def trying_agent(self) -> str:
        """Return what the agent is called whose program is the target, "" if no agent's is."""
        program = self.target.name.partition(":")[0]
        for agent in AGENTS.values():
            if isinstance(self.target, CliBackend) and agent.program.name == program:
                return agent.title
        return ""

    @property
    def shown(self) -> str:
        """Return the models by name, with their roles if they differ."""
        if self.only_model:
            shown = _shown(self.optimizer)
        else:
            roles = {"optimizer": self.optimizer, "target": self.target, "judge": self.judge}
            shown = ", ".join(f"{role} {_shown(model)}" for role, model in roles.items())
        if self.why:
            shown += f" ({self.why})"
        return shown


def choose(
    settings: Settings,
    paths: Paths,
    environ: Mapping[str, str] = os.environ,
    *,
    handoff: Model | None = None,
) -> RoleModels:
    """Make the model of each role; `handoff` is used instead of the nights' own handoff backend.

    Raises ConfigError or BackendUnavailable if one can't be made from the settings.
    """
    chooser = _Chooser(settings.prices, paths, environ, handoff)
    optimizer, target, judge = of_roles(settings)
    models = (chooser.model(optimizer), chooser.model(target), chooser.model(judge))
    return RoleModels(*models, why="; ".join(dict.fromkeys(chooser.reasons)))


class _Chooser:
    """Makes one model for each distinct backend; `reasons` say why `auto` became what it became."""

    def __init__(self, prices: Prices, paths: Paths, environ: Mapping[str, str], handoff: Model | None) -> None:
        self.reasons: list[str] = []
        self._prices = prices
        self._paths = paths
        self._environ = environ
        self._handoff = handoff
        self._made: dict[BackendSettings, Model] = {}

    def model(self, wanted: BackendSettings) -> Model:
        """Return the model of this backend, making it the first time."""
        if wanted not in self._made:
            self._made[wanted] = self._make(wanted)
        return self._made[wanted]

    def _make(self, wanted: BackendSettings) -> Model:
        if wanted.name == AUTO:
            name, why = logged_in(wanted, self._paths, self._environ)
            self.reasons.append(why)
            return self.model(replace(wanted, name=name, program=""))
        model = make_model(wanted, self._paths, self._environ, tariff=tariff_of(wanted, self._prices))
        if wanted.name != "handoff":
            return model
        # Two handoffs for one folder would delete each other's prompts.
        if self._handoff is None:
            self._handoff = model
        return self._handoff


def of_role(backend: BackendSettings, role: RoleSettings) -> BackendSettings:
    """Return the backend of a role: `[backend]` with the role's own keys, or another backend altogether."""
    own = {key: value for key, value in asdict(role).items() if value}
    if not role.name or role.name == backend.name:
        return replace(backend, **own)
    return BackendSettings(
        **own,
        api=backend.api,
        api_version=backend.api_version,
        timeout=backend.timeout,
        confirmed=backend.confirmed,
        max_output_tokens=backend.max_output_tokens if _limits_answers(role.name) else 0,
    )


def of_roles(settings: Settings) -> tuple[BackendSettings, BackendSettings, BackendSettings]:
    """Return the backends of the optimizer, the target and the judge."""
    backend = settings.backend
    return backend, of_role(backend, settings.target), of_role(backend, settings.judge)


def unconfirmed(settings: Settings, *, consented: str = "") -> tuple[str, ...]:
    """Return the names of the backends that the user hasn't confirmed; nothing may be sent to them."""
    if settings.backend.confirmed:
        return ()
    names = {wanted.name for wanted in of_roles(settings) if not wanted.is_local} - {"", SIMULATED, consented}
    return tuple(sorted(names))


def destination(settings: Settings, names: Collection[str] = ()) -> str:
    """Return who would be asked, and where, for the models of all three roles, or elsewhere for these names."""
    if not settings.backend.name:
        return "nobody: no backend is named"
    asked = [one for one in of_roles(settings) if not names or (one.name in names and not one.is_local)]
    return ", ".join(dict.fromkeys(map(place_of, asked)))


def place_of(backend: BackendSettings) -> str:
    """Return which model would be asked, and where."""
    if backend.is_local:
        return f"the server at {host_of(backend.base_url)} on this machine ({backend.model})"
    if backend.name in _NO_ADDRESS:
        return _NO_ADDRESS[backend.name]
    address = backend.base_url or PLACES.get(backend.name, "")
    if backend.name in AGENTS and not address:
        address = make_program(backend, find_paths(), os.environ).account.address or "its own login"
    # An API of OpenAI's kind at an address of the user's own isn't OpenAI.
    is_other = backend.base_url and backend.name in PLACES
    who = f"{'' if is_other else backend.name} {backend.model}".strip()
    where = f" at {address}" if address else ""
    return f"{who}{where}{' (on this machine)' if on_this_machine(address) else ''}"


def host_of(address: str) -> str:
    """Return the host and the port of an address, without a name and a password."""
    return urlsplit(address).netloc.rpartition("@")[2]


def logged_in(backend: BackendSettings, paths: Paths, environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the first agent that is installed and logged in, and why it was chosen."""
    problems: list[str] = []
    for name in AGENTS:
        model = make_program(replace(backend, name=name, model="", program=""), paths, environ)
        problem = _login_problem(model)
        if not problem:
            why = f"auto: {model.account.how}"
            if problems:
                why += f" ({'; '.join(problems)})"
            return name, why
        problems.append(f"{name}: {problem}")
    remedy = "log in to one of them, or name another backend"
    if all(problem.endswith(_NOT_INSTALLED) for problem in problems):
        remedy = f"install {' or '.join(AGENTS)} and log in, or name another backend"
    raise BackendUnavailable(
        f"backend auto found no agent that is logged in ({'; '.join(problems)})",
        remedy=remedy,
        login=True,
    )


def without_login(settings: Settings, paths: Paths, environ: Mapping[str, str] = os.environ) -> str:
    """Return why `auto` would find no agent to ask, "" if it finds one or no role is `auto`."""
    try:
        for backend in of_roles(settings):
            if backend.name == AUTO:
                logged_in(backend, paths, environ)
    except BackendUnavailable as error:
        return f"{error.message}; {error.remedy}"
    return ""


def _login_problem(model: CliBackend) -> str:
    """Return why this agent can't be used, or "" if it is installed and logged in."""
    try:
        _ = model.program  # raises CallFailed if it isn't installed
    except CallFailed:
        return _NOT_INSTALLED
    try:
        account = model.account
    except CallFailed as error:
        return error.message
    if account.problem:
        return account.problem
    now = utc_now()
    if account.expires and account.expires <= now:
        return f"its login {account.ends(now)}"
    return ""


def tariff_of(backend: BackendSettings, prices: Prices) -> Tariff | None:
    """Return what the user says this backend's model costs, else nothing for one on this machine, or None."""
    own = prices.get(backend.model) or ((0.0, 0.0) if backend.is_local else None)
    return Tariff(*own) if own else None


def make_model(
    backend: BackendSettings, paths: Paths, environ: Mapping[str, str], *, tariff: Tariff | None = None
) -> Model:
    """Make one model; its SDK is imported only here, as that takes longer than everything else."""
    _check(backend)
    key_env = backend.api_key_env or KEYS.get(backend.name, "")
    key = environ.get(key_env, "")
    timeout = seconds(backend.timeout)
    match backend.name:
        case "simulated":
            from skillopt_sleep.example.model import SimulatedBackend

            return SimulatedBackend()
        case name if name in AGENTS:
            return make_program(backend, paths, environ, tariff=tariff)
        case "openai" | "azure":
            from skillopt_sleep.backends.openai import Azure, OpenAIBackend, OpenAIResponses

            client = OpenAIResponses if backend.api == "responses" else OpenAIBackend
            azure = None
            if backend.name == "azure":
                azure = Azure(backend.api_version, environ.get("AZURE_OPENAI_AD_TOKEN", ""))
            return client(
                model=backend.model,
                base_url=backend.base_url,
                api_key=key,
                api_key_env=key_env,
                timeout=timeout,
                azure=azure,
                max_output_tokens=backend.max_output_tokens,
                tariff=tariff,
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
                tariff=tariff,
            )
        case "handoff":
            from skillopt_sleep.backends.handoff import HandoffBackend

            return HandoffBackend(paths.handoff)
        case _:
            raise ConfigError(
                "no backend is named, so nothing is sent anywhere",
                remedy="add --backend auto (or claude, codex, openai, handoff …), or: skillopt-sleep run --example",
            )


def _check(backend: BackendSettings) -> None:
    """Raise ConfigError if a backend's keys don't fit together."""
    if backend.base_url and not _is_address(backend.base_url):
        raise ConfigError(
            f"{backend.base_url!r} isn't an address", remedy="write one such as http://localhost:11434/v1"
        )
    if backend.name in KEYS and not backend.model:
        raise ConfigError("no model is named", remedy="add --model NAME, or set backend.model")
    if backend.max_output_tokens and not _limits_answers(backend.name):
        raise ConfigError(
            f"{backend.name} can't limit the length of an answer", remedy="leave out backend.max_output_tokens"
        )


def _limits_answers(name: str) -> bool:
    """Return whether this backend can limit the length of an answer."""
    if name in AGENTS:
        return AGENTS[name].program.limits_answers
    return name not in _UNLIMITED


def make_program(
    backend: BackendSettings, paths: Paths, environ: Mapping[str, str], *, tariff: Tariff | None = None
) -> CliBackend:
    """Make the model that an agent's program is asked for; raise ConfigError if the backend's keys don't fit it."""
    _check(backend)
    return CliBackend(
        AGENTS[backend.name].program,
        setup=Setup(backend.model, backend.base_url, backend.api_key_env, backend.max_output_tokens),
        program=backend.program,
        environ=environ,
        home=Path.home(),
        folder=paths.replays,
        timeout=seconds(backend.timeout),
        tariff=tariff,
    )


def _shown(model: Model) -> str:
    """Return the model's name with its program's version; if that fails, the preflight will say why."""
    try:
        version = model.version
    except CallFailed:
        version = ""
    if not version:
        return model.name
    return f"{model.name} ({version})"


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
