"""Read what a sentence asks to do differently if it names it: use X, not Y; never Y; at most N characters.

Few constructions of each language are known. What isn't understood is left to a rubric in the person's words.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from skillopt_sleep.mining.spans import Pasted, own_words
from skillopt_sleep.mining.words import amends, is_small_talk, opens_request, reassures, states_rule, takes_back

_IN_QUOTES = r"`[^`\n]{1,60}`|\"[^\"\n]{1,60}\"|「[^」\n]{1,60}」"
_TERM = rf"(?:{_IN_QUOTES}|«[^»\n]{{1,60}}»|„[^“”\n]{{1,60}}[“”]|[\w.+#/@-]{{0,60}}\w(?!\w))"
_CODE = rf"(?:{_IN_QUOTES}|(?<![A-Za-z])[A-Za-z][A-Za-z0-9_.+#/@-]{{0,60}}+)"  # in a text without spaces
_PLACE = r"(?:\s+(?:here|in this \w+|in our \w+|for this \w+|everywhere|hier|ici|aquí|aqui|здесь))?"
_NOT = (
    r"(?:(?:,|;|\s+[-–—])?\s+(?:(?:and|y|e|et|und|а|и)\s+)?"
    r"(?:never|not|instead of|rather than|over|statt|anstatt|nicht|nie|keine?|plutôt que|au lieu de|et non|pas|jamais"
    r"|en vez de|en lugar de|no|nunca|em vez de|ao invés de|não|вместо|не|никогда)"
    r"\s+(?:use\s+|with\s+|de\s+|d'|usar\s+|uses\s+|используй\s+)?)"
)
_USE = (
    r"(?:use|using|prefer|with|switch to|stick (?:to|with)|go with|take|nimm"
    r"|(?:be)?nutz(?:en?|t)?\b|verwende[nt]?\b|utilise[rz]?|prends|usar?|usamos|utiliza|используй\w*|используем|бери)"
)
_ONLY = r"\s+(?:only\s+|just\s+|bitte\s+|nur\s+|hier\s+|immer\s+|toujours\s+|siempre\s+|sempre\s+|всегда\s+)*"

_WANT_AND_AVOID = re.compile(rf"\b{_USE}{_ONLY}(?P<want>{_TERM}){_PLACE}{_NOT}(?P<avoid>{_TERM})", re.IGNORECASE)
_NOT_BUT = re.compile(
    r"\b(?:not|instead of|nicht|(?:an)?statt|au lieu de|en (?:vez|lugar) de|em vez de|не|вместо)"
    rf"\s+(?P<avoid>{_TERM}),?\s+(?:but|use|sondern|utilise|usa|используй|а)\s+(?P<want>{_TERM})",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    rf"(?:用|使用|改用|换成)\s*(?P<want>{_CODE})\s*[,，、]?\s*(?:不要用|而不是|别用|不用|不要|别|不是)\s*(?P<avoid>{_CODE})"
)
_JAPANESE = re.compile(rf"(?P<avoid>{_CODE})\s*(?:じゃなくて|ではなく|じゃなく|の代わりに)[、,]?\s*(?P<want>{_CODE})")
_WANT = re.compile(
    rf"\b(?:use|prefer)\s+({_TERM})\s+instead\b|\balways use\s+({_TERM})|\bswitch to\s+({_TERM})", re.IGNORECASE
)
_AVOID = re.compile(
    r"\b(?:never|don't|dont|do not|stop|avoid)\s+(?:ever\s+)?us(?:e|ing)\s+" rf"({_TERM})", re.IGNORECASE
)
_INCLUDE = re.compile(r"\balways (?:include|mention|name|add|give)\s+([^.;:!?\n]{2,120})", re.IGNORECASE)
_LIST_END = re.compile(r",?\s+(?:in|with|at|for|when|to|so|because|under|below|before|after)\b.*", re.IGNORECASE)
_LIST = re.compile(r",\s*(?:and\s+)?|\s+and\s+")
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_AT_MOST = re.compile(
    r"\b(?:at most|under|below|max(?:imum)?(?: of)?|no more than)\s+(\d{2,5})\s+char", re.IGNORECASE
)
_CONTRASTS = (_WANT_AND_AVOID, _CHINESE, _NOT_BUT, _JAPANESE)
_CONTRASTS_IN_ASCII = (_WANT_AND_AVOID, _NOT_BUT)
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|「[^」\n]*」")
_NAMED = re.compile(r"[\w.-]*/[\w./-]+|\w+\(\)|[\w-]+\.(?:[a-z]{1,4})\b")
LONGEST_AMENDMENT = 160
_LONGEST_TERM = 3
_EMPTY_TERM = re.compile(
    r"it|that|this|them|the|an?|to|any|my|our|your|what|how|one|so|just|all|das|dies|eine?|der|die|ça|cela|l[ea]s?|une?"
    r"|eso|esto|el|los|isso|os?|as|это|так",
    re.IGNORECASE,
)


class Wish(NamedTuple):
    """The terms an answer should contain and those it should not, and its greatest length in characters, if named."""

    want: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    at_most: int | None = None


def is_correction(text: str, *, request: str = "", pasted: Pasted = ()) -> bool:
    """Tell whether the person's own words in a typed turn, said after an answer, take back or amend what was done.

    What they quote doesn't count. Short words like "in German!" amend the `request` before if they open no request of
    their own and name nothing that it didn't name.
    """
    typed = own_words(text, pasted)
    words = _QUOTED.sub("…", typed).strip()
    if not words or is_small_talk(words) or reassures(words):
        return False
    if takes_back(words):
        return True
    if opens_request(words):
        return False
    if states_rule(words):
        return True
    if all(_named_terms(words)):
        return True
    if typed != text.strip() or len(words) > LONGEST_AMENDMENT or "[redacted:" in words:
        return False
    return amends(words) and all(name in request for name in _NAMED.findall(words))


def read_wish(text: str) -> Wish:
    """Return what the text asks for; an empty Wish if nothing was understood."""
    want, avoid = _named_terms(text)
    limit = _AT_MOST.search(text)
    return Wish(want=want, avoid=avoid, at_most=int(limit[1]) if limit else None)


def _named_terms(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the terms that the text asks for, and those that it rules out."""
    want: list[str] = []
    avoid: list[str] = []
    for pattern in _CONTRASTS_IN_ASCII if text.isascii() else _CONTRASTS:
        for match in pattern.finditer(text):
            want.append(match["want"])
            avoid.append(match["avoid"])
    want += _wanted_alone(text)
    avoid += _AVOID.findall(text)
    wanted = _terms(want)
    return wanted, tuple(term for term in _terms(avoid) if term not in wanted)


def _wanted_alone(text: str) -> Iterator[str]:
    """Yield what is wanted without naming anything that it replaces."""
    for match in _WANT.finditer(text):
        yield match[1] or match[2] or match[3]
    for match in _INCLUDE.finditer(text):
        items = _LIST_END.sub("", match[1])
        for item in _LIST.split(items):
            yield _ARTICLE.sub("", item)


def last_wish(texts: Sequence[str]) -> Wish:
    """Return what is wanted in the end, if each text amends those before it: the later word holds."""
    want: dict[str, None] = {}
    avoid: dict[str, None] = {}
    at_most: int | None = None
    for text in texts:
        wish = read_wish(text)
        for term in wish.want:
            avoid.pop(term, None)
            want[term] = None
        for term in wish.avoid:
            want.pop(term, None)
            avoid[term] = None
        at_most = wish.at_most or at_most
    return Wish(want=tuple(want), avoid=tuple(avoid), at_most=at_most)


def _terms(phrases: Iterable[str]) -> tuple[str, ...]:
    """Return the terms without quotes, each once, in order; empty words and whole sentences are no terms."""
    terms: dict[str, None] = {}
    for phrase in phrases:
        term = phrase.strip(" `\"'«»„“”「」")
        if term and not _EMPTY_TERM.fullmatch(term) and len(term.split()) <= _LONGEST_TERM:
            terms[term] = None
    return tuple(terms)
