"""Find the login of `codex`, and as much of it as one call needs: never what would renew it."""

import base64
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

import msgspec

from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.protocols.acting import RelayRoute
from skillopt_sleep.protocols.program import Login, Setup

AUTH_FILE = "auth.json"
CONFIG_FILE = "config.toml"
LOG_IN = "run: codex login"
OPENAI_KEY = "OPENAI_API_KEY"
CODEX_KEY = "CODEX_API_KEY"

# With this time a login is never due for renewal.
_JUST_RENEWED = "2999-01-01T00:00:00Z"
_ABOUT = "https://api.openai.com/auth"

ADDRESS = "https://api.openai.com"
KEY_INSIDE = "SEALED_MODEL_KEY"
# What the program in the seal gets in the login's place. The relay puts the real one in.
DUMMY = "sealed-dummy-key"

_MORE = {"OPENAI_ORGANIZATION": "openai-organization", "OPENAI_PROJECT": "openai-project"}
_WAY_REMEDY = 'log in with a key (codex login --with-api-key), or set backend.api_key_env = "OPENAI_API_KEY"'


class _Tokens(msgspec.Struct):
    id_token: str
    access_token: str
    account_id: str | None = None


class _Auth(msgspec.Struct):
    """The parts of auth.json that we read."""

    auth_mode: str | None = None
    key: str | None = msgspec.field(default=None, name=OPENAI_KEY)
    tokens: _Tokens | None = None


_auth = msgspec.json.Decoder(_Auth)
_object = msgspec.json.Decoder(dict[str, Any])


def key_env(setup: Setup) -> str:
    """Return the variable with the key if the setup names one or an address, or "" for the program's own login."""
    if setup.key_env:
        return setup.key_env
    return OPENAI_KEY if setup.base_url else ""


def account(files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Login:
    """Return the login that answers: the key the setup names, else CODEX_API_KEY, else the one in the file."""
    name = key_env(setup)
    if not name and environ.get(CODEX_KEY):
        name = CODEX_KEY
    if name:
        if environ.get(name):
            return Login({}, how=f"key in {name}")
        return Login({}, problem=f"{name} is not set", remedy=f"export {name}=…")
    if AUTH_FILE in files:
        return _read(files[AUTH_FILE])
    name = _provider(files.get(CONFIG_FILE, b""))
    if name != "openai":
        remedy = (
            f"set backend.base_url and backend.api_key_env to the base_url and env_key of [model_providers.{name}]"
        )
        return Login(
            {},
            problem=f"its {CONFIG_FILE} names the provider {name}, whose address and key a night must be given",
            remedy=remedy,
        )
    if environ.get(OPENAI_KEY):
        problem = f"codex is not logged in, and codex exec uses {OPENAI_KEY} only if told to"
        return Login({}, problem=problem, remedy=f'{LOG_IN}, or set backend.api_key_env = "{OPENAI_KEY}"')
    keyring = 'with cli_auth_credentials_store = "file" if the login is in a keyring'
    return Login({}, problem=f"codex is not logged in: it has no {AUTH_FILE}", remedy=f"{LOG_IN} ({keyring})")


def _provider(config: bytes) -> str:
    """Return whom the user's Codex asks, which no replay reads by itself."""
    try:
        return one_line(str(tomllib.loads(config.decode()).get("model_provider", "openai")), limit=40)
    except (ValueError, RecursionError):
        return "openai"


def file_key(data: bytes) -> str:
    """Return the key in auth.json, or "" if it holds none or another login."""
    found = _read(data).files.get(AUTH_FILE, b"null")
    try:
        auth = _auth.decode(found)
    except msgspec.DecodeError:
        return ""
    return auth.key or ""


def _read(data: bytes) -> Login:
    try:
        auth = _auth.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Login({}, problem=f"codex's {AUTH_FILE} can't be read", remedy=LOG_IN)
    mode = auth.auth_mode
    if not mode:
        mode = "apikey" if auth.key else "chatgpt"
    if mode == "apikey" and auth.key:
        kept = to_json({"auth_mode": mode, OPENAI_KEY: auth.key})
        return Login({AUTH_FILE: kept}, how=f"key in codex's {AUTH_FILE}")
    if mode == "chatgpt" and auth.tokens is not None and auth.tokens.access_token:
        return _subscription(auth.tokens)
    content = "no login"
    if mode not in ("apikey", "chatgpt"):
        content = f"a login of an unknown kind ({one_line(mode, limit=40)})"
    return Login({}, problem=f"codex's {AUTH_FILE} has {content}", remedy=LOG_IN)


def _subscription(tokens: _Tokens) -> Login:
    # Without a refresh token the program sees no login in the file; with an empty one it can't renew it.
    kept_tokens = {**msgspec.to_builtins(tokens), "refresh_token": ""}
    kept = {"auth_mode": "chatgpt", OPENAI_KEY: None, "tokens": kept_tokens, "last_refresh": _JUST_RENEWED}
    return Login(
        {AUTH_FILE: to_json(kept)},
        how=f"ChatGPT {_plan(tokens)}".rstrip(),
        expires=_instant(_claims(tokens.access_token).get("exp")),
        subscription=True,
    )


def _plan(tokens: _Tokens) -> str:
    about = _claims(tokens.id_token).get(_ABOUT)
    if not isinstance(about, dict):
        return ""
    plan = cast("dict[str, Any]", about).get("chatgpt_plan_type")
    return one_line(plan, limit=40) if isinstance(plan, str) else ""


def _claims(token: str) -> dict[str, Any]:
    """Return the claims of a JWT, unverified, or nothing if it isn't one."""
    _, _, rest = token.partition(".")
    middle, _, _ = rest.partition(".")
    try:
        return _object.decode(base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
    except (ValueError, msgspec.DecodeError, RecursionError):
        return {}


def _instant(seconds: object) -> datetime | None:
    if not isinstance(seconds, int | float):
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


# How the relay asks in the agent's place. ----------------------------------------------------------------------


def find_way(files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> RelayRoute:
    """Return the address and the headers; a ChatGPT login only works with codex's own address."""
    found = account(files, environ, setup)
    if found.problem:
        return RelayRoute(problem=found.problem, remedy=found.remedy)
    name = key_env(setup)
    if not name and environ.get(CODEX_KEY):
        name = CODEX_KEY
    key = environ[name] if name else file_key(files.get(AUTH_FILE, b""))
    if not key:
        problem = f"a login by {found.how} can't be pointed at another address, so that a sealed agent can't use it"
        return RelayRoute(problem=problem, remedy=_WAY_REMEDY)
    headers = {"authorization": f"Bearer {key}"}
    if not setup.base_url:
        headers |= {header: environ[name] for name, header in _MORE.items() if environ.get(name)}
    return RelayRoute(
        address=setup.base_url or ADDRESS,
        headers=headers,
        environ={KEY_INSIDE: DUMMY},
    )
