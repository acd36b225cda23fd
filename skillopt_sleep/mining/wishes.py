"""What an English sentence asks to do differently: the language part of the heuristic miner.

It knows English only and few constructions; what it doesn't understand it leaves to a rubric in the user's words.
"""

import re
from typing import NamedTuple

_TERM = r"(?:`[^`\n]{1,60}`|\"[^\"\n]{1,60}\"|[\w.+#/@-]*\w)"
_PLACE = r"(?:\s+(?:here|in this \w+|in our \w+|for this \w+|everywhere))?"
_NOT = r"(?:,|;|\s+-|\s+—)?\s+(?:and\s+)?(?:never|not|instead of|rather than|over)\s+(?:use\s+|with\s+)?"

_WANT_AND_AVOID = re.compile(rf"\b(?:use|prefer|with)\s+(?:only\s+)?({_TERM}){_PLACE}{_NOT}({_TERM})", re.IGNORECASE)
_SHOULD_BE = re.compile(rf"\bshould (?:be|have been|use)\s+({_TERM}){_NOT}({_TERM})", re.IGNORECASE)
_WANT = re.compile(rf"\b(?:use|prefer)\s+({_TERM})\s+instead\b|\balways use\s+({_TERM})", re.IGNORECASE)
_AVOID = re.compile(rf"\b(?:never|don't|do not)\s+(?:ever\s+)?use\s+({_TERM})", re.IGNORECASE)
_INCLUDE = re.compile(r"\balways (?:include|mention|name|add|give)\s+([^.;:!?\n]{2,120})", re.IGNORECASE)
_LIST_END = re.compile(r",?\s+(?:in|with|at|for|when|to|so|because|under|below|before|after)\b.*", re.IGNORECASE)
_LIST = re.compile(r",\s*(?:and\s+)?|\s+and\s+")
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_AT_MOST = re.compile(
    r"\b(?:at most|under|below|max(?:imum)?(?: of)?|no more than)\s+(\d{2,5})\s+char", re.IGNORECASE
)
_CORRECTION = re.compile(
    r"^\s*(?:no\b|nope\b|wrong\b|stop\b|not (?:like )?that\b|actually\b|i (?:said|told you|meant|asked)\b|again\b)"
    r"|\bthat(?:'s| is) (?:wrong|not (?:right|what))\b|\binstead\b|\bnever\b|\balways\b|\brather than\b"
    r"|\btoo (?:long|short|verbose|vague|slow|much)\b|\bshould (?:be|have)\b|\byou (?:forgot|missed|ignored)\b"
    r"|\b(?:don't|do not) (?:ever|use|do|add|write|push|touch)\b|\bnext time\b|\bmore careful\b",
    re.IGNORECASE,
)
_LONGEST_TERM = 3
_EMPTY_TERMS = frozenset({"it", "that", "this", "them", "the", "a", "an", "to", "any", "my", "our", "your"})


class Wish(NamedTuple):
    """What is wanted in the answer, what is not, and its greatest length in characters, where one was named."""

    want: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    at_most: int | None = None


def is_correction(text: str) -> bool:
    """Whether the words take back or amend what was done, in English."""
    if _CORRECTION.search(text):
        return True
    wish = read_wish(text)
    return bool(wish.want and wish.avoid)


def read_wish(text: str) -> Wish:
    """What the text asks for; an empty Wish where nothing was understood."""
    want: list[str] = []
    avoid: list[str] = []
    for pattern in (_WANT_AND_AVOID, _SHOULD_BE):
        for match in pattern.finditer(text):
            want.append(match[1])
            avoid.append(match[2])
    want += [match[1] or match[2] for match in _WANT.finditer(text)]
    avoid += [match[1] for match in _AVOID.finditer(text)]
    for match in _INCLUDE.finditer(text):
        want += [_ARTICLE.sub("", item) for item in _LIST.split(_LIST_END.sub("", match[1]))]
    limit = _AT_MOST.search(text)
    wanted = _distinct(want)
    return Wish(
        want=wanted,
        avoid=tuple(term for term in _distinct(avoid) if term not in wanted),
        at_most=int(limit[1]) if limit else None,
    )


def _distinct(terms: list[str]) -> tuple[str, ...]:
    """The terms without quotes, each once, in order; empty words are no terms."""
    cleaned = (term.strip(" `\"'") for term in terms)
    return tuple(
        dict.fromkeys(
            term
            for term in cleaned
            if term and term.lower() not in _EMPTY_TERMS and len(term.split()) <= _LONGEST_TERM
        )
    )
