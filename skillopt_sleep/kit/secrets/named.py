"""Values whose name says that they are secret: names in code, headers, and labels in any language."""

import itertools
import re
from collections.abc import Iterator

from skillopt_sleep.kit.secrets import (
    assignments,
    names,
    password_prose as prose,
    password_words as words,
    values,
)
from skillopt_sleep.kit.secrets.extents import CHAIN, SEPARATOR, end_of, extent_at
from skillopt_sleep.kit.secrets.spans import Span

# The letters that a label beyond ASCII may end with: пароль|ный.
_LABEL_ENDING = re.compile(rf"(?![{words.UNSPACED}])[^\W\d_]{{0,5}}")
_GOES_ON = frozenset("_-(.,;{[")
_HEADER_GAP = re.compile(r"""(?:\\{0,3}["'])?[ \t]{0,4}[:=,]?[ \t]{0,4}[bfr]?(?:\\{0,3}["'`])?""")
_HEADER_SCHEME = re.compile(r"(?i:bearer|basic|token|apikey|api-key|bot|digest|ssws)[ ]{1,4}")
# Session cookies: what a browser shows a server instead of a password, as in `Cookie: JSESSIONID=…`.
_MARGIN = 48  # how far before a long run of characters the cookie's name may begin
_COOKIE = re.compile(
    r"(?:sess(?:ion)?(?:[_-]?(?:id|cookie))?|connect[._-]?sid|(?<![a-z])(?:h?sid|ssid))"
    r"(?:\\{0,3}[\"'])?\s{0,3}[:=]\s{0,3}(?:\\{0,3}[\"'])?"
    # An id that says what it is the id of is the key of a record: ses_…, agent-….
    r"(?!(?:ses|sess|session|agent|run|thread)[_-])(?P<value>[\w%.+/=~:-]{20,})",
    re.IGNORECASE,
)


def named(text: str, lower: bytes, places: list[int]) -> Iterator[Span]:
    """Yield the values of names in ASCII, each of which begins at one of the places."""
    hidden_to = 0
    for place in places:
        name = names.NAME.match(lower, place) if place >= hidden_to else None
        if not name:
            continue
        span = _value_of(text, lower, name)
        if span:
            hidden_to = span[1]
            yield span


def _value_of(text: str, lower: bytes, name: re.Match[bytes]) -> Span | None:
    if name["header"]:
        return _header_value(text, name.end())
    if name["foreign"]:
        weak = name[0].decode() in words.WEAK_LABELS
        return _labelled(text, name.start(), name.end(), weak=weak)
    span = assignments.assigned(text, lower, name)
    if span:
        return span
    if (name["password"] or name["pair"]) and _is_whole_label(text, name.end()):
        weak = name[0] in {b"pw", b"pass"} or bool(name["pair"])
        return prose.after(text, name.start(), name.end(), weak=weak)
    return None


def foreign(text: str) -> Iterator[Span]:
    """Yield the passwords whose label has letters beyond ASCII."""
    labels, letters_before = words.foreign_labels()
    hidden_to = 0
    for label, following in itertools.pairwise([*labels.finditer(text), None]):
        if label is None:
            break
        start = label.start() - letters_before.get(label[0][:2], 0)
        if start < hidden_to:
            continue
        end = end_of(_LABEL_ENDING, text, label.end(), len(text))
        weak = text[start : label.end()].lower() in words.WEAK_LABELS
        until = following.start() if following else len(text)
        span = _labelled(text, start, end, weak=weak, until=max(until, end))
        if span:
            hidden_to = span[1]
            yield span


def cookies(text: str, start: int, run: int, end: int) -> Iterator[Span]:
    """Yield the session cookies in text[start:end], where a long run of characters begins at `run`."""
    first = max(start, run - _MARGIN)
    around = text[first : run + _MARGIN].lower()
    if "sess" not in around and "sid" not in around:
        return
    for match in _COOKIE.finditer(text, first, end):
        if values.is_secret("key", match["value"], quoted=True, shouted=False):
            yield *match.span("value"), "session"


def _labelled(text: str, start: int, end: int, *, weak: bool, until: int | None = None) -> Span | None:
    """Return the password behind a label of any language, as code assigns it or as a sentence tells it."""
    is_password = values.is_nearby_password if weak else values.is_told_password
    separator = SEPARATOR.match(text, end)
    if separator:
        extent = extent_at(text, separator.end(), in_shell=False)
        value = text[extent.start : extent.end(min(extent.start + assignments.JUDGED, len(text)))]
        if (extent.quote or separator[0].endswith("=")) and is_password(value):
            return extent.start, extent.end(len(text)), "password"
    if _is_whole_label(text, end):
        return prose.after(text, start, end, weak=weak, until=until)
    return None


def _is_whole_label(text: str, end: int) -> bool:
    """Tell whether the label ends here instead of going on as part of a longer name."""
    return text[end : end + 1] not in _GOES_ON or text[end + 1 : end + 2] in {" ", "\n", ""}


def _header_value(text: str, at: int) -> Span | None:
    """Return the credentials that follow `Authorization:`, `Bearer` or `Basic`."""
    start = end_of(_HEADER_GAP, text, at, len(text))
    start = end_of(_HEADER_SCHEME, text, start, len(text))
    value = text[start : end_of(CHAIN, text, start, min(start + assignments.JUDGED, len(text)))]
    if values.is_secret("secret", value, quoted=False, shouted=False) or values.is_basic_credentials(value):
        return start, end_of(CHAIN, text, start, len(text)), "authorization"
    return None
