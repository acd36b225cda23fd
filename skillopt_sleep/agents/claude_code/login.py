"""Find the login `claude` would use, in the order in which it looks, and what a replay needs of it."""

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.protocols.acting import RelayRoute
from skillopt_sleep.protocols.program import Login, Setup

Kind = TypeVar("Kind")

KEY_NAME = "ANTHROPIC_API_KEY"
TOKEN_NAME = "CLAUDE_CODE_OAUTH_TOKEN"  # noqa: S105 - a variable's name
LOGINS = (KEY_NAME, "ANTHROPIC_AUTH_TOKEN", TOKEN_NAME)
PROVIDERS = {
    "CLAUDE_CODE_USE_BEDROCK": "Amazon Bedrock",
    "CLAUDE_CODE_USE_VERTEX": "Google Vertex AI",
    "CLAUDE_CODE_USE_FOUNDRY": "Microsoft Foundry",
}
PASSED = frozenset(
    {
        *LOGINS,
        *PROVIDERS,
        *("ANTHROPIC_BASE_URL", "ANTHROPIC_BETAS", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_MODEL"),
        *("ANTHROPIC_DEFAULT_HAIKU_MODEL", "ANTHROPIC_DEFAULT_OPUS_MODEL", "ANTHROPIC_DEFAULT_SONNET_MODEL"),
        *("CLAUDE_CODE_SKIP_BEDROCK_AUTH", "CLAUDE_CODE_SKIP_VERTEX_AUTH", "CLAUDE_CODE_SKIP_FOUNDRY_AUTH"),
        *("ANTHROPIC_BEDROCK_BASE_URL", "AWS_BEARER_TOKEN_BEDROCK", "AWS_REGION", "AWS_DEFAULT_REGION"),
        *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_CONFIG_FILE"),
        *("AWS_SHARED_CREDENTIALS_FILE", "AWS_ROLE_ARN", "AWS_ROLE_SESSION_NAME", "AWS_WEB_IDENTITY_TOKEN_FILE"),
        *("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"),
        *("ANTHROPIC_VERTEX_BASE_URL", "ANTHROPIC_VERTEX_PROJECT_ID", "CLOUD_ML_REGION"),
        *("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT"),
        *("ANTHROPIC_FOUNDRY_API_KEY", "ANTHROPIC_FOUNDRY_BASE_URL", "ANTHROPIC_FOUNDRY_RESOURCE"),
        *("AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_TENANT_ID"),
        *("CLAUDE_CODE_CLIENT_CERT", "CLAUDE_CODE_CLIENT_KEY", "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE"),
    }
)
# With these variables the program reports nothing and keeps nothing, and we ask again ourselves. It still asks twice
# at a subscription's 401, a 404, and a reply that is empty or refused, and a few times at a 400 and an answer that is
# longer than the model may write.
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_MAX_RETRIES": "0",
    "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK": "1",
}
_OFF = frozenset({"", "0", "false", "no", "off"})
_MAY_ASK = "user:inference"
_LASTS = f"run: claude setup-token, then export {TOKEN_NAME}=… where the night runs: that token lasts a year"
# A Mac keeps the login in its keychain, which a night can't read.
_LOG_IN = f"claude setup-token, then export {TOKEN_NAME}=…" if sys.platform == "darwin" else "claude, then /login"
_REMEDY = f"run: {_LOG_IN}; or name a key's variable in backend.api_key_env"

ADDRESS = "https://api.anthropic.com"
# What the program in the seal gets in the login's place. The relay puts the real one in.
DUMMY = "sk-ant-sealed-dummy-key"
_KEY_REMEDY = f"name the variable with an API key in backend.api_key_env, or export {KEY_NAME}=…"


class _OAuth(msgspec.Struct, rename="camel"):
    access_token: str
    scopes: tuple[str, ...] = ()
    expires_at: Annotated[int, Meta(ge=0, le=253402300799999)] | None = None
    subscription_type: str | None = None


class _Credentials(msgspec.Struct, rename={"oauth": "claudeAiOauth"}):
    oauth: _OAuth | None = None


class _Config(msgspec.Struct, rename="camel"):
    primary_api_key: str | None = None


class _Settings(msgspec.Struct):
    env: dict[str, Any] = {}


def find_login(files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Login:
    """Return the login; its files hold no refresh token, so that no replay can renew or end it."""
    names = environ if setup.key_env else known(files, environ, setup)
    address = provider_of(names) or names.get("ANTHROPIC_BASE_URL", "")
    return _login(files, environ, setup)._replace(address=address)


def _login(files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Login:
    if setup.key_env:
        if environ.get(setup.key_env):
            return Login({}, how=f"the key in {setup.key_env}", subscription=setup.key_env == TOKEN_NAME)
        return Login({}, problem=f"{setup.key_env} is not set", remedy=f"export {setup.key_env}=…")
    settings_env = _settings_env(files, setup)
    kept: dict[str, bytes] = {}
    if settings_env:
        kept["settings.json"] = to_json({"env": settings_env})
    names = known(files, environ, setup)
    if provider := provider_of(names):
        return Login(kept, how=provider)
    for name in LOGINS:
        if names.get(name):
            return Login(kept, how=f"the key in {name}", subscription=name == TOKEN_NAME)
    return _in_files(files, environ, kept)


def known(files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> dict[str, str]:
    """Return the variables that the program sees: the environment's, and those of the user's settings."""
    return {**environ, **_settings_env(files, setup)}


def provider_of(names: Mapping[str, str]) -> str:
    """Return the cloud whose own login is used, with the variable that says so, or ""."""
    for switch, provider in PROVIDERS.items():
        if names.get(switch, "").lower() not in _OFF:
            return f"{provider} ({switch})"
    return ""


def access_token(files: Mapping[str, bytes]) -> str:
    """Return the token of a subscription, or ""."""
    credentials = _decoded(files.get(".credentials.json"), _Credentials)
    if credentials and (oauth := credentials.oauth) and _MAY_ASK in oauth.scopes:
        return oauth.access_token
    return ""


def console_key(files: Mapping[str, bytes], environ: Mapping[str, str]) -> str:
    """Return the key of a Console login, or ""."""
    config_name = ".claude.json" if environ.get("CLAUDE_CONFIG_DIR") else "../.claude.json"
    config = _decoded(files.get(config_name), _Config)
    return (config.primary_api_key or "") if config else ""


def _settings_env(files: Mapping[str, bytes], setup: Setup) -> dict[str, str]:
    """Return the variables for logins and endpoints in the user's settings, which win over the environment's."""
    settings = _decoded(files.get("settings.json"), _Settings)
    if settings is None:
        return {}
    set_by_us = {"ANTHROPIC_BASE_URL": setup.base_url, "ANTHROPIC_MODEL": setup.model}
    env: dict[str, str] = {}
    for name, value in settings.env.items():
        if name in PASSED and not set_by_us.get(name):
            env[name] = value if isinstance(value, str) else to_json(value).decode()
    return env


def _in_files(files: Mapping[str, bytes], environ: Mapping[str, str], kept: dict[str, bytes]) -> Login:
    """Return the login of a subscription or of the Console; `kept` are the other files a replay needs."""
    credentials = _decoded(files.get(".credentials.json"), _Credentials)
    if credentials and (oauth := credentials.oauth) and oauth.access_token and _MAY_ASK in oauth.scopes:
        return _subscription(oauth, kept)
    if found := console_key(files, environ):
        key = to_json({"primaryApiKey": found})
        return Login({**kept, ".claude.json": key}, how="the key of a Console login, in .claude.json")
    problem = "no login found in .credentials.json, settings.json or .claude.json, nor in the environment"
    return Login({}, problem=problem, remedy=_REMEDY)


def _subscription(oauth: _OAuth, kept: dict[str, bytes]) -> Login:
    login = {
        "accessToken": oauth.access_token,
        # With the scope of the profile too, every call would ask for the profile first.
        "scopes": [_MAY_ASK],
        "expiresAt": oauth.expires_at,
        "subscriptionType": oauth.subscription_type,
    }
    return Login(
        {**kept, ".credentials.json": to_json({"claudeAiOauth": login})},
        how=f"a {oauth.subscription_type or 'Claude'} subscription, in .credentials.json",
        remedy=_LASTS,
        expires=datetime.fromtimestamp(oauth.expires_at / 1000, UTC) if oauth.expires_at else None,
        subscription=True,
    )


def _decoded(data: bytes | None, kind: type[Kind]) -> Kind | None:
    """Return the file's content, or None if the program can't have written it."""
    try:
        return msgspec.json.decode(data or b"", type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


# How the relay asks in the agent's place. ----------------------------------------------------------------------


def find_way(files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> RelayRoute:
    """Return the address and the headers; a provider's own login can't be used, as it signs each request."""
    account = find_login(files, environ, setup)
    if account.problem:
        return RelayRoute(problem=account.problem, remedy=account.remedy)
    settings = known(files, environ, setup)
    if not setup.key_env and (provider := provider_of(settings)):
        problem = f"the login of {provider} signs each request itself, so that a sealed agent can't use it"
        return RelayRoute(problem=problem, remedy=_KEY_REMEDY)
    address = setup.base_url or settings.get("ANTHROPIC_BASE_URL", "") or ADDRESS
    if account.subscription and address != ADDRESS:
        problem = f"the login of a subscription isn't sent to another address ({address})"
        return RelayRoute(problem=problem, remedy=_KEY_REMEDY)
    name, value = _login_of(files, environ, setup, settings)
    header = ("x-api-key", value) if name == KEY_NAME else ("authorization", f"Bearer {value}")
    environ_inside = {name: DUMMY}
    if not setup.model and (model := settings.get("ANTHROPIC_MODEL")):
        environ_inside["ANTHROPIC_MODEL"] = model
    return RelayRoute(
        address=address,
        headers=dict([header, *_more_headers(settings.get("ANTHROPIC_CUSTOM_HEADERS", ""))]),
        environ=environ_inside,
        subscription=account.subscription,
    )


def _login_of(
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
