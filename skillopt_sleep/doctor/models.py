"""Check that the models named in the settings can be asked: programs, logins, endpoints, consent.

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
from skillopt_sleep.doctor.automatic import NextNight
from skillopt_sleep.doctor.findings import Finding, Topic, fine, of_error, problem, unknown
from skillopt_sleep.errors import BackendUnavailable, SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.settings import BackendSettings, Paths, Settings
from skillopt_sleep.settings.sections import on_this_machine
from skillopt_sleep.wiring.models import AUTO, SIMULATED, logged_in, make_model, make_program, of_roles, place_of

CONNECT_SECONDS = 3.0
PROXIES = frozenset({"http_proxy", "https_proxy", "all_proxy"})
NO_CONSENT = frozenset({"", SIMULATED})
FREE = {
    SIMULATED: "the simulated model answers, on this machine",
    "handoff": "handoff: prompts wait in a folder for whoever runs the night",
}


class ModelCheck(NamedTuple):
    """The findings, and the paths of the agent programs that can be run, by name."""

    findings: tuple[Finding, ...]
    programs: Mapping[str, str]


def check_models(
    settings: Settings,
    scratch: Paths,
    *,
    environ: Mapping[str, str],
    until: datetime,
    tonight: NextNight | None = None,
) -> ModelCheck:
    """Check every model that a night running until then would ask, or tonight's; only `scratch` is written to."""
    findings: list[Finding] = []
    wanted = tuple(dict.fromkeys(of_roles(settings)))
    named: list[BackendSettings] = []
    for backend in wanted:
        if backend.name != AUTO:
            named.append(backend)
            continue
        try:
            name, why = logged_in(backend, scratch, environ)
        except BackendUnavailable as error:
            findings.append(of_error(Topic.MODELS, error))
        else:
            named.append(replace(backend, name=name))
            findings.append(fine(Topic.MODELS, f"auto is {name}: {why.removeprefix('auto: ')}"))
    programs: dict[str, str] = {}
    for name in AGENTS:
        used = [backend for backend in named if backend.name == name]
        unused = [replace(BackendSettings(), name=name)]
        for backend in used or unused:
            checked = _program(backend, scratch, environ, until=until, tonight=tonight, is_used=bool(used))
            findings += checked.findings
            if checked.path:
                programs[name] = checked.path
    for backend in named:
        if backend.name not in AGENTS:
            findings += _endpoint(backend, scratch, environ, until)
    findings += _consent(wanted)
    return ModelCheck(tuple(dict.fromkeys(findings)), programs)


class _Program(NamedTuple):
    """The findings about an agent's program; `path` is "" if it can't be run."""

    findings: tuple[Finding, ...]
    path: str = ""


def _program(
    backend: BackendSettings,
    scratch: Paths,
    environ: Mapping[str, str],
    *,
    until: datetime,
    tonight: NextNight | None,
    is_used: bool,
) -> _Program:
    """Check an agent's program and its login."""
    try:
        agent = make_program(backend, scratch, environ)
        path = agent.program
        version = agent.version
    except SleepError as error:
        if is_used:
            return _Program((of_error(Topic.PROGRAMS, error),))
        return _Program((fine(Topic.PROGRAMS, f"{error.message} (not needed: no setting uses it)"),))
    program = fine(Topic.PROGRAMS, f"{backend.name} {version} ({path})")
    login = _login(agent, backend.name, until=until, tonight=tonight, is_used=is_used)
    return _Program((program, login), path)


def _login(agent: CliBackend, name: str, *, until: datetime, tonight: NextNight | None, is_used: bool) -> Finding:
    """Check an agent's login; it must last until then, and until tonight's night is over, if the agent is used."""
    account = agent.account
    if account.problem and is_used:
        return problem(Topic.LOGINS, f"{name}: {account.problem}", account.remedy)
    if account.problem:
        return fine(Topic.LOGINS, f"{name}: {account.problem}; no setting uses it")
    ends = account.ends(utc_now())
    try:
        if is_used:
            agent.refuse_short_login(account, until)
    except BackendUnavailable as error:
        return of_error(Topic.LOGINS, error)
    if is_used and tonight and account.expires and account.expires < tonight.until:
        return problem(
            Topic.LOGINS,
            f"{name}: the login {ends}, before the night that begins at {tonight.at} may end",
            account.remedy or f"use {name} shortly before {tonight.at}, which renews it",
        )
    message = f"{name}: {account.how}"
    if ends:
        message += f", {ends}"
    return fine(Topic.LOGINS, message)


def _endpoint(
    backend: BackendSettings, scratch: Paths, environ: Mapping[str, str], until: datetime
) -> Iterator[Finding]:
    """Check a model that isn't an agent's program, as far as possible without a call."""
    if not backend.name:
        hint = "name one: skillopt-sleep init, or for one night: skillopt-sleep run --backend auto"
        yield problem(Topic.MODELS, "no backend is named: no night can begin, and nothing is sent anywhere", hint)
        return
    if backend.name in FREE:
        yield fine(Topic.MODELS, FREE[backend.name])
        return
    try:
        model = make_model(backend, scratch, environ)
        knows_model = model.ready(until)
    except SleepError as error:
        yield of_error(Topic.MODELS, error)
        return
    if knows_model:
        knows = "it has the model" if backend.is_local else "it accepts the key and knows the model"
        yield fine(Topic.MODELS, f"{model.name}: {knows}")
        return
    why = _unreachable(backend.base_url, environ)
    if why:
        yield problem(
            Topic.MODELS, f"{model.name} can't be reached: {why}", "check the address and that the server runs"
        )
    else:
        yield unknown(
            Topic.MODELS,
            f"{model.name}: it answers; whether it accepts the key and the model shows when a night begins",
        )


def _unreachable(base_url: str, environ: Mapping[str, str]) -> str:
    """Return why nothing answers at the address; "" if something does, or if it can't be told (proxy, no address)."""
    parts = urlsplit(base_url)
    if not parts.hostname:
        return ""
    has_proxy = any(value for name, value in environ.items() if name.lower() in PROXIES)
    if has_proxy and not on_this_machine(base_url):
        return ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname, port), timeout=CONNECT_SECONDS).close()
    except OSError as error:
        reason = str(error)
        if error.errno and error.errno > 0:
            reason = os.strerror(error.errno)
        return reason.lower()
    return ""


def _place(backend: BackendSettings) -> str:
    return f"{backend.name} at {backend.base_url}" if backend.base_url else backend.name


def _consent(wanted: tuple[BackendSettings, ...]) -> Iterator[Finding]:
    """Report whether nights may send without asking; missing consent isn't a problem."""
    sent = [backend for backend in wanted if backend.name not in NO_CONSENT]
    for place in sorted({place_of(backend) for backend in sent if backend.is_local}):
        yield fine(Topic.CONSENT, f"{place} needs no consent: it is on this machine")
    names = " and ".join(sorted({_place(backend) for backend in sent if not backend.is_local}))
    if not names:
        return
    if wanted[0].confirmed:
        yield fine(Topic.CONSENT, f"every night may send to {names}")
    else:
        yield fine(
            Topic.CONSENT,
            f"{names} not confirmed: a night sends nothing unless its command names it",
            "set backend.confirmed = true in config.toml, or run with --backend",
        )
