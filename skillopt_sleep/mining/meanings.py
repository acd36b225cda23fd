"""Read what the words of a request or a correction say, as signed features.

A feature is a meaning, a named thing or a word, with a sign (wanted or unwanted) and a weight. Sentences aren't
parsed: a negation turns the sign of what follows it in its clause, and a few words turn what stands before them.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillopt_sleep.mining.lexicon import IS_CJK, MEANING, SOFT, Entry, Word, read_words, stem

NAMED = 2.0
WORD = 1.0
PART = 0.8  # of a word that says little, but is itself what is wanted or unwanted
PART_OF_NAME = 1.2
NUMBER = 1.5
OBJECT = 1.5  # the factor for a word that is the object of a verb of wanting or avoiding
REASON = 0.4
WHEN = 0.6
ASKED_BACK = 2  # "npm?", "miles?": up to so many features before a question mark are a reproach

_HALF = re.compile(r"[.;:!?()\n—–。！？；：]|\s-\s")
_PARTS = re.compile(r"[_ -]+")
_END = Word(".", Entry("break"))


class Feature(NamedTuple):
    """Something spoken of: its key; 1 if it is wanted, -1 if unwanted, 0 if only mentioned; and how much it says."""

    key: str
    sign: int
    weight: float


class _Mention(NamedTuple):
    """A feature in a clause that isn't over yet; `turned` if a negation already set its sign."""

    key: str
    sign: int
    weight: float
    turned: bool = False

    @property
    def is_scale(self) -> bool:
        return self.key[0] == "~"

    def opposite(self) -> "_Mention":
        return self._replace(sign=-self.sign)


def features(text: str) -> tuple[Feature, ...]:
    """Return what the text says, each key once with the sign that prevails, in order of the keys."""
    mentions: dict[str, list[_Mention]] = {}
    for mention in _mentions(text):
        mentions.setdefault(mention.key, []).append(mention)
    return tuple(_prevailing(key, mentions[key]) for key in sorted(mentions))


def _prevailing(key: str, mentions: list[_Mention]) -> Feature:
    total = sum(mention.sign * mention.weight for mention in mentions)
    weight = max(mention.weight for mention in mentions)
    if abs(total) < SOFT and any(mention.sign for mention in mentions):
        return Feature(key, 0, min(weight, SOFT))
    if total > 0:
        return Feature(key, 1, weight)
    return Feature(key, -1 if total < 0 else 0, weight)


def _mentions(text: str) -> Iterator[_Mention]:
    """Yield what the text mentions, clause by clause; what is said as a reason weighs little."""
    clause: list[Word] = []
    share = 1.0
    is_condition = False
    for word in (*read_words(text), _END):
        role = _role(word)
        if role not in {"break", "because", "when"}:
            clause.append(word)
            continue
        for mention in _read_clause(clause, is_question="?" in word.text):
            sign = 0 if is_condition else mention.sign
            yield mention._replace(weight=mention.weight * share, sign=sign)
        clause = []
        if role == "because":
            share = REASON
        elif role == "when":
            share = WHEN
        elif is_condition or _HALF.search(word.text):
            share = 1.0
        is_condition = role == "when"


def _read_clause(words: list[Word], *, is_question: bool) -> list[_Mention]:
    clause = _Clause()
    for at, word in enumerate(words):
        role = _role(word)
        if role == "no":
            role = "empty" if _is_exclamation(words, at) else "not"
        clause.read(word, role, is_first=at == 0)
    return clause.end(is_question=is_question)


def _role(word: Word) -> str:
    return word.entry.role if word.entry else ""


def _is_exclamation(words: list[Word], at: int) -> bool:
    """Tell whether a "no" stands alone: nothing follows it, or a wish does."""
    if at + 1 == len(words):
        return True
    return _role(words[at + 1]) in {"but", "not", "no", "who", "done"}


class _Clause:
    """Reads the words of one clause from left to right."""

    def __init__(self) -> None:
        self._mentions: list[_Mention] = []
        self._sign = 1
        self._since = 0  # how many mentions there were at the last negation
        self._negated = False
        self._wanted = False
        self._mentioned = False
        self._too = False
        self._so = False
        self._done = False
        self._dropped = False

    def read(self, word: Word, role: str, *, is_first: bool) -> None:
        """Take in the next word."""
        if is_first and role in {"done", "again"}:
            self._sign = -1
            self._negated = True
            self._done = role == "done"
            return
        match role:
            case "not" | "drop" | "instead":
                self._negate(role)
            case "not_before":
                self._turn()
                self._want_from_here()
            case "again":
                self._reproach()
            case "but":
                self._want()
            case "too" | "so":
                self._too = True
                self._so = role == "so"
            case "is":
                self._mentioned = True
            case "empty" | "who" | "done":
                pass
            case _:
                self._mention(word)

    def end(self, *, is_question: bool) -> list[_Mention]:
        """Return what the whole clause mentions."""
        if not self._mentions:
            return [_Mention("=remove", -self._sign, MEANING, turned=True)] if self._dropped else []
        if self._too:
            self._turn_last_scale()
        if self._negated and self._sign < 0 and self._since == len(self._mentions):
            # "one line is not enough", "npm bitte nicht verwenden": nothing follows, so it turns what was before.
            self._turn()
        elif not self._negated and not self._wanted:
            self._end_plain(is_question=is_question)
        return self._mentions

    def _end_plain(self, *, is_question: bool) -> None:
        """End a clause without a negation or a wish: a short question is a reproach, "it is …" only a mention."""
        if is_question and len(self._mentions) <= ASKED_BACK:
            self._turn()
        elif self._mentioned:
            self._mentions = list(map(_only_mentioned, self._mentions))

    def _mention(self, word: Word) -> None:
        is_object = self._negated or self._wanted
        if any(mention.weight > PART for mention in self._mentions[self._since :]):
            is_object = False
        for mention in _mentions_of(word, is_object=is_object):
            if self._too and (mention.is_scale or (not self._so and mention.weight >= WORD)):
                self._mentions.append(mention._replace(sign=-mention.sign, turned=True))
                self._too = False
            else:
                self._mentions.append(mention._replace(sign=mention.sign * self._sign, turned=self._negated))

    def _negate(self, role: str) -> None:
        self._dropped = role == "drop"
        if self._done and role == "not":
            # "du hast die Tests nicht …": what wasn't done is what is wanted.
            self._mentions = [mention.opposite() for mention in self._mentions]
        self._sign = -self._sign if self._negated else -1
        self._since = len(self._mentions)
        self._negated = True

    def _reproach(self) -> None:
        if not self._negated and not self._wanted:
            self._turn()
            self._wanted = True

    def _want(self) -> None:
        if self._negated and len(self._mentions) > self._since:
            self._want_from_here()
        self._wanted = True

    def _want_from_here(self) -> None:
        self._sign = 1
        self._negated = False
        self._wanted = True

    def _turn(self) -> None:
        """Turn the signs of all mentions that no negation set."""
        for at, mention in enumerate(self._mentions):
            if not mention.turned:
                self._mentions[at] = mention.opposite()._replace(turned=True)

    def _turn_last_scale(self) -> None:
        """Apply a "too" that no scale followed to the scale before it."""
        last = self._mentions[-1]
        if last.is_scale and not last.turned:
            self._mentions[-1] = last.opposite()._replace(turned=True)


def _only_mentioned(mention: _Mention) -> _Mention:
    if mention.turned or mention.is_scale:
        return mention
    return mention._replace(sign=0)


def _mentions_of(word: Word, *, is_object: bool) -> Iterator[_Mention]:
    """Yield the features of one word; `is_object` if it is what is wanted or unwanted."""
    if word.entry:
        yield _Mention(word.entry.key, word.entry.sign, _entry_weight(word.entry, is_object=is_object))
    elif word.code:
        yield from _mentions_of_name(word.text)
    elif word.text.isdigit():
        yield _Mention(word.text, 1, NUMBER)
    else:
        weight = _word_weight(word.text)
        if is_object:
            weight *= OBJECT
        yield _Mention(stem(word.text), 1, weight)


def _entry_weight(entry: Entry, *, is_object: bool) -> float:
    if not is_object or entry.role == "scale":
        return entry.weight
    if entry.weight < MEANING:
        return max(PART, entry.weight)
    return entry.weight * OBJECT


def _word_weight(word: str) -> float:
    if IS_CJK.match(word):
        return WORD / 2
    return WORD if len(word) > 1 else SOFT


def _mentions_of_name(name: str) -> Iterator[_Mention]:
    """Yield the name of a thing, or its parts if they are all words."""
    parts = _PARTS.split(name.strip("-"))
    if not all(part.isalpha() for part in parts):
        yield _Mention(name, 1, NAMED)
        return
    weight = NAMED if len(parts) == 1 else PART_OF_NAME
    for part in parts:
        yield _Mention(stem(part), 1, weight)
