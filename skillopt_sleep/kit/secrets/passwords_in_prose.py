"""Passwords told in words, in any language: a label, some words, and then what isn't a word.

What stands between is read step by step: words, separators, opening quotes, pauses. How much the value has to look
like a password depends on what is right before it: `: x` and `is x` say that it is one, `password x` hardly does.
"""

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from skillopt_sleep.kit.secrets import Span, names, values

_FURTHEST = 120  # so far behind its label may a password begin
_MOST_STEPS = 12  # and with so many words between
_FURTHEST_BEFORE = 90
_LONGEST_ENDING = 8  # so much of a label may be left behind the place where it was found
# Letters of any alphabet, without the punctuation among them.
_LETTERS = (
    r"A-Za-z\u00aa\u00ba\u00c0-\u1fff\u200c\u200d\u2c00-\u2dff\u3005-\u3007\u3041-\u3096\u3099-\u30fa\u30fc-\ud7ff"
    r"\uf900-\ufd3d\ufd50-\ufdff\ufe70-\ufefc\uff66-\uffdc"
)
_UNSPACED = names.UNSPACED
# What may come next behind a label, after blanks and marks of emphasis.
_STEP = re.compile(
    rf"""[ \t\xa0\u3000]*[*_~]{{0,3}}(?:
      (?P<sep>[:：=＝→|]{{1,3}}|[-=]>|[—–-](?=\s)|/(?=\s))
    | (?P<open>[("“„«「『‘‚\[<（【*_~-]|["'`]{{1,3}}(?=[^\s"'`]))
    | (?P<word>[{_UNSPACED}]+
        |(?:(?![{_UNSPACED}])[{_LETTERS}])+(?:[-'’](?:(?![{_UNSPACED}])[{_LETTERS}])+)*
        [*_~"'`)\]»”」』’>）】]{{0,4}}(?=[.,;:!?=/|}}—–-]{{0,3}}(?:[\s"'`]|[()](?!\w*\d)|$|[{_UNSPACED}])))
    | (?P<pause>[,،、，;(){{}}])
    | (?P<value>[^\s"'`<>「」『』（）【】“”„«»，。、；：！？،؛{_UNSPACED}]+)
    )""",
    re.VERBOSE,
)
# A digit or sign, without which nothing is a password; an underscore only before a capital, as in Napoli_Kaffee.
_DIGIT_OR_SIGN = re.compile(r"[0-9!@#$%^&*?~§+_](?:(?<!_)|(?=[A-Z]))")
_END_OF_SENTENCE = re.compile(r"[.!?。！？]\s|[.!?。！？]?$")
_LINE_END = re.compile(r"[ \t]*\r?\n[ \t]*(?:\r?\n[ \t]*)?")
# The words for `is` that are written without a space: 密码是…, パスワードは….
_PARTICLES = re.compile(r"(?:(?:是|为|為|成|叫|设|設|作)了?|は|が|を|に|:|：|คือ|เป็น|는|은|이|가|를|을|로)$")
_PAIR = re.compile(r"(?<!\S)[\"'`(]?[\w.@+-]{2,64}[\"'`]? / [\"'`]?(?P<value>(?:[^\s\"'`/<>]|/(?!\s)){6,128})")
_WORD = re.compile(r"[\"'`]?(?P<value>[^\s\"'`/]{6,64}+)(?!/)")
_JOINED_PAIR = re.compile(r"/(?P<value>[^\s\"'`/<>(){}]{6,40}+)(?=[\"'`]?(?:\s|$))")
_WITH_NAME = re.compile(r"(?<!\S)(?:with|mit|avec)\s+[\"'`]?[\w.@+-]{2,40}$")
_LEADING_WORDS = ("with", "mit", "avec")
_LONGEST_NAME = 60  # so far before the slash may `with name` begin
_GOES_ON = frozenset("/@&+.#-")  # a label goes on with it as part of a path or an address
_COMPARISONS = frozenset({"==", "==="})
_WEAK_SEPARATORS = frozenset({"|", "/", "-", "–"})
_QUOTES = "\"'`“„«「『‘‚"
_CALL = re.compile(r"[\w.]+\(")
_CODE = re.compile(r"[\w.-]+=[\w.-]+;|[^;]*;[a-z-]{2,}:|[\w.()!]+(?:&&|\|\|)[\w.(!]|[a-z]+/[a-z.+-]+$")
_LABEL_OF_OURS = re.compile(r"\[redacted:[\w-]*$")
_CLOSING_MARKS = ".,;:)]}>»”’\"'`"
_CLOSING_OR_ENDING_MARKS = ".,;:!?)]}>»”’\"'`"


def after(text: str, start: int, end: int, *, weak: bool, until: int | None = None) -> Span | None:
    """Return the password told behind the label at [start, end), but before `until`, or else before the label.

    `weak`: the label means other things too, so the value has to look more like a password.
    """
    if text.startswith("](", end) or _LABEL_OF_OURS.search(text, max(0, start - 40), start):
        return None
    limit = min(len(text) if until is None else until, end + _FURTHEST)
    if _DIGIT_OR_SIGN.search(text, end, limit):
        span = _behind_label(text, start, end, limit, weak=weak)
        if span:
            return span
    return _before_label(text, start, end)


def pairs(text: str) -> Iterator[Span]:
    """Yield the password in `log in with name / password`, and in `… with name/password`."""
    spaced_pairs = _PAIR.finditer(text) if " / " in text else ()
    for pair in itertools.chain(spaced_pairs, _joined_pairs(text)):
        value = pair["value"].rstrip(_CLOSING_MARKS)
        if not values.is_nearby_password(value):
            value = pair["value"].rstrip(_CLOSING_OR_ENDING_MARKS)
        around = text[max(0, pair.start() - _FURTHEST_BEFORE) : pair.end() + _FURTHEST_BEFORE]
        if _may_be_announced(value) and names.LOGIN.search(around):
            yield pair.start("value"), pair.start("value") + len(value), "password"


def logins(text: str) -> Iterator[Span]:
    """Yield the password in `log in with …`, which has no label."""
    for end in names.LOGIN_ENDS:
        at = text.find(end)
        while at >= 0:
            word = _WORD.match(text, at + len(end))
            if word and names.LOGS_IN_WITH.search(text, max(0, at - _FURTHEST_BEFORE), at + len(end)):
                value = word["value"].rstrip(_CLOSING_OR_ENDING_MARKS)
                if values.is_nearby_password(value):
                    yield word.start("value"), word.start("value") + len(value), "password"
            at = text.find(end, at + 1)


def _joined_pairs(text: str) -> Iterator[re.Match[str]]:
    for pair in _JOINED_PAIR.finditer(text):
        first = max(0, pair.start() - _LONGEST_NAME)
        words_before = text[first : pair.start()].split()
        led = len(words_before) > 1 and words_before[-2].endswith(_LEADING_WORDS)
        if led and _WITH_NAME.search(text, first, pair.start()):
            yield pair


def _may_be_announced(value: str) -> bool:
    return values.is_nearby_password(value) or values.is_password_shape(value, announced=True)


class _Reading(NamedTuple):
    """The state of reading the words after a label.

    `announced`: the words so far say that the password is next. `near`: it would stand right behind the label.
    """

    at: int
    kind: str | None
    announced: bool
    near: bool


def _behind_label(text: str, start: int, end: int, limit: int, *, weak: bool) -> Span | None:
    """Return the password behind the label at [start, end), read step by step up to `limit`."""
    near = text[end : end + 1] not in _GOES_ON
    reading = _Reading(end, "", _is_asked_for(text, start), near)
    for number in range(_MOST_STEPS):
        step, in_next_line = _next_step(text, reading, limit)
        if not step:
            return None
        if step.lastgroup == "value":
            quoted = reading.near and text[step.start("value") - 1] in _QUOTES
            sure = not weak and not in_next_line and (reading.announced or quoted)
            span = _judged(text, step, sure=sure, near=reading.near or reading.announced)
            if span or in_next_line or _ends_clause(step[0]):
                return span
        elif number and not reading.announced and _ends_sentence(text, step):
            return None
        reading = _next_reading(reading, step, first=number == 0)
    return None


def _next_step(text: str, reading: _Reading, limit: int) -> tuple[re.Match[str] | None, bool]:
    """Return what comes next, or None if it no longer belongs to the label, and whether it is in the next line."""
    line_end = None
    if reading.announced and reading.kind in {"sep", "word"}:
        line_end = _LINE_END.match(text, reading.at, limit)
    step = _STEP.match(text, line_end.end() if line_end else reading.at, limit)
    if not step or step["sep"] in _COMPARISONS:
        return None, False
    if line_end:
        # In the next line, only a value that is alone there belongs to the label.
        alone = not text[step.end() : step.end() + 1].strip()
        if step.lastgroup != "value" or not alone:
            return None, True
    return step, line_end is not None


def _ends_sentence(text: str, step: re.Match[str]) -> bool:
    return step.lastgroup == "word" and _END_OF_SENTENCE.match(text, step.end()) is not None


def _next_reading(reading: _Reading, step: re.Match[str], *, first: bool) -> _Reading:
    announced = False
    if step.lastgroup == "word":
        announced = _announces(step["word"], first=first, asked_for=reading.announced)
    elif step.lastgroup == "sep":
        announced = step["sep"] not in _WEAK_SEPARATORS
    elif step.lastgroup == "open":
        announced = reading.announced
    near = announced or (reading.near and step.lastgroup in {"open", "sep"})
    return _Reading(step.end(), step.lastgroup, announced, near)


def _judged(text: str, step: re.Match[str], *, sure: bool, near: bool) -> Span | None:
    """Return the value of this step if it is a password: it is `sure` to be announced, or `near` its label."""
    at = step.start("value")
    value = step["value"].split("\\n")[0]
    if _CODE.match(value):
        return None
    emphasis = "*" if text[at - 1] == "*" else ""
    trimmed = value.rstrip(_CLOSING_OR_ENDING_MARKS + emphasis)
    if not _CALL.match(value):
        # A mark behind the last word ends the sentence; behind a number, and before more words, it may belong to the
        # password.
        longer = value.rstrip(_CLOSING_MARKS)
        if values.is_nearby_password(longer):
            return at, at + len(longer), "password"
        is_password = values.is_told_password if sure else values.is_nearby_password
        if is_password(trimmed):
            return at, at + len(trimmed), "password"
    if near and values.is_password_shape(trimmed, announced=sure):
        return at, at + len(trimmed), "password"
    return None


def _ends_clause(value: str) -> bool:
    """Tell whether this ends a piece of code or a sentence, so that what follows no longer belongs to the label."""
    return any(char in value for char in "={}();<>\\$") or value.endswith((".", "!", "?"))


def _announces(word: str, *, first: bool, asked_for: bool) -> bool:
    """Tell whether the word says that the password is next; a `first` word stands right behind the label."""
    lower = word.strip(_CLOSING_OR_ENDING_MARKS + "*「『（【《").lower()
    if lower in names.COPULAS or _PARTICLES.search(lower):
        return True
    return first and (asked_for or lower in names.TURNS)


def _is_asked_for(text: str, start: int) -> bool:
    """Tell whether the words before the label ask somebody to use the password: `log in with the password …`."""
    before = text[max(0, start - 40) : start].lower()
    for word in before.split()[-3:]:
        if word.strip(_CLOSING_OR_ENDING_MARKS) in names.LEADS:
            return True
    return before.endswith(("用", "以", "使用"))


def _before_label(text: str, start: int, end: int) -> Span | None:
    """Return the password in `… is the password`, and in `… parolası ile` with an ending that says `its password`."""
    first = max(0, start - _FURTHEST_BEFORE)
    line = text[max(first, text.rfind("\n", first, start) + 1) : start]
    if not _DIGIT_OR_SIGN.search(line):
        return None
    used = names.USED_AS.search(line)
    if used and _may_be_announced(used["value"]):
        return _last_in(line, used["value"], start)
    pieces = line.split()
    if pieces and line[-1].isspace() and names.OWNED.match(text, start, end + _LONGEST_ENDING):
        value = pieces[-1].strip(_QUOTES + _CLOSING_OR_ENDING_MARKS)
        if _may_be_announced(value):
            return _last_in(line, value, start)
    # What the label is joined to, as in `espass`, isn't a word before it.
    nearest = 3 if line[-1].isalnum() else 2
    for count in range(nearest, min(len(pieces), 6) + 1):
        word = pieces[-count + 1].strip(_CLOSING_OR_ENDING_MARKS).lower()
        if word in names.COPULAS or word in {"—", "–", "-"}:
            value = pieces[-count].strip(_CLOSING_OR_ENDING_MARKS + "(“„«")
            if values.is_nearby_password(value):
                return _last_in(line, value, start)
    return None


def _last_in(line: str, value: str, end: int) -> Span:
    """Return where the value stands last in the line that ends at `end`."""
    at = end - len(line) + line.rindex(value)
    return at, at + len(value), "password"
