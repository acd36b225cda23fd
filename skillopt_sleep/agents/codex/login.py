"""Which login `codex` has, and as much of it as one call needs: never what would renew it."""

import base64
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

import msgspec

from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.protocols.program import Account, Setup

AUTH_FILE = "auth.json"
LOG_IN = "run: codex login"
OPENAI_KEY = "OPENAI_API_KEY"
CODEX_KEY = "CODEX_API_KEY"

# A login that was just renewed isn't due for it.
_JUST_RENEWED = "2999-01-01T00:00:00Z"
_ABOUT = "https://api.openai.com/auth"


class _Tokens(msgspec.Struct):
    id_token: str
    access_token: str
    account_id: str | None = None


class _Auth(msgspec.Struct):
    """What is read of the file."""

    auth_mode: str | None = None
    key: str | None = msgspec.field(default=None, name=OPENAI_KEY)
    tokens: _Tokens | None = None


_auth = msgspec.json.Decoder(_Auth)
_object = msgspec.json.Decoder(dict[str, Any])


def key_env(setup: Setup) -> str:
    """The variable with the key, where the setup names one or an address; "" for the program's own login."""
    return setup.key_env or (OPENAI_KEY if setup.base_url else "")


def account(files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Account:
    """The login that answers: the key the setup names, else CODEX_API_KEY, else the file."""
    name = key_env(setup) or (CODEX_KEY if environ.get(CODEX_KEY) else "")
    if name:
        if environ.get(name):
            return Account({}, how=f"key in {name}")
        return Account({}, problem=f"{name} is not set", remedy=f"export {name}=…")
    if AUTH_FILE in files:
        return _read(files[AUTH_FILE])
    if environ.get(OPENAI_KEY):
        problem = f"codex is not logged in, and exec looks at {OPENAI_KEY} only where it is told to"
        return Account({}, problem=problem, remedy=f'{LOG_IN}, or set backend.api_key_env = "{OPENAI_KEY}"')
    keyring = 'with cli_auth_credentials_store = "file" where the login is in a keyring'
    return Account({}, problem=f"codex is not logged in: it has no {AUTH_FILE}", remedy=f"{LOG_IN} ({keyring})")


def _read(data: bytes) -> Account:
    try:
        auth = _auth.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Account({}, problem=f"codex's {AUTH_FILE} can't be read", remedy=LOG_IN)
    mode = auth.auth_mode or ("apikey" if auth.key else "chatgpt")
    if mode == "apikey" and auth.key:
        kept = to_json({"auth_mode": mode, OPENAI_KEY: auth.key})
        return Account({AUTH_FILE: kept}, how=f"key in codex's {AUTH_FILE}")
    if mode == "chatgpt" and auth.tokens is not None and auth.tokens.access_token:
        return _subscription(auth.tokens)
    known = mode in ("apikey", "chatgpt")
    held = "no login" if known else f"a login of an unknown kind ({one_line(mode, limit=40)})"
    return Account({}, problem=f"codex's {AUTH_FILE} holds {held}", remedy=LOG_IN)


def _subscription(tokens: _Tokens) -> Account:
    # Without a refresh token the program takes the file for no login at all; with an empty one it can't renew it.
    held = {**msgspec.to_builtins(tokens), "refresh_token": ""}
    kept = {"auth_mode": "chatgpt", OPENAI_KEY: None, "tokens": held, "last_refresh": _JUST_RENEWED}
    about = _claims(tokens.id_token).get(_ABOUT)
    plan = cast("dict[str, Any]", about).get("chatgpt_plan_type") if isinstance(about, dict) else None
    return Account(
        {AUTH_FILE: to_json(kept)},
        how=f"ChatGPT {one_line(plan, limit=40)}" if isinstance(plan, str) else "ChatGPT",
        expires=_instant(_claims(tokens.access_token).get("exp")),
        subscription=True,
    )


def _claims(token: str) -> dict[str, Any]:
    """What a JWT says, unverified; nothing where it is none."""
    _, _, rest = token.partition(".")
    middle, _, _ = rest.partition(".")
    try:
        return _object.decode(base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
    except (ValueError, msgspec.DecodeError, RecursionError):
        return {}


def _instant(seconds: object) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC) if isinstance(seconds, int | float) else None
    except (ValueError, OverflowError, OSError):
        return None
