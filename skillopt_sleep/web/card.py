"""Put the card of a rule together: all that a person sees of it, and what they can do."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import dropwhile

from skillopt_sleep.deciding.read import Seen
from skillopt_sleep.deciding.shown import shown_of
from skillopt_sleep.errors import ProposalError
from skillopt_sleep.kit.markdown import visible
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.kit.word_diff import Row, word_diff
from skillopt_sleep.pages.interval import Dot
from skillopt_sleep.proposals.reword import wording
from skillopt_sleep.records import Proposal, Record
from skillopt_sleep.reporters.card import Change, Rule
from skillopt_sleep.reporters.decided import sleeps
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.reporters.page.decisions import dots
from skillopt_sleep.reporters.statistics import TESTED_NEXT, places, statistics
from skillopt_sleep.stores.bank import OPEN, UNDONE, WAITING, WITHDRAWN, Decided
from skillopt_sleep.web.ways import Way, became, way_of


class ChangedFile(Record, frozen=True, kw_only=True):
    """A file and the places that change in it; others change in the same way."""

    document: str
    places: list[list[Row]]
    same_in: tuple[str, ...] = ()


class Card(Record, frozen=True, kw_only=True):
    """A rule and what can be done with it.

    `state` is what was decided, "" if nothing was, and `way` leads back from that. `shown` tells whether the rule is
    still as on this page. One that `waits` can be adopted and rejected, with a `wording` edited, and with `later` put
    off. It has so many `rules`; `part_of` is the proposal that it isn't divided from yet, which has `together`.
    """

    rule: Rule
    state: str
    waits: bool
    later: bool
    way: Way | None
    shown: str
    notes: tuple[str, ...]
    dots: tuple[tuple[str, Dot], ...]
    files: tuple[ChangedFile, ...]
    staged: tuple[tuple[str, str], ...]
    statistics: tuple[str, ...]
    places: tuple[str, ...]
    wording: str
    rules: int
    part_of: str
    together: int


def card_of(seen: Seen, *, now: datetime) -> Card:
    """Return the card of a proposal."""
    decided, waiting = seen.decided, seen.waiting
    proposal, whole = waiting.proposal, waiting.whole
    waits, asleep = decided.state in OPEN, sleeps(decided, now=now)
    return Card(
        rule=waiting.rule,
        state=_state(decided, now=now) if not waits or decided.state == UNDONE or asleep else "",
        waits=waits,
        later=waits and decided.state != UNDONE and not asleep,
        way=way_of(decided, now=now),
        shown=shown_of(waiting),
        notes=tuple(_notes(seen)),
        dots=tuple(dots(proposal)),
        files=tuple(files_of(waiting.rule.changes)),
        staged=() if waiting.rule.changes else tuple(_staged(seen.staged)),
        statistics=tuple(statistics(proposal, whole)),
        places=tuple(places(proposal)),
        wording=_wording(proposal) if waits else "",
        rules=len(proposal.edits),
        part_of=whole.id if whole.id != proposal.id and waiting.divides else "",
        together=len(whole.edits),
    )


def files_of(changes: Sequence[Change]) -> Iterator[ChangedFile]:
    """Yield each change once, with the files that change in the same way."""
    left = list(changes)
    while left:
        first = left.pop(0)
        same = [other for other in left if other.new == first.new]
        left = [other for other in left if other not in same]
        # Redacted before they are compared: a secret that is cut into words can't be told any more.
        rows = places_of(redact(first.old), redact(first.new))
        yield ChangedFile(document=first.document, places=rows, same_in=tuple(other.document for other in same))


def places_of(old: str, new: str) -> list[list[Row]]:
    """Return the places that change in a text; the first begins with a line that has words."""
    found = word_diff(old, new)
    return [list(dropwhile(_is_blank, place)) for place in found[:1]] + found[1:]


def _is_blank(row: Row) -> bool:
    return row.sign == " " and not any(piece.text.strip() for piece in row.pieces)


def _state(decided: Decided, *, now: datetime) -> str:
    """Return what was decided, and why."""
    words = became(decided, now=now)
    if not decided.reason:
        return words
    if decided.state == WITHDRAWN:
        return f"{words} Withdrawn on {decided.decided[:10]}: {decided.reason}"
    return f"{words} Your reason: «{decided.reason}»"


def _notes(seen: Seen) -> Iterator[str]:
    """Yield what waits to be tested, and what else should be known before a decision."""
    decided, proposal = seen.decided, seen.decided.proposal
    if decided.again and decided.state == WAITING:
        yield TESTED_NEXT
    if proposal.pair:
        yield sentence(proposal.pair)
    if proposal.doubt:
        yield sentence(f"note that {proposal.doubt}")


def _staged(diff: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a change as it was staged, each with its sign; a file's name has none."""
    for line in redact(diff).splitlines():
        if line.startswith("+++ "):
            yield "", visible(line.removeprefix("+++ ").removeprefix("b/").partition("\t")[0])
        elif not line.startswith(("---", "@@")):
            yield line[:1] if line[:1] in "+-" else " ", visible(line[1:])


def _wording(proposal: Proposal) -> str:
    try:
        return wording(proposal)
    except ProposalError:
        return ""
