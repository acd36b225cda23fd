"""The static edit gate: what an edit may bring into a file that an agent reads, whatever the trial said of it.

An adopted line speaks to an agent with a shell, every day. So it may be prose, lists, headings, tables and inline
code, in any script and with emoji. More than that, as code blocks, HTML, links or addresses, and commands that fetch
and run, install, delete or lift a permission, stays only where the person's own words, or the document, held it.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from skillopt_sleep.kit.redact import secrets
from skillopt_sleep.proposals.guard.addresses import addresses
from skillopt_sleep.proposals.guard.commands import commands, tells
from skillopt_sleep.proposals.guard.installs import base_name
from skillopt_sleep.proposals.guard.known import Known
from skillopt_sleep.proposals.guard.loading import loaded
from skillopt_sleep.proposals.guard.seen import plain, show, unmasked, unseen
from skillopt_sleep.proposals.guard.structure import Found, read
from skillopt_sleep.proposals.guard.unread import unread
from skillopt_sleep.records import NEVER_ALLOWED, RefusalKind

LIMIT = 2_000


class Refusal(NamedTuple):
    """The class of what can't be added, and why in a short sentence."""

    kind: RefusalKind
    why: str

    @property
    def sentence(self) -> str:
        """Why, and the class that `guard.allow` would have to name, where it can."""
        return self.why if self.kind in NEVER_ALLOWED else f"{self.why} ({self.kind}, see guard.allow)"


def problems(
    content: str, *, evidence: Sequence[str], held: str = "", allowed: Collection[str] = ()
) -> tuple[str, ...]:
    """Why this text can't be added, one short sentence each with its class; empty where it can."""
    return tuple(one.sentence for one in refusals(content, evidence=evidence, held=held, allowed=allowed))


def refusals(
    content: str, *, evidence: Sequence[str], held: str = "", allowed: Collection[str] = ()
) -> tuple[Refusal, ...]:
    """Everything that keeps this text from being added, but for the classes that the user allows.

    `evidence` is the words of the user that found the edit, `held` the document before it: the very thing that stands
    in either may stand in the edit.
    """
    if not content.strip():
        return (Refusal(RefusalKind.EMPTY, "it is empty"),)
    if len(content) > LIMIT and RefusalKind.LENGTH not in allowed:
        why = f"it has {len(content):,} characters, more than {LIMIT:,}"
        return (Refusal(RefusalKind.LENGTH, why),)
    known = Known(evidence, held)
    found = (_why(*one) for one in _found(content) if not _is_known(one, known))
    seen = [*found, *_unseen(content, known), *_secrets(content)]
    return tuple(one for one in dict.fromkeys(seen) if one.kind in NEVER_ALLOWED or one.kind not in allowed)


def joined(content: str, *, evidence: Sequence[str], held: str, allowed: Collection[str] = ()) -> tuple[str, ...]:
    """The commands that lines make together which none of them holds by itself."""
    known = Known(evidence, held)
    found = [_why(*one) for one in commands(read(plain(content))) if not _is_known(one, known)]
    return tuple(one.sentence for one in dict.fromkeys(found) if one.kind not in allowed)


def _found(content: str) -> Iterator[Found]:
    # What stands behind look-alikes and hidden characters is judged too, not only what the bytes say.
    folded = plain(content)
    text = read(folded)
    yield from loaded(content, folded, text.prose)
    yield from text.found
    yield from unread(content, folded)
    yield from commands(text)
    for address in addresses(*dict.fromkeys((folded, unmasked(folded), plain(text.shown)))):
        yield RefusalKind.ADDRESS, "holds an address that your words don't name", address


def _why(kind: RefusalKind, what: str, thing: str) -> Refusal:
    return Refusal(kind, f"it {what}: {show(thing)}")


def _is_known(found: Found, known: Known) -> bool:
    kind, _, thing = found
    checks: dict[RefusalKind, Callable[[], bool]] = {
        RefusalKind.MARKER: lambda: False,
        RefusalKind.ADDRESS: lambda: known.names(thing.rstrip("/")),
        RefusalKind.LINK: lambda: known.names(thing.rstrip("/")),
        RefusalKind.IMAGE: lambda: known.names(thing.rstrip("/")),
        RefusalKind.IMPORT: lambda: known.names(thing),
        RefusalKind.INSTALL: lambda: known.names_package(thing) or known.names_package(base_name(thing)),
        RefusalKind.FETCH_AND_RUN: lambda: known.says(thing, told=tells),
        RefusalKind.DELETE: lambda: known.says(thing, told=tells),
        RefusalKind.PERMISSION: lambda: known.says(thing, told=tells),
        RefusalKind.BLANK_RUN: lambda: known.held_line(thing),
    }
    return checks.get(kind, lambda: known.holds(thing))()


def _unseen(content: str, known: Known) -> Iterator[Refusal]:
    # An entity is a character too, and no plain text hides it.
    shown = read(plain(content)).shown if "&" in content else ""
    for line in dict.fromkeys((*content.split("\n"), shown)):
        if not known.held_line(line):
            yield from (Refusal(RefusalKind.INVISIBLE, why) for why in unseen(line))


def _secrets(content: str) -> Iterator[Refusal]:
    for kind in (*secrets(content), *secrets(plain(content))):
        yield Refusal(RefusalKind.SECRET, f"it holds a secret ({kind})")
