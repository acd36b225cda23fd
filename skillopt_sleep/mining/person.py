"""Tell whether what a model wrote is what a person said: every word was said by them, and nothing is reversed.

A model can be talked into wishing for anything, in words that nobody else wrote. So its words aren't searched for bad
ones: a word counts as the person's if they said it, or one that means the same in any language (mining/alike.py). A
few words demand nothing by themselves and need not be said. Of all others, up to a third may be ordinary words that
weren't said.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from skillopt_sleep.mining.alike import Piece, lists, meanings_in, pieces, plain, words_of
from skillopt_sleep.mining.demands import (
    demand_in_known_words,
    in_known_words,
    orders,
    signs_of_demand,
    signs_of_speech,
)
from skillopt_sleep.mining.lexicon import IS_CJK, stem
from skillopt_sleep.mining.meanings import features
from skillopt_sleep.mining.wishes import last_wish

SHORTEST_KIN = 5
KIN_SHARE = 0.6
MILD_SHARE = 1 / 3
SPOKEN = 0.75  # the weight of a feature that counts as said: two characters of Chinese or Japanese have as much

_LATIN = r"[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]"


class Weighed(NamedTuple):
    """The words of a text that demand something: those the person said, ordinary ones, and all others."""

    said: tuple[str, ...]
    mild: tuple[str, ...]
    foreign: tuple[str, ...]


class Person:
    """A person's words: a request, and corrections of the answer, of which the last holds."""

    def __init__(self, request: str, corrections: Sequence[str]) -> None:
        texts = (request, *corrections)
        self.text = "\n".join(texts)
        self._plain = plain(self.text)
        self._words = frozenset(words_of(self._plain))
        self._stems = frozenset(map(stem, self._words))
        self._means = meanings_in(self._plain)
        self._wish = last_wish(texts)
        self._denies = bool(self._wish.avoid)
        self._orders: list[tuple[frozenset[str], frozenset[str]]] = []
        self._signs: dict[str, int] = {}
        for text in texts:
            self._denies |= any(feature.sign < 0 for feature in features(in_known_words(text)))
            self._orders += orders(text)
            self._signs |= signs_of_speech(text)

    def wrote(self, term: str) -> bool:
        """Tell whether the person wrote this very term, not as a part of another word: `npm` is not in `pnpm`."""
        if not term.strip():
            return False
        pattern = re.escape(" ".join(term.casefold().split())).replace(r"\ ", r"\s+")
        bounded = rf"(?<!{_LATIN})(?<!{_LATIN}-){pattern}(?!{_LATIN}|-{_LATIN})"
        return re.search(bounded, self.text.casefold()) is not None

    def weigh(self, text: str) -> Weighed:
        """Sort the words of a text, in any language, by whether the person said them."""
        said: list[str] = []
        mild: list[str] = []
        foreign: list[str] = []
        for piece in pieces(text):
            if piece.neutral:
                continue
            if self._said(piece):
                said.append(piece.word)
            elif not piece.means.isdisjoint(lists().mild):
                mild.append(piece.word)
            else:
                foreign.append(piece.word)
        return Weighed(tuple(said), tuple(mild), tuple(foreign))

    def unsaid(self, text: str) -> tuple[str, ...]:
        """Return the words of a text that aren't the person's; empty if the text is theirs."""
        weighed = self.weigh(text)
        if weighed.foreign:
            return weighed.foreign
        if len(weighed.mild) <= max(1, MILD_SHARE * (len(weighed.said) + len(weighed.mild))):
            return ()
        return weighed.mild

    def shares(self, text: str) -> bool:
        """Tell whether a text and the person name one thing, apart from words that any demand may hold."""
        return any(not piece.neutral and self._said(piece) for piece in pieces(text))

    def reversed_by(self, text: str) -> tuple[str, ...]:
        """Return what the text wants and the person doesn't, or the other way round; empty if nothing is."""
        means: set[str] = set()
        for piece in pieces(text):
            means |= piece.means
        if "atmost" in means and self.speaks_of("atleast") and not self.speaks_of("atmost"):
            return ("at least",)
        for first, then in orders(text):
            for earlier, later in self._orders:
                if first & later and then & earlier:
                    return tuple(sorted(first & later))
        opposed: list[str] = []
        for key, sign in signs_of_demand(text).items():
            if self._signs.get(key) == -sign:
                opposed.append(key)
        return tuple(opposed) or self.ruled_out_unasked(text)

    def ruled_out_unasked(self, text: str) -> tuple[str, ...]:
        """Return what the text rules out if the person ruled nothing out: asking for a thing isn't saying `not`."""
        if self._denies:
            return ()
        demand = features(demand_in_known_words(text))
        return tuple(feature.key for feature in demand if feature.sign < 0 and feature.weight >= SPOKEN)

    def refuses(self, text: str) -> bool:
        """Tell whether the text wants what the person ruled out by name, or rules out what they named."""
        # A name may add what goes without saying, as in "use pnpm, never npm"; one that only rules out may not.
        if self.ruled_out_unasked(text) and 1 not in signs_of_demand(text).values():
            return True
        named: dict[str, int] = {}
        for term, sign in self._signs_of_terms().items():
            for feature in features(term):
                named[feature.key] = sign
        return any(feature.sign and named.get(feature.key) == -feature.sign for feature in features(text))

    def wants(self, term: str) -> int:
        """Return 1 if the person wants the term, -1 if they don't, 0 if they only mention it."""
        folded = term.casefold().strip()
        if folded in map(str.casefold, self._wish.want):
            return 1
        if folded in map(str.casefold, self._wish.avoid):
            return -1
        text = term if " " in term else f"`{term}`"
        signs = {self._signs.get(feature.key, 0) for feature in features(text)}
        if -1 in signs:
            return -1
        return max(signs, default=0)

    def speaks_of(self, *meanings: str) -> bool:
        """Tell whether the person speaks of any of these listed meanings."""
        return not self._means.isdisjoint(meanings)

    def sign_of(self, meaning: str) -> int:
        """Return 1 if the person wants more of a listed scale, -1 if less, 0 if they don't say."""
        return self._signs.get(meaning, 0)

    def _signs_of_terms(self) -> dict[str, int]:
        """Return the terms that the person named, with 1 if they want them and -1 if not."""
        avoided = dict.fromkeys(self._wish.avoid, -1)
        return {**avoided, **dict.fromkeys(self._wish.want, 1)}

    def _said(self, piece: Piece) -> bool:
        if not piece.means.isdisjoint(self._means):
            return True
        if IS_CJK.match(piece.word):
            return piece.word in self._plain
        if all(part in self._words or stem(part) in self._stems for part in piece.word.split()):
            return True
        return not piece.means and any(_are_kin(piece.word, word) for word in self._words)


def _are_kin(one: str, other: str) -> bool:
    """Tell whether two words begin alike: an inflection, or a word that two languages share."""
    same = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        same += 1
    return same >= SHORTEST_KIN and same >= KIN_SHARE * max(len(one), len(other))
