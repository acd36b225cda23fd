"""Read what a text demands, and in which order, as signs of features: 1 wanted, -1 unwanted."""

import re
from collections.abc import Iterator

from skillopt_sleep.mining.meanings import features
from skillopt_sleep.mining.words import sentences

FIRM = 0.8  # of a feature: what weighs less doesn't tell what is wanted

_CLAUSE = re.compile(r"[,;:!?\n—–，；：！？。]|\.(?=\s|$)")
# What goes wrong is reported, not wished for: "this throws now", "npm breaks it".
_REPORTED = re.compile(
    r"^\W*(?:argh|ugh|oh no|another|this|that|it|you|there|why|last time|das|es|du|ça|c'est|tu|eso|esto|isso|это|ты"
    r"|这|你|それ)\b"
    r"|\b(?:breaks?|broke|throws?|fails?|wrong|worse|missing|forgot|kaputt|falsch|mal|errad[oa]|doesn't|didn't|isn't"
    r"|can't)\b"
    r"|[?？]|怎么|错|変",
    re.IGNORECASE,
)
# Ways of saying "without", which become words that mining/meanings.py knows.
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


def in_known_words(text: str) -> str:
    """Return the text in words that mining/meanings.py knows: "npm is not to be used" as "npm is not"."""
    active = _ENDING.sub(r"\1", text)
    active = _WITHOUT.sub("without", active)
    active = _NOTHING.sub(r"not \1", active)
    active = _FORBIDDEN.sub("not", active)
    return _PASSIVE.sub("", active)


def demand_in_known_words(text: str) -> str:
    """Return a demand in words that mining/meanings.py knows."""
    known = _AT_MOST.sub("at most", text)
    known = _AND_NO_OTHER.sub("", known)
    known = _UNASKED.sub("; not ask", known)
    return _IS.sub("", in_known_words(known))


def signs_of_speech(text: str) -> dict[str, int]:
    """Return what a person wants and doesn't want by what they say; what they only report is neither."""
    signs: dict[str, int] = {}
    for clause in _clauses(in_known_words(text)):
        clause_signs = _firm_signs(clause)
        if _REPORTED.search(clause):
            clause_signs = {key: sign for key, sign in clause_signs.items() if sign < 0}
        signs |= clause_signs
    return signs


def signs_of_demand(text: str) -> dict[str, int]:
    """Return what a demand wants and doesn't want: everything it says counts."""
    signs: dict[str, int] = {}
    for clause in _clauses(demand_in_known_words(text)):
        signs |= _firm_signs(clause)
    return signs


def orders(text: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield what the text wants done first, and what after it."""
    for sentence in sentences(text):
        before = _BEFORE.search(sentence)
        match = before or _AFTER.search(sentence)
        if not match:
            continue
        left = _keys(sentence[: match.start()])
        right = _keys(sentence[match.end() :])
        if before:
            yield left - right, right - left
        else:
            yield right - left, left - right


def _keys(text: str) -> frozenset[str]:
    return frozenset(feature.key for feature in features(text))


def _clauses(text: str) -> Iterator[str]:
    start = 0
    for match in _CLAUSE.finditer(text):
        yield text[start : match.end()]
        start = match.end()
    yield text[start:]


def _firm_signs(clause: str) -> dict[str, int]:
    """Return the signs of what a clause speaks of; of what it denies only what weighs most: "no emoji in commits"."""
    firm = [feature for feature in features(clause) if feature.sign and feature.weight >= FIRM]
    most = 0.0
    for feature in firm:
        if feature.sign < 0 and feature.key[0] in "=~":
            most = max(most, feature.weight)
    signs: dict[str, int] = {}
    for feature in firm:
        if feature.sign > 0 or feature.weight >= most:
            signs[feature.key] = feature.sign
    return signs
