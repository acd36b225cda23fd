"""Guard the files that agents read: refuse what no edit may add, whatever its trial said.

An adopted line speaks every day to an agent with a shell. So it may be prose, lists, headings, tables and inline
code, in any script and with emoji. Anything else, such as code blocks, HTML, links and addresses, or commands that
download and run, install, delete or lift a permission, must be in the person's own words or in the document already.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from skillopt_sleep.kit.redact import secrets
from skillopt_sleep.proposals.guard.addresses import addresses
from skillopt_sleep.proposals.guard.commands import commands, tells
from skillopt_sleep.proposals.guard.installs import base_name
from skillopt_sleep.proposals.guard.loading import loaded
from skillopt_sleep.proposals.guard.seen import plain, show, unmasked, unseen
from skillopt_sleep.proposals.guard.structure import Finding, parse_rule_text
from skillopt_sleep.proposals.guard.unread import unread
from skillopt_sleep.records import NEVER_ALLOWED, RefusalKind

LIMIT = 2_000
# What may be in a rule if the person or the document names it as a whole.
_NAMED = frozenset({RefusalKind.ADDRESS, RefusalKind.LINK, RefusalKind.IMAGE, RefusalKind.IMPORT})
_COMMANDS = frozenset({RefusalKind.FETCH_AND_RUN, RefusalKind.DELETE, RefusalKind.PERMISSION})
_AFTER = re.compile(r"[\w@%-]|[.:]\w")
_AFTER_PACKAGE = re.compile(r"[\w%/-]|[.:]\w")


class Refusal(NamedTuple):
    """Why a text can't be added: the kind of reason, and a short sentence."""

    kind: RefusalKind
    why: str

    @property
    def sentence(self) -> str:
        """The sentence, and the kind that `guard.allow` would have to list, if it may be allowed."""
        if self.kind in NEVER_ALLOWED:
            return self.why
        return f'{self.why} (the setting guard.allow = ["{self.kind}"] would let it through)'


def problems(
    content: str, *, evidence: Sequence[str], held: str = "", allowed: Collection[str] = ()
) -> tuple[str, ...]:
    """Return why this text can't be added, one short sentence for each reason; empty if it can."""
    reasons = refusals(content, evidence=evidence, held=held, allowed=allowed)
    return tuple(refusal.sentence for refusal in reasons)


def refusals(
    content: str, *, evidence: Sequence[str], held: str = "", allowed: Collection[str] = ()
) -> tuple[Refusal, ...]:
    """Return every reason against adding this text, except the kinds that the user allows.

    `evidence` is the user's words behind the edit, `held` the document before it: an edit may contain anything that
    one of them contains.
    """
    if not content.strip():
        return (Refusal(RefusalKind.EMPTY, "it is empty"),)
    if len(content) > LIMIT and RefusalKind.LENGTH not in allowed:
        why = f"it has {len(content):,} characters, more than {LIMIT:,}"
        return (Refusal(RefusalKind.LENGTH, why),)
    reasons = list(_unknown(_findings(content), (*evidence, held), held))
    reasons += _unseen(content, held)
    for kind in (*secrets(content), *secrets(plain(content))):
        reasons.append(Refusal(RefusalKind.SECRET, f"it holds a secret ({kind})"))
    ignored = set(allowed) - NEVER_ALLOWED
    return tuple(refusal for refusal in dict.fromkeys(reasons) if refusal.kind not in ignored)


def joined(content: str, *, evidence: Sequence[str], held: str, allowed: Collection[str] = ()) -> tuple[str, ...]:
    """Return the reasons against commands that lines make together and none of them contains by itself."""
    found = commands(parse_rule_text(plain(content)))
    reasons = dict.fromkeys(_unknown(found, (*evidence, held), held))
    return tuple(refusal.sentence for refusal in reasons if refusal.kind not in allowed)


def _findings(content: str) -> Iterator[Finding]:
    # Judge the text that look-alikes and hidden characters disguise, too.
    folded = plain(content)
    text = parse_rule_text(folded)
    yield from loaded(content, folded, text.prose)
    yield from text.findings
    yield from unread(content, folded)
    yield from commands(text)
    for address in addresses(*dict.fromkeys((folded, unmasked(folded), plain(text.shown)))):
        yield RefusalKind.ADDRESS, "holds an address that you didn't mention", address


def _unknown(findings: Iterable[Finding], texts: Sequence[str], held: str) -> Iterator[Refusal]:
    """Yield a refusal for each finding that neither the person's words nor the document contain."""
    for kind, what, thing in findings:
        is_known = thing in held if kind is RefusalKind.BLANK_RUN else any(_has(text, kind, thing) for text in texts)
        if not is_known:
            yield Refusal(kind, f"it {what}: {show(thing)}")


def _has(text: str, kind: RefusalKind, thing: str) -> bool:
    """Return whether the text has what was found, in a way that allows it in a rule."""
    if kind is RefusalKind.MARKER:
        return False
    if kind in _NAMED:
        return _has_whole(text, thing.rstrip("/"), _AFTER)
    if kind is RefusalKind.INSTALL:
        return any(_has_whole(text, package, _AFTER_PACKAGE) for package in (thing, base_name(thing)))
    if kind in _COMMANDS:
        return tells(thing, text)
    words = _words(thing)
    return bool(words) and words in _words(text)


def _has_whole(text: str, word: str, after: re.Pattern[str]) -> bool:
    """Return whether the text has the word as a whole, not as a part of a longer one."""
    text, word = _folded(text), word.casefold()
    at = text.find(word) if word else -1
    while at >= 0:
        before = text[at - 1 : at] if at else ""
        begins = not before.isalnum() and before not in {".", "-", "@"}
        if begins and not after.match(text, at + len(word)):
            return True
        at = text.find(word, at + 1)
    return False


@lru_cache(maxsize=64)
def _folded(text: str) -> str:
    return plain(text).casefold()


@lru_cache(maxsize=64)
def _words(text: str) -> str:
    return " ".join(_folded(text).split())


def _unseen(content: str, held: str) -> Iterator[Refusal]:
    lines = content.split("\n")
    if "&" in content:
        # An HTML entity can also stand for an invisible character.
        lines.append(parse_rule_text(plain(content)).shown)
    for line in dict.fromkeys(lines):
        if line and line in held:
            continue
        for why in unseen(line):
            yield Refusal(RefusalKind.INVISIBLE, why)
