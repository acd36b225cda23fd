"""Passwords and secret paths in addresses, and the user that curl is given."""

import re
from collections.abc import Iterator

from skillopt_sleep.kit.secrets import shapes
from skillopt_sleep.kit.secrets.spans import Span

# `://user:password@host`. A password may hold an `@`, but a short number with a slash behind it is a port and a path.
_USERINFO = re.compile(
    r"://[^\s:/?#@\"'<>`\\\[\]]{0,128}:(?P<password>[^\s/?#\"'<>`\\]{1,256}|(?!\d{1,5}/)[^\s?#@\"'<>`\\]{1,256})@(?=[\w\[$<{%-])"
)
_TOKEN = re.compile(r"://(?P<token>[\w.~%-]{20,512})@(?=[\w\[])", re.ASCII)
_CURL_USER = re.compile(r"(?:\s-u|--user)[ =]?[\"']?[^\s:\"'$<{\[]{1,64}:(?P<password>[^\s\"']{3,256})")
_HOOK = re.compile(
    r"(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks/\d+"
    r"|webhook\.office\.com/webhookb2|hooks\.zapier\.com/hooks/catch"
    r"|(?i:webhook_?url)[\"']?\s{0,3}[:=]\s{0,3}[\"']?https?://[\w.:-]{1,128}(?=[\w/@-]{0,128}[A-Za-z\d]{20}))"
    r"/(?P<path>[\w/@-]{14,512})",
    re.ASCII,
)
# Variables and what hides a password already: $PASS, <password>, {{ password }}, ***, xxx, ...
_VARIABLE = re.compile(r"\$.*|[<{\[(%].*|\*+|[xX]+|\.+")
# What a manual writes in a password's place: password, your-token, apikey.
_EXAMPLE = re.compile(r"(?i:(?:my|your|the|user|api|auth|access)?[-_]?(?:pass(?:word|wd)?|pwd?|secret|token|key))")


def url_passwords(text: str) -> Iterator[Span]:
    """Yield the passwords in `scheme://user:password@host`."""
    if "://" in text:
        for match in _USERINFO.finditer(text):
            if not _VARIABLE.fullmatch(match["password"]) and not _EXAMPLE.fullmatch(match["password"]):
                yield *match.span("password"), "url-password"
        for match in _TOKEN.finditer(text):
            if shapes.is_random(match["token"]):
                yield *match.span("token"), "url-password"


def webhooks(text: str) -> Iterator[Span]:
    """Yield the secret paths of webhooks' addresses."""
    if ("hook" in text or "HOOK" in text) and "://" in text:
        for match in _HOOK.finditer(text):
            yield *match.span("path"), "webhook"


def curl_passwords(text: str) -> Iterator[Span]:
    """Yield what stands behind the colon in `curl -u user:password`."""
    if "curl " in text:
        for match in _CURL_USER.finditer(text):
            if not _VARIABLE.fullmatch(match["password"]) and not match["password"].isdigit():
                yield *match.span("password"), "password"
