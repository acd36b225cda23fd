"""Guard the files that agents read: refuse what no edit may add, whatever its trial said.

An adopted line speaks every day to an agent with a shell. So it may be prose, lists, headings, tables and inline
code, in any script and with emoji. Anything else, such as code blocks, HTML, links and addresses, or commands that
download and run, install, delete or lift a permission, must be in the person's own words or in the document already.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from skillopt_sleep.kit.redact import secrets
from skillopt_sleep.proposals.guard.addresses import addresses
from skillopt_sleep.proposals.guard.commands import commands, tells
from skillopt_sleep.proposals.guard.installs import base_name
from skillopt_sleep.proposals.guard.known import Known
from skillopt_sleep.proposals.guard.loading import loaded
from skillopt_sleep.proposals.guard.seen import plain, show, unmasked, unseen
from skillopt_sleep.proposals.guard.structure import Finding, read
from skillopt_sleep.proposals.guard.unread import unread
from skillopt_sleep.records import NEVER_ALLOWED, RefusalKind

LIMIT = 2_000


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
    known = Known(evidence, held)
    reasons = list(_unknown(_findings(content), known))
    reasons += _unseen(content, known)
    reasons += _secrets(content)
    ignored = set(allowed) - NEVER_ALLOWED
    return tuple(refusal for refusal in dict.fromkeys(reasons) if refusal.kind not in ignored)


def joined(content: str, *, evidence: Sequence[str], held: str, allowed: Collection[str] = ()) -> tuple[str, ...]:
    """Return the reasons against commands that lines make together and none of them contains by itself."""
    known = Known(evidence, held)
    reasons = dict.fromkeys(_unknown(commands(read(plain(content))), known))
    return tuple(refusal.sentence for refusal in reasons if refusal.kind not in allowed)


def _findings(content: str) -> Iterator[Finding]:
    # Judge the text that look-alikes and hidden characters disguise, too.
    folded = plain(content)
    text = read(folded)
    yield from loaded(content, folded, text.prose)
    yield from text.findings
    yield from unread(content, folded)
    yield from commands(text)
    for address in addresses(*dict.fromkeys((folded, unmasked(folded), plain(text.shown)))):
        yield RefusalKind.ADDRESS, "holds an address that you didn't mention", address


def _unknown(findings: Iterable[Finding], known: Known) -> Iterator[Refusal]:
    """Yield a refusal for each finding that neither the person's words nor the document contain."""
    for finding in findings:
        if not _is_known(finding, known):
            kind, what, thing = finding
            yield Refusal(kind, f"it {what}: {show(thing)}")


def _is_known(finding: Finding, known: Known) -> bool:
    """Return whether the person's words or the document contain what was found."""
    kind, _, thing = finding
    checks: dict[RefusalKind, Callable[[], bool]] = {
        RefusalKind.MARKER: lambda: False,
        RefusalKind.ADDRESS: lambda: known.names(thing.rstrip("/")),
        RefusalKind.LINK: lambda: known.names(thing.rstrip("/")),
        RefusalKind.IMAGE: lambda: known.names(thing.rstrip("/")),
        RefusalKind.IMPORT: lambda: known.names(thing),
        RefusalKind.INSTALL: lambda: known.names_package(thing) or known.names_package(base_name(thing)),
        RefusalKind.FETCH_AND_RUN: lambda: known.says(thing, tells),
        RefusalKind.DELETE: lambda: known.says(thing, tells),
        RefusalKind.PERMISSION: lambda: known.says(thing, tells),
        RefusalKind.BLANK_RUN: lambda: known.held_line(thing),
    }
    return checks.get(kind, lambda: known.holds(thing))()


def _unseen(content: str, known: Known) -> Iterator[Refusal]:
    lines = content.split("\n")
    if "&" in content:
        # An HTML entity can also stand for an invisible character.
        lines.append(read(plain(content)).shown)
    for line in dict.fromkeys(lines):
        if known.held_line(line):
            continue
        for why in unseen(line):
            yield Refusal(RefusalKind.INVISIBLE, why)


def _secrets(content: str) -> Iterator[Refusal]:
    for kind in (*secrets(content), *secrets(plain(content))):
        yield Refusal(RefusalKind.SECRET, f"it holds a secret ({kind})")
