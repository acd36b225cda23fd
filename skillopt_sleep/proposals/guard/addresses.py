"""Find addresses of every form in a text: with or without a scheme, by name or number, of mail or a share."""

import ipaddress
import re
from collections.abc import Iterator
from urllib.parse import unquote

from skillopt_sleep.proposals.guard.hosts import is_host

_TRAILING = ".,;:!?)]}>*_\"'`"
_REST = r"[^\s<>\"'`]*"
# IDNA treats three other signs as a dot.
_OTHER_DOT = re.compile(r"(?<=[A-Za-z0-9])[。．｡](?=[A-Za-z0-9])")
_DEFANGED = re.compile(r"[_-]dot[_-](?=(?:com|net|org|io|dev)\b)|\s?[\[({](?:\.|dot)[\])}]\s?", re.IGNORECASE)
_SPOKEN_DOT = re.compile(
    r"(?<=\w) (?:dot |\. ?)(?=(?:com|net|org|io|dev|app|co|example|ru|cn|xyz|shop)\b)", re.IGNORECASE
)
_SURE = re.compile(
    rf"\b[a-z][a-z0-9+.-]{{1,20}}://[^\s<>\"'`|^]{_REST}"
    rf"|\b(?:https?|hxxps?|ftps?|wss?):[/\\]*[\w\[$]{_REST}|\bfile:/{_REST}"
    rf"|\b(?:mailto|javascript|vbscript|magnet|jndi|sips?|xmpp|skype|bitcoin|view-source|blob):[^\s<>\"'`]+"
    r"|\b(?:tel|sms):\+?\d[\d-]+"
    rf"|\bdata:(?:[\w.+-]+/[\w.+-]+)?[;,]{_REST}"
    # Without a scheme, and to a share; a Bazel label, which isn't one, ends in the name of a target.
    r"|(?<![\w:/*\\])//(?!\S*:[a-z_]\w*(?:\s|$))[\w-]+(?:[.:][\w-]+)*/[^\s)\"'`]*"
    r"|(?<![\w:/*\\])//[\w-]+(?:\.[\w-]+)+"
    r"|(?<!\\)(?:\\\\[\w.@$-]+\\(?!\\)|\\{3,4}[\w.@$-]+\\{1,2})[\w$][^\s\"'`]*"
    rf"|\bxn--[\w.-]+{_REST}"
    r"|\bwww\.[\w-]+(?:\.[\w-]+)+[^\s<>\"'`]*"
    # A machine with a path, and e-mail; `react@18.2.0` and `x@workspace:*` are packages.
    rf"|(?<![\w@/])[\w.%+-]+@(?!(?:workspace|npm|file|catalog|patch|link|portal):)[\w.-]+:[\w~/.]{_REST}"
    r"|(?<![\w@/])[\w.%+-]+@(?![vV]?\d+(?:\.|\b)(?!\d*\.\d+\.\d+\.\d))[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}(?![\w])"
    # A machine with a port: localhost, or a name without a dot if a path follows.
    rf"|(?<![\w./-])localhost(?::\d+|/\w){_REST}"
    r"|(?<![\w./-])[a-z][\w-]*:\d{2,5}/[^\s<>\"'`]*"
    # An address written as one number, as some programs accept it.
    r"|(?<![\w./-])(?:0x[0-9a-f]{8}|\d{8,10})/\w[^\s<>\"'`]*"
    r"|(?<![\w.])(?:0x[0-9a-f]{1,8}|127)(?:\.(?:0x[0-9a-f]{1,8}|\d{1,8})){1,2}/[a-z]\S*"
    r"|(?<![\w.])(?:0x[0-9a-f]{1,2}|0\d{1,3})(?:\.(?:0x[0-9a-f]{1,2}|\d{1,4})){3}\b",
    re.IGNORECASE,
)
_IPV4 = re.compile(r"(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)")
_IPV6 = re.compile(
    r"(?<![\w:.])(\[?)((?:[0-9a-f]{0,4}:){2,7}(?:[0-9a-f]{0,4}|(?:\d{1,3}\.){3}\d{1,3}))(%\w+)?(\]?)(?![\w:])",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"(?<![\w%+-])\.?[^\W_](?:[\w-]*\w)?(?:\.\w(?:[\w-]*\w)?)+")
_PATH = re.compile(r"[:/?#][^\s<>\"'`)]*")
_OWN_MACHINE = frozenset({"127.0.0.1", "0.0.0.0", "::1"})  # noqa: S104 - names of this machine, nothing is bound
_ON = re.compile(r":\d+|/\w")
_ON_PORT = re.compile(r":\d+|/")


def addresses(*views: str) -> tuple[str, ...]:
    """Return every address in any of these views of a text, each once."""
    unique: dict[str, None] = {}
    for view in views:
        for address in _addresses(_with_dots(view)):
            unique[address.rstrip(_TRAILING)] = None
    return tuple(filter(None, unique))


def _with_dots(text: str) -> str:
    """Replace everything that stands for a dot with a dot."""
    text = unquote(text)
    for pattern in (_OTHER_DOT, _DEFANGED, _SPOKEN_DOT):
        text = pattern.sub(".", text)
    return text


def _addresses(text: str) -> Iterator[str]:
    for match in _SURE.finditer(text):
        yield match[0]
    rest = _SURE.sub(lambda match: " " * len(match[0]), text)
    for match in _IPV4.finditer(rest):
        if _is_ip(match[0]) and (match[0] not in _OWN_MACHINE or _ON.match(rest, match.end())):
            yield match[0]
    for match in _IPV6.finditer(rest):
        if _is_ipv6(match, rest):
            yield match[0]
    yield from _hosts(rest)


def _hosts(text: str) -> Iterator[str]:
    for match in _DOTTED.finditer(text):
        before = text[max(0, match.start() - 90) : match.start()]
        after = text[match.end() : match.end() + 40]
        if not is_host(match[0], before=before, after=after):
            continue
        host = match[0].lstrip(".")
        path = _PATH.match(text, match.end())
        yield f"{host}{path[0]}" if path else host


def _is_ipv6(match: re.Match[str], text: str) -> bool:
    """Return whether this is an IPv6 address: `a::b` and `Type::` are code, and `::1` alone is this machine."""
    if not _is_ip(match[2]):
        return False
    if _ON_PORT.match(text, match.end()):
        return True
    bracket_before = bool(match[1])
    if match[2] in _OWN_MACHINE:
        return bracket_before
    if bracket_before and match[4]:
        return True
    return any(char.isdigit() for char in match[2])


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
