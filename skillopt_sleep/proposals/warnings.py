"""What a rule in plain words touches that a person should read twice: tests, permissions, force, secrets, grading.

No filter tells a harmful rule in plain words from a wanted one, so these are no refusals. They are told wherever the
rule is shown. The words are in warnings.toml.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.proposals.guard.seen import plain
from skillopt_sleep.proposals.guard.words import phrases
from skillopt_sleep.records import Edit, EditOp, RuleWarning, WarningKind

_FILE = Path(__file__).with_name("warnings.toml")
_LINE = 160
_CLAUSE = re.compile(r"[.;:!?](?=\s)|[。；！？\n]|,(?=\s(?:then|but|instead|so)\b)")
_EMPHASIS = re.compile(r"[*`\"“”]|(?<!\w)_+|_+(?!\w)")
_UNSPACED = frozenset({"Chinese", "Japanese"})
_VERB_FIRST = frozenset({"English"})
_BETWEEN = (
    r"(?:\W+(?!(?:after|before|when|until|in|into|for|from|with|by|to|on|and|or|but|if|nach|vor|in|für|aus|mit|zu|und"
    r"|après|avant|dans|pour|avec|et|después|antes|en|para|con|y|depois|em|com|e|после|до|в|для|с|и)\b)\w+){0,4}?\W+"
)
# What follows a thing that is told more exactly: "don't write tests that need the network".
_MORE = r"(?!\W+(?:that|which|in|with|against|using|on|from|by|whose|inside|under|directly|twice|manually)\b)"
_NOT = re.compile(
    rf"(?<!\w)(?:{phrases('forbidding')})(?!\w)|{phrases('forbidding-unspaced')}|ない|せず|ません", re.IGNORECASE
)
# What a rule says of when it holds forbids nothing: "if it was not run, make up a score".
_CONDITION = re.compile(
    r"\b(?:if|when|whenever|unless|while|once|until|where|wenn|falls|sobald|solange|si|lorsque|quand|cuando|se|quando|если|когда)"
    r"\b[^,]*,|(?:如果|若|当|當)[^,]*,|[^,]*(?:なら|たら|場合は?|ときは?),",
    re.IGNORECASE,
)
_ENCOURAGED = re.compile(
    r"\b(?:don'?t|do not|never|not|no)\W+(?:hesitate|forget|worry|be afraid|need)\b|\bnot only\b|\binstead of\b[^,]*",
    re.IGNORECASE,
)


class _Words(NamedTuple):
    """The patterns of one kind in one language."""

    kind: WarningKind
    always: tuple[re.Pattern[str], ...]
    phrases: tuple[re.Pattern[str], ...]
    bad: tuple[re.Pattern[str], ...]
    needed: tuple[re.Pattern[str], ...]


def warnings(edits: Sequence[Edit]) -> tuple[RuleWarning, ...]:
    """What the lines that these edits bring touch, each kind of a line once."""
    lines = [line for edit in edits if edit.op is not EditOp.DELETE for line in edit.content.splitlines()]
    return tuple(
        RuleWarning(kind=kind, line=one_line(line.strip().removeprefix("- "), limit=_LINE))
        for line in dict.fromkeys(lines)
        for kind in kinds(line)
    )


def kinds(line: str) -> tuple[WarningKind, ...]:
    """What this line touches."""
    said = _EMPHASIS.sub("", plain(line)).replace("’", "'")
    clauses = [_ENCOURAGED.sub(" ", clause) for clause in _CLAUSE.split(said)]
    return tuple(dict.fromkeys(kind for clause in clauses for kind in _of_clause(clause)))


def _of_clause(clause: str) -> Iterator[WarningKind]:
    for words in _words():
        always, phrase, bad, needed = (_first(patterns, clause) for patterns in words[1:])
        # A phrase may hold a "without" of its own; of an act and a thing either may be forbidden: "überspringe nie".
        if (
            always
            or (phrase and not _forbids(clause[: phrase.start()]))
            or (bad and not _forbids(clause[: bad.end()]))
            or (needed and _forbids(clause[: needed.end()]))
        ):
            yield words.kind


def _forbids(words: str) -> bool:
    return bool(_NOT.search(_CONDITION.sub(" ", words)))


def _first(patterns: Sequence[re.Pattern[str]], clause: str) -> re.Match[str] | None:
    return next((found for pattern in patterns if (found := pattern.search(clause))), None)


@cache
def _words() -> tuple[_Words, ...]:
    kinds: dict[str, dict[str, dict[str, str | list[str]]]] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return tuple(
        _compiled(WarningKind(kind), language, said)
        for kind, languages in kinds.items()
        for language, said in languages.items()
    )


def _compiled(kind: WarningKind, language: str, said: dict[str, str | list[str]]) -> _Words:
    things = said.get("things", "")
    needed: list[str] = []
    bad = _meeting(f"{said['acts']}", f"{things}", language) if things else []
    if things and "needs" in said:
        more = "" if language in _UNSPACED else _MORE
        needed = [pattern + more for pattern in _meeting(f"{said['needs']}", f"{things}", language)]
    return _Words(kind, _each(said.get("always", ())), _each(said.get("phrases", ())), _each(bad), _each(needed))


def _meeting(acts: str, things: str, language: str) -> list[str]:
    """Patterns of an act that meets a thing; in most languages in either order."""
    if language in _UNSPACED:
        return [f"(?:{acts}).{{0,8}}?(?:{things})", f"(?:{things}).{{0,8}}?(?:{acts})"]
    act, thing = rf"(?<!\w)(?:{acts})(?!\w)", rf"(?<!\w)(?:{things})(?!\w)"
    forward = rf"{act}{_BETWEEN}{thing}"
    return [forward] if language in _VERB_FIRST else [forward, rf"{thing}{_BETWEEN}{act}"]


def _each(patterns: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
