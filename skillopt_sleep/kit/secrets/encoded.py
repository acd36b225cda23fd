"""Secrets in base64: bare, over several lines, and as the values of a Kubernetes secret."""

import base64
import re
from collections.abc import Callable, Iterator

from skillopt_sleep.kit.secrets import values
from skillopt_sleep.kit.secrets.spans import Span

# Four characters of base64 that stand for three printable ones; and many of them, perhaps over several lines.
_QUAD = r"[CI-Za-f][A-Za-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/]"
_ENCODED = re.compile(
    rf"(?<![\w+/])(?:{_QUAD}){{4,}}(?:\r?\n(?:{_QUAD}){{4,}})*(?:\r?\n(?:{_QUAD}){{0,3}})?(?:[I-Za-f][A-Za-z0-3][A-Za-z0-9]?={{0,2}})?"
)
_LONG_LINE = 60  # base64 goes on only behind a line of at least so many characters
_FURTHER_LINES = re.compile(r"(?:\r?\n[A-Za-z0-9+/]{60,80})*+(?:\r?\n[A-Za-z0-9+/]{2,80}={0,2}(?![^\s\"'`]))?")
_MANIFEST = re.compile(r"kind[\"']?\s{0,4}:\s{0,4}[\"']?Secret\b")
_ENTRY = re.compile(
    r"(?P<name>[\w.-]{1,80})[\"']?[ \t]{0,8}:[ \t]{0,8}(?:[|>][+-]?[ \t]{0,8}\n\s{1,40})?"
    r"[\"']?(?P<value>[A-Za-z0-9+/]{8,}={0,2})(?![\w.:/+-])"
)
_PUBLIC_NAME = re.compile(
    r"(?i)(?:^|[._-])(?:crt|cert|certificate|pub|public|ca|username|user|host|namespace|url|port|uid)$"
)
_SHORTEST = 4


def end_of_base64(text: str, start: int, end: int) -> int:
    """Return where base64 ends that begins with the line text[start:end]; it may be some lines below."""
    if end - start < _LONG_LINE:
        return end
    further = _FURTHER_LINES.match(text, end)
    return further.end() if further else end


def encoded(text: str, start: int, end: int, find: Callable[[str], list[Span]]) -> Iterator[Span]:
    """Yield the base64 in text[start:end] in whose decoded text `find` finds a secret."""
    for match in _ENCODED.finditer(text, start, end):
        if find(_decoded(match[0])):
            yield *match.span(), "base64"


def manifest(text: str) -> Iterator[Span]:
    """Yield the encoded values in the manifest of a Kubernetes secret."""
    if not _MANIFEST.search(text):
        return
    for entry in _ENTRY.finditer(text):
        clear = _decoded(entry["value"])
        if len(clear) < _SHORTEST or not clear.isprintable() or _PUBLIC_NAME.search(entry["name"]):
            continue
        if values.is_nearby_password(clear):
            yield *entry.span("value"), "secret"


def _decoded(text: str) -> str:
    """Return the ASCII text that is encoded, or "" if there is none."""
    text = "".join(text.split())
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
    except ValueError:
        return ""
