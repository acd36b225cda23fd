"""Whether what a model wrote is the person's: every word of it said by them, and nothing turned round.

A model can be talked into wishing for anything, in words that nobody else wrote. So its words aren't searched for
what is bad: a word counts as the person's where they said it, or one that means the same in any language
(mining/alike.py). A few words demand nothing of their own and need not be said; of all the others, ordinary ones that
weren't said may be a third.
"""

import re
from collections.abc import Iterable, Sequence

from skillopt_sleep.mining.alike import Piece, lists, meanings_in, pieces, plain, words_of
from skillopt_sleep.mining.lexicon import IS_CJK, stem
from skillopt_sleep.mining.meanings import features
from skillopt_sleep.mining.wishes import last_wish

SHORTEST_KIN = 5
KIN_SHARE = 0.6
MILD_SHARE = 1 / 3
SPOKEN = 0.75  # of a feature: two characters of Chinese or Japanese have as much
FIRM = 0.8  # of a feature: what says less tells nothing about what is wanted

_SENTENCE = re.compile(r"[^.!?\n。！？]+(?:[.!?。！？]+(?=\s|$)|[.!?](?=\S)[^.!?\n。！？]*|[。！？])*")
_CLAUSE = re.compile(r"[,;:!?\n—–，；：！？。]|\.(?=\s|$)")
# What doesn't go well is told, not wished for: "this throws now", "npm breaks it".
_TOLD = re.compile(
    r"^\W*(?:argh|ugh|oh no|another|this|that|it|you|there|why|last time|das|es|du|ça|c'est|tu|eso|esto|isso|это|ты"
    r"|这|你|それ)\b"
    r"|\b(?:breaks?|broke|throws?|fails?|wrong|worse|missing|forgot|kaputt|falsch|mal|errad[oa]|doesn't|didn't|isn't"
    r"|can't)\b"
    r"|[?？]|怎么|错|変",
    re.IGNORECASE,
)
# How one speaks of doing without, in the words that mining/meanings.py knows.
_WITHOUT = re.compile(
    r"\b(?:avoid(?:s|ing)|refrain(?:s|ing)? from|omit(?:s|ting)?|exclud(?:es?|ing)|leav(?:es?|ing) out|lack(?:s|ing)?"
    r"|free of|out of|anything but|(?:anything )?other than|verzichtet auf|verzichten auf)\b",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    r"\b(?:forbidden|banned|prohibited|disallowed|off[- ]limits|taboo|verboten|untersagt|tabu|interdite?|prohibid[oa]"
    r"|proibid[oa])\b|запрещ\w+|被?禁止",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"\b(delete|remove|drop|skip|omit|hide|exclude|stop|avoid|forget|miss|erase|kill|ban)(?:p?ing|[sd]|ed|p?ed)\b",
    re.IGNORECASE,
)
_UNASKED = re.compile(r"\b(?:without asking|unasked)\b", re.IGNORECASE)
_NOTHING = re.compile(r"\b(\w+) (?:nothing|none|nobody)\b", re.IGNORECASE)
_IS = re.compile(r"\b(?:is|are|be|was|were|being|ist|sind|est|sont|es|son|é|são)\b", re.IGNORECASE)
_BEFORE = re.compile(r"\b(?:before|bevor|avant|antes de|прежде чем|перед)\b", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after|nachdem|après|después de|depois de|после)\b", re.IGNORECASE)
_AT_MOST = re.compile(r"\b(?:no|not) more than\b", re.IGNORECASE)
_AND_NO_OTHER = re.compile(
    r",?\s*(?:and |but )?(?:not|no|none|rather than|instead of|nor)\b[^,.;]{0,20}?\b(?:other|another|different|wrong"
    r"|elsewhere|else)\b[^,.;]*",
    re.IGNORECASE,
)
_PASSIVE = re.compile(
    r"\b(?:(?:to be )?used|allowed|permitted|called|mentioned|included|contained|shown|present"
    r"|welcome|acceptable|ok|okay|needed|wanted|there|appears?)\b"
    r"|使用|用いら?|さ?れ",
    re.IGNORECASE,
)
_LATIN = r"[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]"


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text, as they stand in it."""
    return [sentence for match in _SENTENCE.finditer(text) if (sentence := match[0].strip())]


def whole_sentences(text: str, part: str) -> str:
    """The part with all of the sentences it stands in: a wish may not be cut out of a sentence that denies it."""
    at = text.find(part)
    spans = [match.span() for match in _SENTENCE.finditer(text)]
    touched = [(start, end) for start, end in spans if start < at + len(part) and end > at]
    if at < 0 or not touched:
        return part
    return text[min(at, touched[0][0]) : max(at + len(part), touched[-1][1])].strip()


class Own:
    """What a person said: a request, and what they said of the answer, the last word last."""

    def __init__(self, request: str, corrections: Sequence[str]) -> None:
        self._said = (request, *corrections)
        self.text = "\n".join(self._said)
        self._plain = plain(self.text)
        self._words = frozenset(words_of(self._plain))
        self._stems = frozenset(map(stem, self._words))
        self._means = meanings_in(self._plain)
        self._wish = last_wish(self._said)
        told = [one for said in self._said for one in features(_actively(said))]
        self._denies = bool(self._wish.avoid) or any(one.sign < 0 for one in told)
        self._orders = [order for text in self._said for order in _orders(text)]
        self._signs = {**_wanted(request), **{k: s for text in corrections for k, s in _wanted(text).items()}}

    def names(self, term: str) -> bool:
        """Whether the person wrote the very term, and not as a part of another word: `npm` is not in `pnpm`."""
        found = re.escape(" ".join(term.casefold().split())).replace(r"\ ", r"\s+")
        bounded = rf"(?<!{_LATIN})(?<!{_LATIN}-){found}(?!{_LATIN}|-{_LATIN})"
        return bool(term.strip()) and re.search(bounded, self.text.casefold()) is not None

    def unheard(self, text: str) -> tuple[str, ...]:
        """The words of a text that the person never said, in any language; empty where it is theirs."""
        said, mild, foreign = self.weighed(text)
        return foreign if foreign or len(mild) <= max(1, MILD_SHARE * (len(said) + len(mild))) else mild

    def weighed(self, text: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """The words the person said, those that are ordinary, and all others; without those that demand nothing."""
        said: list[str] = []
        mild: list[str] = []
        foreign: list[str] = []
        for piece in pieces(text):
            if piece.neutral:
                continue
            if self._says(piece):
                said.append(piece.word)
            elif not piece.means.isdisjoint(lists().mild):
                mild.append(piece.word)
            else:
                foreign.append(piece.word)
        return tuple(said), tuple(mild), tuple(foreign)

    def turned(self, text: str) -> tuple[str, ...]:
        """What the text wants that the person doesn't, and the other way round."""
        means = {name for piece in pieces(text) for name in piece.means}
        if "atmost" in means and self.speaks_of("atleast") and not self.speaks_of("atmost"):
            return ("at least",)
        for first, then in _orders(text):
            for earlier, later in self._orders:
                if first & later and then & earlier:
                    return tuple(sorted(first & later))
        denied = tuple(key for key, sign in _demanded(text).items() if self._signs.get(key) == -sign)
        return denied or self.undenied(text)

    def undenied(self, text: str) -> tuple[str, ...]:
        """What a text rules out although the person ruled nothing out: who asks for a thing doesn't say `not`."""
        if self._denies:
            return ()
        return tuple(one.key for one in features(_demanding(text)) if one.sign < 0 and one.weight >= SPOKEN)

    def refuses(self, text: str) -> bool:
        """Whether the text wants what the person ruled out by name, or rules out what they named."""
        # A name may add what goes without saying, as in "use pnpm, never npm"; one that only rules out may not.
        if self.undenied(text) and not any(sign > 0 for sign in _demanded(text).values()):
            return True
        signs = {**dict.fromkeys(self._wish.avoid, -1), **dict.fromkeys(self._wish.want, 1)}
        named = {one.key: sign for term, sign in signs.items() for one in features(term)}
        return any(one.sign and named.get(one.key) == -one.sign for one in features(text))

    def wants(self, term: str) -> int:
        """1 where the person wants the term, -1 where they don't, 0 where they only speak of it."""
        folded = term.casefold().strip()
        if folded in {one.casefold() for one in self._wish.want}:
            return 1
        if folded in {one.casefold() for one in self._wish.avoid}:
            return -1
        signs = {self._signs.get(one.key, 0) for one in features(f"`{term}`" if " " not in term else term)}
        return -1 if -1 in signs else max(signs, default=0)

    def speaks_of(self, *meanings: str) -> bool:
        """Whether the person speaks of any of these listed meanings."""
        return not self._means.isdisjoint(meanings)

    def sign_of(self, meaning: str) -> int:
        """Whether the person wants more (1) or less (-1) of a listed scale; 0 where they don't say."""
        return self._signs.get(meaning, 0)

    def _says(self, piece: Piece) -> bool:
        if not piece.means.isdisjoint(self._means):
            return True
        if IS_CJK.match(piece.word):
            return piece.word in self._plain
        parts = piece.word.split()
        if all(part in self._words or stem(part) in self._stems for part in parts):
            return True
        return not piece.means and any(_kin(piece.word, word) for word in self._words)


def _actively(text: str) -> str:
    """The text in words that mining/meanings.py knows: "npm is not to be used" as "npm is not"."""
    plainly = _NOTHING.sub(r"not \1", _WITHOUT.sub("without", _ENDING.sub(r"\1", text)))
    return _PASSIVE.sub("", _FORBIDDEN.sub("not", plainly))


def _wanted(text: str) -> dict[str, int]:
    """What is wanted (1) and unwanted (-1) by what a person says; what is merely told is neither."""
    found: dict[str, int] = {}
    for clause in _clauses(_actively(text)):
        told = _TOLD.search(clause) is not None
        found |= {key: sign for key, sign in _firm(clause).items() if sign < 0 or not told}
    return found


def _demanded(text: str) -> dict[str, int]:
    """What is wanted and unwanted by a demand: all that it says."""
    return {key: sign for clause in _clauses(_demanding(text)) for key, sign in _firm(clause).items()}


def _demanding(text: str) -> str:
    """A demand in words that mining/meanings.py knows."""
    spoken = _UNASKED.sub("; not ask", _AND_NO_OTHER.sub("", _AT_MOST.sub("at most", text)))
    return _IS.sub("", _actively(spoken))


def _clauses(text: str) -> Iterable[str]:
    at = 0
    for match in _CLAUSE.finditer(text):
        yield text[at : match.end()]
        at = match.end()
    yield text[at:]


def _firm(clause: str) -> dict[str, int]:
    """The signs of what a clause speaks of; of what it denies only what weighs most: "no emoji in commits"."""
    said = [one for one in features(clause) if one.sign and one.weight >= FIRM]
    most = max((one.weight for one in said if one.sign < 0 and one.key[0] in "=~"), default=0.0)
    return {one.key: one.sign for one in said if one.sign > 0 or one.weight >= most}


def _orders(text: str) -> Iterable[tuple[frozenset[str], frozenset[str]]]:
    """What is to come before what, as the text says it."""
    for sentence in sentences(text):
        match = _BEFORE.search(sentence) or _AFTER.search(sentence)
        if not match:
            continue
        sides = [sentence[: match.start()], sentence[match.end() :]]
        one, other = (frozenset(feature.key for feature in features(side)) for side in sides)
        yield (one - other, other - one) if _BEFORE.search(sentence) else (other - one, one - other)


def _kin(one: str, other: str) -> bool:
    """Whether two words begin alike: an inflection, or a word that two languages share."""
    if min(len(one), len(other)) < SHORTEST_KIN:
        return False
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return same >= SHORTEST_KIN and same >= KIN_SHARE * max(len(one), len(other))
