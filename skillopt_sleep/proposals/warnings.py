"""Flag rules about tests, permissions, force, secrets or grading, and rules that don't fit the file.

No filter can tell a harmful rule in plain words from a wanted one, so a flag is not a refusal. It is shown wherever
the rule is shown. The words are in warnings.toml.
"""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.proposals.guard.seen import plain
from skillopt_sleep.proposals.guard.words import phrases
from skillopt_sleep.proposals.missing import missing
from skillopt_sleep.records import Document, Edit, EditOp, RuleWarning, WarningKind

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
# What narrows a thing down: "don't write tests that need the network".
_MORE = r"(?!\W+(?:that|which|in|with|against|using|on|from|by|whose|inside|under|directly|twice|manually)\b)"
_NOT = re.compile(
    rf"(?<!\w)(?:{phrases('forbidding')})(?!\w)|{phrases('forbidding-unspaced')}|ない|せず|ません", re.IGNORECASE
)
# A condition forbids nothing: "if it was not run, make up a score".
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
    """The patterns of one kind of warning in one language."""

    kind: WarningKind
    always: tuple[re.Pattern[str], ...]
    phrases: tuple[re.Pattern[str], ...]
    bad: tuple[re.Pattern[str], ...]
    needed: tuple[re.Pattern[str], ...]


def warnings(edits: Sequence[Edit], *, document: Document) -> tuple[RuleWarning, ...]:
    """Return the warnings about the lines that these edits add to the document."""
    lines: list[str] = []
    for edit in edits:
        if edit.op is not EditOp.DELETE:
            lines += edit.content.splitlines()
    flags: list[RuleWarning] = []
    for line in dict.fromkeys(lines):
        shown = _shown(line)
        flags += [RuleWarning(kind=kind, line=shown) for kind in kinds(line)]
        things = missing(line, Path(document.project), held=document.text)
        flags += [RuleWarning(kind=WarningKind.MISSING, line=shown, because=thing) for thing in things]
    return tuple(flags)


def of_edit(flags: Sequence[RuleWarning], edit: Edit) -> tuple[RuleWarning, ...]:
    """Return those of a proposal's warnings that are about a line of this edit."""
    lines = {_shown(line) for line in edit.content.splitlines()}
    return tuple(flag for flag in flags if flag.line in lines)


def kinds(line: str) -> tuple[WarningKind, ...]:
    """Return the kinds of warnings about this line."""
    text = _EMPHASIS.sub("", plain(line)).replace("’", "'")
    flags: dict[WarningKind, None] = {}
    for clause in _CLAUSE.split(text):
        asked = _ENCOURAGED.sub(" ", clause)
        for words in _words():
            if _touches(words, asked):
                flags[words.kind] = None
    return tuple(flags)


def _shown(line: str) -> str:
    return one_line(line.strip().removeprefix("- "), limit=_LINE)


def _touches(words: _Words, clause: str) -> bool:
    """Return whether the clause asks for something harmful, or forbids something needed."""
    if _first(words.always, clause):
        return True
    phrase = _first(words.phrases, clause)
    # Only what stands before a phrase can forbid it: the phrase may contain a "without" itself.
    if phrase and not _forbids(clause[: phrase.start()]):
        return True
    # A "not" may also stand between an act and its thing: "überspringe nie".
    bad = _first(words.bad, clause)
    if bad and not _forbids(clause[: bad.end()]):
        return True
    needed = _first(words.needed, clause)
    return needed is not None and _forbids(clause[: needed.end()])


def _forbids(words: str) -> bool:
    """Return whether these words forbid what follows them."""
    return bool(_NOT.search(_CONDITION.sub(" ", words)))


def _first(patterns: Sequence[re.Pattern[str]], clause: str) -> re.Match[str] | None:
    for pattern in patterns:
        match = pattern.search(clause)
        if match:
            return match
    return None


@cache
def _words() -> tuple[_Words, ...]:
    kinds: dict[str, dict[str, dict[str, str | list[str]]]] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    compiled: list[_Words] = []
    for kind, languages in kinds.items():
        for language, words in languages.items():
            compiled.append(_compiled(WarningKind(kind), language, words))
    return tuple(compiled)


def _compiled(kind: WarningKind, language: str, words: dict[str, str | list[str]]) -> _Words:
    things = words.get("things", "")
    bad: list[str] = []
    needed: list[str] = []
    if things:
        bad = _meeting(f"{words['acts']}", f"{things}", language)
    if things and "needs" in words:
        more = "" if language in _UNSPACED else _MORE
        needed = [pattern + more for pattern in _meeting(f"{words['needs']}", f"{things}", language)]
    return _Words(
        kind=kind,
        always=_each(words.get("always", ())),
        phrases=_each(words.get("phrases", ())),
        bad=_each(bad),
        needed=_each(needed),
    )


def _meeting(acts: str, things: str, language: str) -> list[str]:
    """Return the patterns of an act near a thing; in most languages in either order."""
    if language in _UNSPACED:
        return [f"(?:{acts}).{{0,8}}?(?:{things})", f"(?:{things}).{{0,8}}?(?:{acts})"]
    act = rf"(?<!\w)(?:{acts})(?!\w)"
    thing = rf"(?<!\w)(?:{things})(?!\w)"
    act_first = rf"{act}{_BETWEEN}{thing}"
    if language in _VERB_FIRST:
        return [act_first]
    return [act_first, rf"{thing}{_BETWEEN}{act}"]


def _each(patterns: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
