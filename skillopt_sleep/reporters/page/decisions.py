"""Choose what the page shows of each proposal, those that wait first and the best proven of them on top."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.kit.clock import shown
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.kit.word_diff import Row, word_diff
from skillopt_sleep.pages.interval import Dot, dot
from skillopt_sleep.records import NightReport, Proof, Proposal, is_of, tries
from skillopt_sleep.reporters.card import Change, Rule
from skillopt_sleep.reporters.cards import answers, rule_of, said, waiting_first
from skillopt_sleep.reporters.gains import both_arms
from skillopt_sleep.reporters.proposed import proof

MOST_SAID = 4
MOST_CHANGED = 40  # lines of a change that are shown

# Where a staged proposal keeps the text it starts from and the one it ends with.
_BEFORE, _AFTER = "base", "result"


class File(NamedTuple):
    """A file and the places that change in it; `more` lines of the change are in the file change.diff."""

    document: str
    places: list[list[Row]]
    more: int


class Decision(NamedTuple):
    """A proposal as a card: what there is to decide, and whether it `waits` for that.

    `dots` are its measured gains by what measured them, `arms` what was solved without it and with it, and
    `statistics` what the other sentences leave out.
    """

    rule: Rule
    waits: bool
    dots: list[tuple[str, Dot]]
    files: list[File]
    statistics: list[str]
    pair: str
    arms: str


def decisions(report: NightReport, folder: Path | None, waits: Collection[str]) -> list[Decision]:
    """Return a card for each proposal of a night; its `folder`, if there is one, has their texts and the answers."""
    ordered = waiting_first(report.proposals, waits)
    return [_decision(proposal, report, folder, waits=is_of(proposal, waits)) for proposal in ordered]


def _decision(proposal: Proposal, report: NightReport, folder: Path | None, *, waits: bool) -> Decision:
    changes = list(_changes(proposal, folder)) if folder else []
    told = answers(proposal, report, folder) if folder else None
    rule = rule_of(proposal, changes, told, now=report.ended, whole=proposal)
    rule = rule._replace(said=said(proposal, shown)[:MOST_SAID])
    return Decision(
        rule=rule,
        waits=waits,
        dots=list(dots(proposal)),
        files=[_file(change) for change in changes],
        statistics=[line for line in proof(proposal, verbose=True) if line not in rule.proof],
        pair=proposal.pair,
        arms=both_arms(proposal.solved) if proposal.solved else "",
    )


def dots(proposal: Proposal) -> Iterator[tuple[str, Dot]]:
    """Yield the gain of the trial, and that of the round after it, which the choice didn't flatter."""
    if proposal.proof is Proof.EDITED:
        return
    if proposal.before is not None and proposal.after is not None:
        yield "trial", dot(proposal.before, proposal.after, proposal.interval, tries(proposal.n))
    fresh = proposal.fresh
    if fresh.before is not None and fresh.after is not None:
        yield "asked once more", dot(fresh.before, fresh.after, fresh.interval, tries(fresh.n))


def _changes(proposal: Proposal, folder: Path) -> Iterator[Change]:
    """Yield what the proposal changes in each of its files, by the texts that were staged with it.

    They are redacted before they are compared: a secret that is cut into words can't be told any more.
    """
    staged = folder.parent / proposal.night / "proposals" / proposal.id
    for index, file in enumerate(proposal.files):
        ending = f"-{index + 1}" if index else ""
        before, after = _text(staged / f"{_BEFORE}{ending}"), _text(staged / f"{_AFTER}{ending}")
        if after is not None:
            yield Change(file.document, redact(before or ""), redact(after))


def _file(change: Change) -> File:
    places: list[list[Row]] = []
    left = MOST_CHANGED
    more = 0
    for place in word_diff(change.old, change.new):
        if place[:left]:
            places.append(place[:left])
        more += len(place[left:])
        left = max(left - len(place), 0)
    return File(change.document, places, more)


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode(errors="replace").removeprefix("\ufeff")
    except OSError:
        return None
