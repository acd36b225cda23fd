"""Passwords told in words, in any language: the label, some words, and then what is no word.

What stands between is skipped word by word. How much a word has to look like a password depends on what is right
before it: `: x` and `is x` say that it is one, `password x` hardly does.
"""

import itertools
import re
from collections.abc import Iterator

from skillopt_sleep.kit import password_shapes as shapes, password_words as words, secret_values as values
from skillopt_sleep.kit.secret_rules import Span

_REACH = 120  # so far from its label
_STEPS = 12  # and with so many words between
_BACK = 90
_ENDING = 8  # so long is what may be left of a label
_LETTERS = (
    r"A-Za-z\u00aa\u00ba\u00c0-\u1fff\u200c\u200d\u2c00-\u2dff\u3005-\u3007\u3041-\u3096\u3099-\u30fa\u30fc-\ud7ff"
    r"\uf900-\ufd3d\ufd50-\ufdff\ufe70-\ufefc\uff66-\uffdc"
)
_UNSPACED = words.UNSPACED
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
_AHEAD = re.compile(r"[0-9!@#$%^&*?~§+_](?:(?<!_)|(?=[A-Z]))")
_END = re.compile(r"[.!?。！？]\s|[.!?。！？]?$")
_LINE = re.compile(r"[ \t]*\r?\n[ \t]*(?:\r?\n[ \t]*)?")
_LAST_WORD = re.compile(rf"([{_LETTERS}]+(?:['’][{_LETTERS}]+)?)\W*$")
_PARTICLES = re.compile(r"(?:(?:是|为|為|成|叫|设|設|作)了?|は|が|を|に|:|：|คือ|เป็น|는|은|이|가|를|을|로)$")
_REVERSED = re.compile(
    r"(?:^|[\s\"'`“「])([!-~]{6,128}?)[\"'`”」]?\s{0,2}([^\s!-~]{1,3}|[—–-]|\S{1,9})\s{0,2}(?:\S{1,24}\s+){0,3}\S{0,24}$"
)
_PAIR = re.compile(r"(?<!\S)[\"'`(]?[\w.@+-]{2,64}[\"'`]? / [\"'`]?(?P<value>(?:[^\s\"'`/<>]|/(?!\s)){6,128})")
_JOINED_PAIR = re.compile(r"/(?P<value>[^\s\"'`/<>(){}]{6,40}+)(?=[\"'`]?(?:\s|$))")
_WITH = re.compile(r"(?<!\S)(?:with|mit|avec)\s+[\"'`]?[\w.@+-]{2,40}$")
_NAME = 60  # so much may stand from there to the slash
_JOINING = frozenset("/@&+.#-")  # a label goes on with it as part of a path or an address
_COMPARED = frozenset({"==", "==="})
_QUOTES = "\"'`“„«「『‘‚"
_CALL = re.compile(r"[\w.]+\(")
_CODE = re.compile(r"[\w.-]+=[\w.-]+;|[^;]*;[a-z-]{2,}:|[\w.()!]+(?:&&|\|\|)[\w.(!]|[a-z]+/[a-z.+-]+$")
_LABEL = re.compile(r"\[redacted:[\w-]*$")
_CLOSING_CLOSELY = ".,;:)]}>»”’\"'`"
_CLOSING = ".,;:!?)]}>»”’\"'`"


def after(text: str, start: int, end: int, *, weak: bool, until: int | None = None) -> Span | None:
    """The password that is told behind the label at [start, end), but before `until`, or before the label."""
    if text.startswith("](", end) or _LABEL.search(text, max(0, start - 40), start):
        return None
    limit = min(len(text) if until is None else until, end + _REACH)
    if _AHEAD.search(text, end, limit) and (span := _forwards(text, start, end, limit, weak=weak)):
        return span
    return _backwards(text, start, end)


def pairs(text: str) -> Iterator[Span]:
    """The password in `log in with name / password`, and in `… with name/password`."""
    for pair in itertools.chain(_PAIR.finditer(text) if " / " in text else (), _joined_pairs(text)):
        longer, shorter = pair["value"].rstrip(_CLOSING_CLOSELY), pair["value"].rstrip(_CLOSING)
        value = longer if values.near(longer) else shorter
        line = text[max(0, pair.start() - _BACK) : pair.end() + _BACK]
        if (values.near(value) or shapes.made(value, said=True)) and words.LOGIN.search(line):
            yield pair.start("value"), pair.start("value") + len(value), "password"


def _joined_pairs(text: str) -> Iterator[re.Match[str]]:
    for pair in _JOINED_PAIR.finditer(text):
        if _WITH.search(text, max(0, pair.start() - _NAME), pair.start()):
            yield pair


def _forwards(text: str, start: int, at: int, limit: int, *, weak: bool) -> Span | None:
    says = _led(text, start)
    kind: str | None = ""
    close = text[at : at + 1] not in _JOINING
    for number in range(_STEPS):
        line = _LINE.match(text, at, limit) if says and kind in {"sep", "word"} else None
        step = _STEP.match(text, line.end() if line else at, limit)
        if not step:
            return None
        at, kind = step.end(), step.lastgroup
        if step["sep"] in _COMPARED or (line and (kind != "value" or text[at : at + 1].strip())):
            return None
        if kind == "value":
            sure = not weak and not line and (says or (close and text[step.start("value") - 1] in _QUOTES))
            found = _judged(text, step, sure=sure, close=close or says)
            if found or line or _ends(step[0]):
                return found
        elif kind == "word" and number and not says and _END.match(text, at):
            return None
        says = _goes_on(step, first=not number, says=says)
        close = says or (close and kind in {"open", "sep"})
    return None


def _goes_on(step: re.Match[str], *, first: bool, says: bool) -> bool:
    """Whether the password is said to be next."""
    if step.lastgroup == "word":
        return _says(step["word"], first=first, led=says)
    if step.lastgroup == "sep":
        return step["sep"] not in {"|", "/", "-", "–"}
    return says and step.lastgroup == "open"


def _judged(text: str, step: re.Match[str], *, sure: bool, close: bool) -> Span | None:
    """The value, if it is a password: `sure` is said to be one, `close` stands right behind the label."""
    at = step.start("value")
    value = step["value"].split("\\n")[0]
    if _CODE.match(value):
        return None
    trimmed = value.rstrip(_CLOSING + ("*" if text[at - 1] == "*" else ""))
    # A mark behind the last word ends the sentence; behind a number, and before more words, it may be the password's.
    longer = value.rstrip(_CLOSING_CLOSELY)
    if not _CALL.match(value):
        for part, judge in ((longer, values.near), (trimmed, values.told if sure else values.near)):
            if judge(part):
                return at, at + len(part), "password"
    return (at, at + len(trimmed), "password") if close and shapes.made(trimmed, said=sure) else None


def _ends(value: str) -> bool:
    """Whether nothing that comes behind such a piece of code is told of the label."""
    return any(char in value for char in "={}();<>\\$") or value.endswith((".", "!", "?"))


def _says(word: str, *, first: bool, led: bool) -> bool:
    """Whether the word says that the password is next."""
    lower = word.strip(_CLOSING + "*「『（【《").lower()
    return lower in words.COPULAS or bool(_PARTICLES.search(lower)) or (first and (led or lower in words.TURNS))


def _led(text: str, start: int) -> bool:
    """Whether somebody is asked to use the password that is about to be named."""
    before = text[max(0, start - 40) : start].lower()
    return any(word.strip(_CLOSING) in words.LEADS for word in before.split()[-3:]) or bool(
        (before and before[-1] in "用以") or before.endswith("使用")
    )


def _backwards(text: str, start: int, end: int) -> Span | None:
    """`… is the password`, and `… parolası ile` where a label is told by its ending to belong to it."""
    first = max(0, start - _BACK)
    line = text[max(first, text.rfind("\n", first, start) + 1) : start]
    if not _AHEAD.search(line):
        return None
    pieces = line.split()
    if pieces and line[-1].isspace() and words.OWNED.match(text, start, end + _ENDING):
        value = pieces[-1].strip(_QUOTES + _CLOSING)
        if values.near(value) or shapes.made(value, said=True):
            return _last(line, value, start)
    # What the label is joined to, as in `espass`, is no word before it.
    for count in range(3 if line[-1].isalnum() else 2, min(len(pieces), 6) + 1):
        word = pieces[-count + 1].strip(_CLOSING).lower()
        if word in words.COPULAS or word in {"—", "–", "-"}:
            value = pieces[-count].strip(_CLOSING + "(“„«")
            if values.near(value):
                return _last(line, value, start)
    return None


def _last(line: str, value: str, end: int) -> Span:
    """Where the value stands last in the line that ends there."""
    at = end - len(line) + line.rindex(value)
    return at, at + len(value), "password"
