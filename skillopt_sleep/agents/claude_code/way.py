"""Tell how the relay can ask Anthropic's model with the login that `claude` would use."""

from collections.abc import Mapping

from skillopt_sleep.agents.claude_code.login import (
    KEY_NAME,
    LOGINS,
    TOKEN_NAME,
    access_token,
    console_key,
    find_login,
    known,
    provider_of,
)
from skillopt_sleep.protocols.acting import Way
from skillopt_sleep.protocols.program import Setup

ADDRESS = "https://api.anthropic.com"
# What the program in the seal gets in the login's place. The relay puts the real one in.
DUMMY = "sk-ant-sealed-dummy-key"
_KEY_REMEDY = f"name the variable with an API key in backend.api_key_env, or export {KEY_NAME}=…"


def find_way(files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Way:
    """Return the address and the headers; a provider's own login can't be used, as it signs each request."""
    account = find_login(files, environ, setup)
    if account.problem:
        return Way(problem=account.problem, remedy=account.remedy)
    settings = known(files, environ, setup)
    if not setup.key_env and (provider := provider_of(settings)):
        problem = f"the login of {provider} signs each request itself, so that a sealed agent can't use it"
        return Way(problem=problem, remedy=_KEY_REMEDY)
    address = setup.base_url or settings.get("ANTHROPIC_BASE_URL", "") or ADDRESS
    if account.subscription and address != ADDRESS:
        problem = f"the login of a subscription isn't sent to another address ({address})"
        return Way(problem=problem, remedy=_KEY_REMEDY)
    name, value = _login(files, environ, setup, settings)
    header = ("x-api-key", value) if name == KEY_NAME else ("authorization", f"Bearer {value}")
    environ_inside = {name: DUMMY}
    if not setup.model and (model := settings.get("ANTHROPIC_MODEL")):
        environ_inside["ANTHROPIC_MODEL"] = model
    return Way(
        address=address,
        headers=dict([header, *_more_headers(settings.get("ANTHROPIC_CUSTOM_HEADERS", ""))]),
        environ=environ_inside,
        how=account.how,
        subscription=account.subscription,
    )


def _login(
    files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup, settings: Mapping[str, str]
) -> tuple[str, str]:
    """Return the variable in which the program would take the login, and the login itself."""
    if setup.key_env:
        name = setup.key_env if setup.key_env in LOGINS else KEY_NAME
        return name, environ[setup.key_env]
    for name in LOGINS:
        if settings.get(name):
            return name, settings[name]
    token = access_token(files)
    return (TOKEN_NAME, token) if token else (KEY_NAME, console_key(files, environ))


def _more_headers(lines: str) -> list[tuple[str, str]]:
    """Return the headers that the user's gateway wants, given as `Name: value`, one a line."""
    headers: list[tuple[str, str]] = []
    for line in lines.splitlines():
        name, colon, value = line.partition(":")
        if colon and name.strip():
            headers.append((name.strip().lower(), value.strip()))
    return headers
