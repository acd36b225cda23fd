"""Find the lines of a person's own text that may say the opposite of a rule, to show them side by side.

A line counts if one of the two asks for exactly what the other forbids, or if they ask for two tools of which one
replaces the other. That they contradict each other is for the person to say.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.proposals.guard.spoken import NEGATION
from skillopt_sleep.records import Document

_LINE = 160
_MOST = 2
_SHORT = 3  # such a word's s isn't an ending
_MOST_WORDS = 4  # of what is forbidden: with more words it is about something else
_CLAUSE = re.compile(r"[.;:!?,](?=\s|$)|[。；！？，]")
_FENCE = re.compile(r"^\s*(?:`{3,}|~{3,})")
_WORD = re.compile(r"[\w@#+-]+(?:[./][\w-]+)*")
_UNSURE = re.compile(
    r"\b(?:forget|hesitate|ask|before|until|unless|except|if|when|wenn|falls|außer|sauf|excepto|salvo|если|кроме)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:use|uses|using|run|prefer|write|add|install|put|keep|end|start|begin|format|indent|commit|push|with|via|always"
    r"|must|should|answer|reply|nutze|verwende|immer|utilise\w*|toujours|usa|usar|siempre|sempre|используй\w*|всегда)\b",
    re.IGNORECASE,
)
_SMALL = frozenset(
    word
    for words in (
        "a an the to of in on at for by with via and or as is are be it its this that these those all any every each",
        "always please we you i our your my do does use uses using used run prefer must should shall will can",
        "here there what why how who which where when more less than too very much many from into only just ever",
        "verwenden nutzen utiliser usar again anything something everything then so",
    )
    for word in words.split()
)
_ALTERNATIVES = tuple(
    frozenset(names.split())
    for names in (
        "npm pnpm yarn bun",
        "pip poetry uv pipenv conda",
        "pytest unittest nose",
        "jest vitest mocha",
        "tab space",
        "camelcase snake_case kebab-case pascalcase",
    )
)
_USED = (
    r"\b(?:use|using|prefer|with|via|run|install|write|end|add|nutze|verwende|utilise\w*|usa|usar|используй\w*)\s+"
    r"(?:(?:the|always|only|immer|nur|toujours|siempre|sempre)\s+)?[`*\"]*{name}s?\b"
)


class _Said(NamedTuple):
    """The words of a line that ask for something, and those that forbid it."""

    asked: frozenset[str]
    forbidden: tuple[frozenset[str], ...]


def opposites(rule: str, document: Document) -> tuple[str, ...]:
    """Return the person's own lines of the document that may say the opposite of the rule, with their numbers."""
    own = _said(rule)
    found: list[str] = []
    for number, line in _own_lines(document):
        other = _said(line)
        if _clash(own, other, line) or _clash(other, own, rule) or _replaces(rule, own, line, other):
            found.append(f"your own line {number}: «{one_line(line.strip(), limit=_LINE)}»")
    return tuple(found[:_MOST])


def _own_lines(document: Document) -> Iterator[tuple[int, str]]:
    """Yield the lines outside of our block and of code blocks, each with its number in the file."""
    ours = document.text.removeprefix(document.lead)
    ours = ours.removesuffix(document.trail) if document.trail else ours
    after = 1 + document.lead.count("\n") + ours.count("\n")
    for first, text in ((1, document.lead), (after, document.trail)):
        is_code = False
        for offset, line in enumerate(text.split("\n")):
            if _FENCE.match(line):
                is_code = not is_code
            elif line.strip() and not is_code:
                yield first + offset, line


def _said(line: str) -> _Said:
    asked: set[str] = set()
    forbidden: list[frozenset[str]] = []
    for clause in _CLAUSE.split(line):
        negations = list(NEGATION.finditer(clause))
        if len(negations) > 1 or _UNSURE.search(clause):
            continue
        start = negations[0].start() if negations else len(clause)
        if _ASKS.search(clause[:start]):
            asked |= _words(clause[:start])
        if negations and 0 < len(words := _words(clause[negations[0].end() :])) <= _MOST_WORDS:
            forbidden.append(words)
    return _Said(frozenset(asked), tuple(forbidden))


def _clash(forbids: _Said, asks: _Said, line: str) -> bool:
    """Return whether the line asks for all of what the other forbids; a single word has to be what it uses."""
    named = frozenset[str]().union(*asks.forbidden)
    for words in forbids.forbidden:
        if words <= asks.asked and not words & named and (len(words) > 1 or _is_used(line, words)):
            return True
    return False


def _replaces(rule: str, own: _Said, line: str, other: _Said) -> bool:
    """Return whether the two ask for different tools of which one replaces the other."""
    for names in _ALTERNATIVES:
        mine, yours = own.asked & names, other.asked & names
        if mine and yours and not mine & yours and _is_used(rule, mine) and _is_used(line, yours):
            return True
    return False


def _is_used(line: str, names: frozenset[str]) -> bool:
    return any(re.search(_USED.format(name=re.escape(name)), line, re.IGNORECASE) for name in names)


def _words(text: str) -> frozenset[str]:
    words = (_stem(word.casefold().strip("-_.")) for word in _WORD.findall(text))
    return frozenset(word for word in words if word and word not in _SMALL)


def _stem(word: str) -> str:
    return word[:-1] if len(word) > _SHORT and word.endswith("s") and not word.endswith("ss") else word
