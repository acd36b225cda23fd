"""Which login `claude` would use, in the order in which it looks, and what a replay needs of it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.protocols.program import Account, Setup

Kind = TypeVar("Kind")

KEY_NAME = "ANTHROPIC_API_KEY"
TOKEN_NAME = "CLAUDE_CODE_OAUTH_TOKEN"  # noqa: S105 - a variable's name
LOGINS = (KEY_NAME, "ANTHROPIC_AUTH_TOKEN", TOKEN_NAME)
_PROVIDERS = {
    "CLAUDE_CODE_USE_BEDROCK": "Amazon Bedrock",
    "CLAUDE_CODE_USE_VERTEX": "Google Vertex AI",
    "CLAUDE_CODE_USE_FOUNDRY": "Microsoft Foundry",
}
PASSED = frozenset(
    {
        *LOGINS,
        *_PROVIDERS,
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
_OFF = frozenset({"", "0", "false", "no", "off"})
_MAY_ASK = "user:inference"
_REMEDY = (
    "run: claude, then /login. On a Mac that login is in the keychain, where a replay can't read it: "
    f"run: claude setup-token, then export {TOKEN_NAME}=…, or name a key's variable in backend.api_key_env"
)


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


def find_login(files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Account:
    """The login; its files hold no refresh token, so that nothing that is given them can renew or end it."""
    if setup.key_env:
        if environ.get(setup.key_env):
            how, renewed = f"the key in {setup.key_env}", setup.key_env == TOKEN_NAME
            return Account({}, how=how, subscription=renewed)
        return Account({}, problem=f"{setup.key_env} is not set", remedy=f"export {setup.key_env}=…")
    kept, named = _settings(files, setup)
    known = {**environ, **named}
    for switch, provider in _PROVIDERS.items():
        if known.get(switch, "").lower() not in _OFF:
            return Account(kept, how=f"{provider} ({switch})")
    for name in LOGINS:
        if known.get(name):
            return Account(kept, how=f"the key in {name}", subscription=name == TOKEN_NAME)
    return _in_files(files, environ, kept)


def _settings(files: Mapping[str, bytes], setup: Setup) -> tuple[dict[str, bytes], dict[str, str]]:
    """The variables for logins and endpoints that the user's settings set, which the program prefers to its own."""
    settings = _decoded(files.get("settings.json"), _Settings)
    env = settings.env if settings else {}
    given = {"ANTHROPIC_BASE_URL": setup.base_url, "ANTHROPIC_MODEL": setup.model}
    named = {
        name: value if isinstance(value, str) else to_json(value).decode()
        for name, value in env.items()
        if name in PASSED and not given.get(name)
    }
    return ({"settings.json": to_json({"env": named})} if named else {}), named


def _in_files(files: Mapping[str, bytes], environ: Mapping[str, str], kept: dict[str, bytes]) -> Account:
    credentials = _decoded(files.get(".credentials.json"), _Credentials)
    oauth = credentials.oauth if credentials else None
    if oauth and oauth.access_token and _MAY_ASK in oauth.scopes:
        # With the scope of the profile too, every call would ask for the profile first.
        login: dict[str, Any] = {"accessToken": oauth.access_token, "scopes": [_MAY_ASK]}
        login |= {"expiresAt": oauth.expires_at, "subscriptionType": oauth.subscription_type}
        expires = datetime.fromtimestamp(oauth.expires_at / 1000, UTC) if oauth.expires_at else None
        how = f"a {oauth.subscription_type or 'Claude'} subscription, in .credentials.json"
        laid = {**kept, ".credentials.json": to_json({"claudeAiOauth": login})}
        return Account(laid, how=how, expires=expires, subscription=True)
    config = ".claude.json" if environ.get("CLAUDE_CONFIG_DIR") else "../.claude.json"
    found = _decoded(files.get(config), _Config)
    if found and found.primary_api_key:
        key = to_json({"primaryApiKey": found.primary_api_key})
        return Account({**kept, ".claude.json": key}, how="the key of a Console login, in .claude.json")
    problem = "no login found in .credentials.json, settings.json or .claude.json, nor in the environment"
    return Account({}, problem=problem, remedy=_REMEDY)


def _decoded(data: bytes | None, kind: type[Kind]) -> Kind | None:
    """The file's content, or None where it is none that the program wrote."""
    try:
        return msgspec.json.decode(data or b"", type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
