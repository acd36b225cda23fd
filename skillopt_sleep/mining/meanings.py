"""What the words of a request or a correction say: signed features.

A feature is a meaning, a named thing or a word, with a sign (wanted, unwanted) and a weight. Nothing here understands
a sentence: a negation turns the sign of what follows it in its clause, a few words turn what stands before them.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from skillopt_sleep.mining.lexicon import IS_CJK, MEANING, SOFT, Entry, Word, read_words, stem

NAMED = 2.0
WORD = 1.0
PART = 0.8  # of a word that says little, but is what is wanted or unwanted
PART_OF_NAME = 1.2
NUMBER = 1.5
OBJECT = 1.5  # a word that is wanted or unwanted by its verb weighs so much more
REASON = 0.4
WHEN = 0.6
ASKED_BACK = 2  # "npm?", "miles?": so few words with a question mark are a reproach

_HALF = re.compile(r"[.;:!?()\n—–。！？；：]|\s-\s")
_PARTS = re.compile(r"[_ -]+")


class Feature(NamedTuple):
    """What is spoken of: its key; 1 wanted, -1 unwanted or 0 only told of; and how much it says."""

    key: str
    sign: int
    weight: float


_END = Word(".", Entry("break"))


class _Said(NamedTuple):
    """A feature of a clause that isn't over yet; `turned` tells that a negation was seen."""

    key: str
    sign: int
    weight: float
    turned: bool


def features(text: str) -> tuple[Feature, ...]:
    """What the text says, each key once with the sign that prevails."""
    found: dict[str, list[_Said]] = {}
    for said in _signed(text):
        found.setdefault(said.key, []).append(said)
    return tuple(_prevailing(key, found[key]) for key in sorted(found))


def _prevailing(key: str, said: list[_Said]) -> Feature:
    total = sum(one.sign * one.weight for one in said)
    weight = max(one.weight for one in said)
    both_ways = abs(total) < SOFT and any(one.sign for one in said)
    return Feature(key, 0 if both_ways else (total > 0) - (total < 0), min(weight, SOFT) if both_ways else weight)


def _signed(text: str) -> Iterator[_Said]:
    """The features of the text clause by clause; what is said as a reason weighs little."""
    clause: list[Word] = []
    share, when = 1.0, False
    for word in (*read_words(text), _END):
        role = word.entry.role if word.entry else ""
        if role not in {"break", "because", "when"}:
            clause.append(word)
            continue
        for said in _clause(clause, asked="?" in word.text):
            yield said._replace(weight=said.weight * share, sign=0 if when else said.sign)
        clause = []
        if role == "break":
            share = 1.0 if when or _HALF.search(word.text) else share
        else:
            share = REASON if role == "because" else WHEN
        when = role == "when"


class _Clause:
    """Reads the words of one clause, from left to right."""

    def __init__(self) -> None:
        self.said: list[_Said] = []
        self.sign = 1
        self.since = 0  # so much was said when the last negation came
        self.negated = self.wanted = self.told = self.too = self.so = self.done = self.dropped = False
        self._on: dict[str, Callable[[], None]] = {
            **{role: partial(self._negate, role) for role in ("not", "drop", "instead")},
            **{role: partial(self._too, role) for role in ("too", "so")},
            "is": self._tell,
            "but": self._want,
            "not_before": self._negate_before,
            "again": self._reproach,
        }

    def read(self, word: Word, role: str, *, first: bool) -> None:
        """One more word, of the clause's first or not."""
        if first and role in {"done", "again"}:
            self.sign, self.negated, self.done = -1, True, role == "done"
        elif role in self._on:
            self._on[role]()
        elif role not in {"empty", "who", "done"}:
            self._say(word)

    def end(self, *, asked: bool) -> Iterator[_Said]:
        """What the clause says."""
        said = self.said
        if self.too and said and said[-1].key[0] == "~" and not said[-1].turned:
            said[-1] = said[-1]._replace(sign=-said[-1].sign, turned=True)
        if self.dropped and not said:
            said.append(_Said("=remove", -self.sign, MEANING, turned=True))
        elif self.negated and self.sign < 0 and self.since == len(said):
            # "one line is not enough", "npm bitte nicht verwenden": nothing follows, so it turns what was before.
            self._turn()
        elif asked and len(said) <= ASKED_BACK and not self.negated and not self.wanted:
            self._turn()
        elif self.told and not self.negated and not self.wanted:
            self.said = [one if one.turned or one.key[0] == "~" else one._replace(sign=0) for one in said]
        yield from self.said

    def _say(self, word: Word) -> None:
        direct = (self.negated or self.wanted) and all(one.weight <= PART for one in self.said[self.since :])
        for one in _features_of(word, direct=direct):
            down = self.too and (one.key[0] == "~" or (not self.so and one.weight >= WORD))
            sign = -one.sign if down else one.sign * self.sign
            self.said.append(one._replace(sign=sign, turned=self.negated or down))
            self.too = self.too and not down

    def _negate(self, role: str) -> None:
        self.dropped = role == "drop"
        if self.done and role == "not":
            # "du hast die Tests nicht …": what wasn't done is what is wanted.
            self.said = [one._replace(sign=-one.sign) for one in self.said]
        self.sign, self.since, self.negated = (-self.sign if self.negated else -1), len(self.said), True

    def _negate_before(self) -> None:
        self._turn()
        self.sign, self.negated, self.wanted = 1, False, True

    def _reproach(self) -> None:
        if not self.negated and not self.wanted:
            self._turn()
            self.wanted = True

    def _want(self) -> None:
        self.wanted = True
        if self.negated and len(self.said) > self.since:
            self.sign, self.negated = 1, False

    def _too(self, role: str) -> None:
        self.too, self.so = True, role == "so"

    def _tell(self) -> None:
        self.told = True

    def _turn(self) -> None:
        self.said = [one if one.turned else one._replace(sign=-one.sign, turned=True) for one in self.said]


def _clause(words: list[Word], *, asked: bool) -> Iterator[_Said]:
    clause = _Clause()
    for at, word in enumerate(words):
        role = word.entry.role if word.entry else ""
        if role == "no":
            role = "empty" if _is_exclamation(words, at) else "not"
        clause.read(word, role, first=at == 0)
    yield from clause.end(asked=asked)


def _is_exclamation(words: list[Word], at: int) -> bool:
    """Whether a "no" stands alone: nothing follows it, or a wish does."""
    after = words[at + 1 : at + 2]
    return not after or (after[0].entry is not None and after[0].entry.role in {"but", "not", "no", "who", "done"})


def _features_of(word: Word, *, direct: bool) -> Iterator[_Said]:
    entry = word.entry
    if entry:
        weight = entry.weight
        if direct and entry.role != "scale":
            weight = max(PART, weight) if weight < MEANING else weight * OBJECT
        yield _Said(entry.key, entry.sign, weight, turned=False)
        return
    if word.code:
        parts = _PARTS.split(word.text.strip("-"))
        if all(part.isalpha() for part in parts):
            weight = NAMED if len(parts) == 1 else PART_OF_NAME
            yield from (_Said(stem(part), 1, weight, turned=False) for part in parts)
        else:
            yield _Said(word.text, 1, NAMED, turned=False)
        return
    if word.text.isdigit():
        yield _Said(word.text, 1, NUMBER, turned=False)
        return
    weight = WORD / 2 if IS_CJK.match(word.text) else WORD if len(word.text) > 1 else SOFT
    yield _Said(stem(word.text), 1, weight * (OBJECT if direct else 1.0), turned=False)
