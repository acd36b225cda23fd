"""Values whose name says that they are secret: `password = "…"`, `ENV DB_PASS …`, `Bearer …`, `Passwort: …`.

First the name is read with what stands around it, then the value behind it is judged.
"""

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from skillopt_sleep.kit.secrets import Span, names, passwords_in_prose as prose, shapes, values
from skillopt_sleep.kit.secrets.shapes import CHAIN, SEPARATOR, end_of, extent_at

# The letters that a label beyond ASCII may end with: пароль|ный.
_LABEL_ENDING = re.compile(rf"(?![{names.UNSPACED}])[^\W\d_]{{0,5}}")
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
        weak = name[0].decode() in names.WEAK_LABELS
        return _labelled(text, name.start(), name.end(), weak=weak)
    span = assigned(text, lower, name)
    if span:
        return span
    if (name["password"] or name["pair"]) and _is_whole_label(text, name.end()):
        weak = name[0] in {b"pw", b"pass"} or bool(name["pair"])
        return prose.after(text, name.start(), name.end(), weak=weak)
    return None


def foreign(text: str) -> Iterator[Span]:
    """Yield the passwords whose label has letters beyond ASCII."""
    labels, letters_before = names.foreign_labels()
    hidden_to = 0
    for label, following in itertools.pairwise([*labels.finditer(text), None]):
        if label is None:
            break
        start = label.start() - letters_before.get(label[0][:2], 0)
        if start < hidden_to:
            continue
        end = end_of(_LABEL_ENDING, text, label.end(), len(text))
        weak = text[start : label.end()].lower() in names.WEAK_LABELS
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
        value = text[extent.start : extent.end(min(extent.start + JUDGED, len(text)))]
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
    value = text[start : end_of(CHAIN, text, start, min(start + JUDGED, len(text)))]
    if values.is_secret("secret", value, quoted=False, shouted=False) or values.is_basic_credentials(value):
        return start, end_of(CHAIN, text, start, len(text)), "authorization"
    return None


JUDGED = 128  # a value is judged by so many of its characters, and hidden whole

# The further lines of a value that was wrapped: base64 and nothing else.
# Not possessive: before 3.11.5 Python left such a group where its last failed attempt had got to.
_FURTHER_LINES = re.compile(r"(?:\s*\n[ \t]*(?:[A-Za-z0-9+/]{16,}={0,2}|[A-Za-z0-9+/]+={1,2})(?![^\s\"'`]))*")
_WRAPPED = 40  # the lines that follow so long a value may be the rest of it
_QUOTED_ARGUMENT = re.compile(r"\((?=[rbfu]?[\"'])")
_CALL_OR_INDEX = re.compile(r"[A-Za-z_][\w.]*[(\[]")
_ARN = re.compile(r":\d{12}:\Z")  # an account number within the name of a resource of AWS
_ROW = 400  # so far before a cell its row of a table may begin
# A few words that lead from the name to its value, then a sign and perhaps a quote.
_LINK = re.compile(
    r",?(?: (?:the|new|old|one|current|is|was|now|be|are|it|set|to|as|provided|given|used|found|received|below))"
    r"{0,5}(?::|,| ?->| →)?\s[\"'`«„“(]?(?=\S)"
)
_TOKEN = re.compile(r"(?!sha\d|0x)[\w.~%+/=:-]*+", re.ASCII)
_LONGEST_TOKEN = 1024
_BEHIND_NAME = frozenset(" ,(")
_LEADING_WORDS = ([b"env"], [b"setx"], [b"setenv"])


class _Assignment(NamedTuple):
    """The name of a secret and the place of its value.

    `separator` is what stands between them, without quotes and blanks: "" if that is all, as in `ENV name value`.
    """

    kind: str
    name_start: int
    name_end: int
    has_prefix: bool
    in_capitals: bool
    has_separator: bool
    separator: str
    value_at: int
    in_shell: bool


def assigned(text: str, lower: bytes, name: re.Match[bytes]) -> Span | None:
    """Return the value of this name if it is a secret, whether assigned or told in a sentence."""
    separator = SEPARATOR.match(text, name.end())
    if not separator and text[name.end() : name.end() + 1] not in _BEHIND_NAME:
        return None
    prefix = names.prefix_of(lower[max(0, name.start() - 40) : name.start()], name[0])
    kind = names.kind_of(name, prefix, camel_case=_begins_hump(text, name.start()))
    if not kind:
        return None
    led = not separator and _is_led(lower, name.start() - len(prefix))
    if not separator and prefix.startswith((b"set", b"with")):
        # setPassword("…") and .WithApiKey('…')
        separator = _QUOTED_ARGUMENT.match(text, name.end())
    if not separator and not led and b"--" not in prefix:
        if kind == "secret" and not name["password"]:
            return _told_token(text, name.end())
        return None
    in_capitals = text[name.start() : name.end()].isupper()
    value_at = name.end() + 1
    between = ""
    if separator:
        value_at = separator.end()
        between = separator[0].strip("\\\"'` \t")
    is_shell_assignment = between == "=" and text[value_at - 1] == "="
    assignment = _Assignment(
        kind=kind,
        name_start=name.start(),
        name_end=name.end(),
        has_prefix=bool(prefix),
        in_capitals=in_capitals,
        has_separator=separator is not None,
        separator=between,
        value_at=value_at,
        in_shell=in_capitals and (led or is_shell_assignment),
    )
    return _secret_value(text, assignment)


def _begins_hump(text: str, at: int) -> bool:
    """Tell whether a capital here begins a word within a name in camel case, as in `dbPass`."""
    return text[at].isupper() and text[at - 1 : at].islower()


def _secret_value(text: str, assignment: _Assignment) -> Span | None:
    """Return the assigned value if it is a secret."""
    kind, separator, at = assignment.kind, assignment.separator, assignment.value_at
    extent = extent_at(text, at, in_shell=assignment.in_shell)
    start, quoted = extent.start, bool(extent.quote)
    value = text[start : extent.end(min(start + JUDGED, len(text)))]
    if _is_something_else(text, assignment, start) or (not value and _CALL_OR_INDEX.match(text, at)):
        return None
    is_prose = kind == "password" and not quoted and _may_be_sentence(text, assignment)
    if is_prose:
        span = prose.after(text, assignment.name_start, assignment.name_end, weak=False)
        if span:
            return span
    if separator.startswith("is") and values.is_plain(value):
        return None
    is_name_like_password = (
        kind == "password" and assignment.has_prefix and not is_prose and values.is_name_like_password(value)
    )
    if not is_name_like_password and not _is_secret(assignment, value, quoted=quoted):
        return None
    end = extent.end(len(text))
    if end - start >= _WRAPPED or "\n" in separator:
        end = end_of(_FURTHER_LINES, text, end, len(text))
    return start, end, "secret" if kind == "key" else kind


def _may_be_sentence(text: str, assignment: _Assignment) -> bool:
    """Tell whether a blank stands before the value, as in `password: value`, which may be a sentence."""
    blank_before = assignment.has_separator and text[assignment.value_at - 1].isspace()
    return blank_before and "\n" not in assignment.separator


def _is_something_else(text: str, assignment: _Assignment, value_start: int) -> bool:
    """Tell whether this is a pipe in a command rather than a table's cell, or the name of a secret in AWS."""
    start = assignment.name_start
    if assignment.separator == "|":
        line_start = max(text.rfind("\n", max(0, start - _ROW), start) + 1, start - _ROW, 0)
        return not text[line_start:value_start].lstrip().startswith("|")
    return assignment.separator == ":" and bool(_ARN.match(text, max(0, start - 14), start))


def _is_secret(assignment: _Assignment, value: str, *, quoted: bool) -> bool:
    """Judge the value by the kind of its name."""
    kind, in_shell = assignment.kind, assignment.in_shell
    if kind == "password" and not in_shell and values.is_harmless(values.with_plain_letters(value)):
        return False
    if assignment.separator not in {",", "|"}:
        return values.is_secret(kind, value, quoted=quoted, shouted=in_shell)
    # A table's cell, or the next argument of a call, may be anything: only a name in capitals is a setting's.
    judged_as = kind if assignment.in_capitals else "secret"
    return values.is_secret(judged_as, value, quoted=True, shouted=in_shell)


def _is_led(lower: bytes, start: int) -> bool:
    """Tell whether a command before the name makes the next word its value: `ENV name value`, `set -x name value`."""
    before = lower[max(0, start - 80) : start]
    if not before[-1:].isspace():
        return False
    words = before.split()
    command, last = words[-2:-1], words[-1:]
    if last in _LEADING_WORDS or command == [b"login"]:
        return True
    return command == [b"set"] and last[0][:1] == b"-" and b"x" in last[0]


def _told_token(text: str, end: int) -> Span | None:
    """Return the token told in a sentence: only linking words stand between it and the name that ends at `end`."""
    link = _LINK.match(text, end)
    if not link:
        return None
    token = _TOKEN.match(text, link.end(), link.end() + _LONGEST_TOKEN)
    if not token:
        return None
    value = token[0].rstrip(".:")
    if shapes.is_random(value) and values.is_secret("secret", value, quoted=False, shouted=False):
        return token.start(), token.start() + len(value), "secret"
    return None
