"""Read the guard's lists of words, and tell whether a sentence forbids what it mentions, as in "never use sudo"."""

import re
import tomllib
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("words.toml")


def words(name: str) -> frozenset[str]:
    """Return the words of one list."""
    return frozenset(_lists()[name].split())


def phrases(name: str) -> str:
    """Return the phrases of one list as a regular expression that tries the longest first."""
    normalized = [" ".join(phrase.split()) for phrase in _lists()[name].split("|")]
    normalized.sort(key=len, reverse=True)
    return "|".join(map(re.escape, normalized))


@cache
def _lists() -> dict[str, str]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


_CLAUSE = re.compile(r"[;:!?。；：！？\n]|[.,，](?=\s)")
_REACH = 90
_NOT = rf"(?<!\w)(?:{phrases('forbidding')})(?!\w)|{phrases('forbidding-unspaced')}"
# What may stand between the forbidding word and what it forbids.
_FILLERS = (
    rf"(?:[\s(]|(?<!\w)(?:{phrases('using')})(?!\w)|{phrases('using-unspaced')}"
    r"|skip(?:ping)? (?:the )?(?:hooks?|checks?|tests?|verification))*"
)
_FORBIDS = re.compile(rf"(?:{_NOT}){_FILLERS}$", re.IGNORECASE)
NEGATION = re.compile(_NOT, re.IGNORECASE)
_ASKS = re.compile(
    r"(?<!\w)(?:ask|check with|confirm with|get (?:my|approval|permission)|frage?|demande|pregunta|спроси)\b"
    r"[^;!?\n]{0,60}\b(?:before|first|prior to|bevor|vor|avant|antes|прежде)\b[^;!?\n]{0,50}$",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    r"[\s\x1c\x1d)\"'`]*(?:\S+\s+){0,3}?(?:is|are|ist|sind|est|sont|es|son|é|são)\s+(?:strictly\s+|always\s+)?"
    r"(?:never\s+(?:ok|okay|allowed|used|acceptable|fine|needed)|forbidden|banned|prohibited|disallowed|off[- ]limits"
    r"|not\s+(?:allowed|ok|okay|permitted|acceptable|needed)|verboten|nicht\s+erlaubt|interdit\w*|prohibid\w*|proibid\w*"
    r"|запрещен\w*)\b|[\s\x1c\x1d]*(?:запрещено|禁止)",
    re.IGNORECASE,
)


def negated(clause: str) -> bool:
    """Return whether the clause forbids or denies anything."""
    return bool(NEGATION.search(clause))


def is_forbidden(text: str, start: int, end: int) -> bool:
    """Return whether the words around this piece of the text forbid it, or say to ask the person first.

    Only words like "use" may stand between the forbidding word and the piece: "never forget to run X" allows X.
    """
    near = text[max(0, start - _REACH) : start]
    clause = _CLAUSE.split(near)[-1]
    negations = len(NEGATION.findall(clause))
    if negations == 1 and _FORBIDS.search(clause):
        return True
    if not negations and _ASKS.search(clause):
        return True
    return not negations and bool(_FORBIDDEN.match(text, end))
