"""The command `show`: look at proposals."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from skillopt_sleep.cli.chosen import Chosen, named
from skillopt_sleep.cli.completing import proposal_ids
from skillopt_sleep.cli.console import BAD, BOLD, DIM, GOOD, say, say_all, say_json
from skillopt_sleep.cli.proposals_shown import cautions, documents, shown_trial
from skillopt_sleep.cli.settled import settled
from skillopt_sleep.cli.stored import opened_to_read
from skillopt_sleep.errors import StaleProposal
from skillopt_sleep.kit.clock import shown, utc_now
from skillopt_sleep.kit.markdown import spelled, visible
from skillopt_sleep.records import DONE, Proposal
from skillopt_sleep.stores.bank import ADOPTED, OPEN, WAITING, WITHDRAWN, Decided
from skillopt_sleep.stores.sqlite import SqliteStore

_DIFF_STYLES = {"+": GOOD, "-": BAD, "@": DIM}


def show(
    proposal: Annotated[
        str, typer.Argument(help="A proposal, as in P-0001; lists all by default.", autocompletion=proposal_ids)
    ] = "",
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the proposal as JSON.")] = False,
) -> None:
    """Show the exact change a proposal makes, and the evidence for it."""
    with opened_to_read() as store, settled(store):
        if not proposal:
            _list(store, as_json=as_json)
            return
        with TemporaryDirectory() as scratch:
            for one in named(store, proposal, scratch=Path(scratch)):
                _show(one, as_json=as_json)


def _show(one: Chosen, *, as_json: bool) -> None:
    decided = one.decided
    if as_json:
        say_json(decided.proposal)
        return
    title, *rest = _lines(decided)
    say((title, BOLD))
    say_all(rest)
    say("")
    for line in _diff(one.folder).splitlines():
        say((line, _DIFF_STYLES.get(line[:1], "")))
    name = decided.proposal.id
    if decided.state == ADOPTED:
        say(f"\nundo: skillopt-sleep undo {name}")
    elif decided.state in OPEN:
        say(f"\nadopt: skillopt-sleep adopt {name}      reject: skillopt-sleep reject {name}")


def _lines(decided: Decided) -> Iterator[str]:
    """Yield what the proposal changes, its cautions, its trial and the user's own words."""
    proposal = decided.proposal
    yield f"{proposal.id}  {documents(proposal)}  ({decided.state})"
    yield from _decision(decided)
    if proposal.label:
        yield f"{proposal.label[:1].upper()}{proposal.label[1:]}."
    yield from cautions(proposal)
    yield spelled(proposal.summary)
    for old in reversed(decided.earlier):
        yield f"Version {proposal.version}; version {old.version} of {old.night}: {spelled(old.summary)}"
    yield from shown_trial(proposal)
    if proposal.pair:
        yield proposal.pair
    if proposal.doubt:
        yield f"Note that {visible(proposal.doubt)}."
    yield from _evidence(proposal)


def _decision(decided: Decided) -> Iterator[str]:
    """Yield the reason for the decision on a proposal, if there is one."""
    if decided.reason and decided.state == WITHDRAWN:
        yield f"Withdrawn on {decided.decided[:10]}: {visible(decided.reason)}"
    elif decided.reason:
        yield f"Your reason: «{visible(decided.reason)}»"


def _evidence(proposal: Proposal) -> Iterator[str]:
    """Yield what the person said and did."""
    if proposal.sessions > 1:
        yield f"Learned from {proposal.sessions} sessions"
    for evidence in proposal.spoken[:5]:
        yield f"You said in {evidence.session}, turn {evidence.turn}: «{visible(evidence.quote)}»"
    for deed in proposal.deeds[:5]:
        what = f": «{visible(deed.what)}»" if deed.what else ""
        yield f"You {DONE[deed.kind]} in {deed.session}, turn {deed.turn}{what}"


def _list(store: SqliteStore, *, as_json: bool) -> None:
    proposals = store.bank.proposals()
    if as_json:
        say_json([_row(decided) for decided in proposals])
        return
    if not proposals:
        say("No proposals yet.")
    for decided in proposals:
        proposal = decided.proposal
        caution = f"Read twice ({proposal.touches}): " if proposal.touches else ""
        label = f"{proposal.label}: " if proposal.label else ""
        if decided.state == WAITING and decided.until and decided.until > utc_now():
            label = f"snoozed until {shown(decided.until)}: {label}"
        say(f"{proposal.id}  {decided.state:8}  {label}{caution}{spelled(proposal.summary)}")


def _row(decided: Decided) -> dict[str, object]:
    proposal = decided.proposal
    return {
        "id": proposal.id,
        "state": decided.state,
        "version": proposal.version,
        "proof": proposal.proof,
        "document": proposal.document,
        "summary": proposal.summary,
        "warnings": proposal.warnings,
    }


def _diff(folder: Path) -> str:
    try:
        return visible((folder / "change.diff").read_text(encoding="utf-8", errors="replace")).rstrip()
    except OSError as error:
        raise StaleProposal(
            f"can't read {folder}: {error.strerror}", remedy="reject it; a later night can propose it again"
        ) from error
