"""Whether the models that the settings name can be asked: programs, logins, endpoints, consent.

No call is made.
"""

import os
import socket
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from msgspec.structs import replace

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.backends.cli import CliBackend
from skillopt_sleep.doctor.findings import Finding, Topic, fine, of_error, problem, unknown
from skillopt_sleep.errors import BackendUnavailable, SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.settings import BackendSettings, Paths, Settings
from skillopt_sleep.wiring.models import AUTO, SIMULATED, logged_in, make_model, of_roles

CONNECT_SECONDS = 3.0
PROXIES = frozenset({"http_proxy", "https_proxy", "all_proxy"})
NO_CONSENT = frozenset({"", SIMULATED})
FREE = {
    SIMULATED: "the simulated model answers, on this machine",
    "handoff": "handoff: prompts wait in a folder for whoever runs the night",
}


class Reached(NamedTuple):
    """What was found, and the programs that can be run, by the name of their agent."""

    findings: tuple[Finding, ...]
    programs: Mapping[str, str]


def reach(settings: Settings, scratch: Paths, *, environ: Mapping[str, str], until: datetime) -> Reached:
    """Look at every model that a night would ask until then; nothing is written but in `scratch`."""
    found: list[Finding] = []
    wanted = tuple(dict.fromkeys(of_roles(settings)))
    named: list[BackendSettings] = []
    for backend in wanted:
        if backend.name != AUTO:
            named.append(backend)
            continue
        try:
            name, why = logged_in(backend, scratch, environ)
        except BackendUnavailable as error:
            found.append(of_error(Topic.MODELS, error))
        else:
            named.append(replace(backend, name=name))
            found.append(fine(Topic.MODELS, f"auto is {name}: {why.removeprefix('auto: ')}"))
    programs: dict[str, str] = {}
    for name in AGENTS:
        for backend in [backend for backend in named if backend.name == name] or [
            replace(BackendSettings(), name=name)
        ]:
            looked, path = _program(backend, scratch, environ, until=until, used=backend in named)
            found += looked
            programs |= {name: path} if path else {}
    for backend in named:
        if backend.name not in AGENTS:
            found += _endpoint(backend, scratch, environ, until)
    return Reached(tuple(dict.fromkeys((*found, *_consent(wanted)))), programs)


def _program(
    backend: BackendSettings, scratch: Paths, environ: Mapping[str, str], *, until: datetime, used: bool
) -> tuple[list[Finding], str]:
    """An agent's program and its login, and the program's path where it can be run."""
    try:
        agent = make_model(backend, scratch, environ)
        if not isinstance(agent, CliBackend):
            raise TypeError(backend.name)
        path, version = agent.program, agent.version
    except SleepError as error:
        if used:
            return [of_error(Topic.PROGRAMS, error)], ""
        return [fine(Topic.PROGRAMS, f"{error.message}; no setting names it")], ""
    told = fine(Topic.PROGRAMS, f"{backend.name} {version} ({path})")
    account = agent.account
    if account.problem:
        said = f"{backend.name}: {account.problem}"
        login = (
            problem(Topic.LOGINS, said, account.remedy)
            if used
            else fine(Topic.LOGINS, f"{said}; no setting names it")
        )
        return [told, login], path
    ends = account.ends(utc_now())
    try:
        if used:
            agent.refuse_short_login(account, until)
    except BackendUnavailable as error:
        login = of_error(Topic.LOGINS, error)
    else:
        login = fine(Topic.LOGINS, f"{backend.name}: {account.how}{f', {ends}' if ends else ''}")
    return [told, login], path


def _endpoint(
    backend: BackendSettings, scratch: Paths, environ: Mapping[str, str], until: datetime
) -> Iterator[Finding]:
    """A model that is no program of the user's: whether it answers, as far as can be told without a call."""
    if not backend.name:
        hint = "name one: skillopt-sleep init, or for one night: skillopt-sleep run --now --backend auto"
        yield problem(Topic.MODELS, "no backend is named: no night can begin, and nothing is sent anywhere", hint)
        return
    if backend.name in FREE:
        yield fine(Topic.MODELS, FREE[backend.name])
        return
    try:
        model = make_model(backend, scratch, environ)
        known = model.ready(until)
    except SleepError as error:
        yield of_error(Topic.MODELS, error)
        return
    if known:
        yield fine(Topic.MODELS, f"{model.name}: it takes the login and knows the model")
    elif why := _unreachable(backend.base_url, environ):
        yield problem(
            Topic.MODELS, f"{model.name} can't be reached: {why}", "check the address and that the server runs"
        )
    else:
        yield unknown(Topic.MODELS, f"{model.name}: only a call can tell whether it takes the login and the model")


def _unreachable(base_url: str, environ: Mapping[str, str]) -> str:
    """Why nothing listens at the address, where one is set and no proxy stands between."""
    parts = urlsplit(base_url)
    if not parts.hostname or any(environ[name] for name in environ if name.lower() in PROXIES):
        return ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname, port), timeout=CONNECT_SECONDS).close()
    except OSError as error:
        return (os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)).lower()
    return ""


def _consent(wanted: tuple[BackendSettings, ...]) -> Iterator[Finding]:
    """Whether a night may send without being told anew; that it may not is a choice, so no problem."""
    asked = sorted({backend.name for backend in wanted} - NO_CONSENT)
    if not asked:
        return
    names = " and ".join(asked)
    if wanted[0].confirmed:
        yield fine(Topic.CONSENT, f"every night may send to {names}")
    else:
        yield fine(
            Topic.CONSENT,
            f"{names} not confirmed: a night refuses to send unless its command names it",
            "set backend.confirmed = true in config.toml, or run with --backend",
        )
