"""skillopt-sleep show, adopt, reject, undo: the decisions of a person."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated

import typer

from skillopt_sleep.cli.console import say, say_json, warn
from skillopt_sleep.cli.settled import settled
from skillopt_sleep.cli.stored import opened
from skillopt_sleep.errors import ConfigError, SleepError, StaleProposal
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import spelled, visible
from skillopt_sleep.proposals.adopt import adopt as put_live
from skillopt_sleep.proposals.journal import AdoptionState, Journal
from skillopt_sleep.proposals.undo import undo as take_back
from skillopt_sleep.records import Proposal
from skillopt_sleep.stores.bank import ADOPTED, OPEN, REJECTED, UNDONE, WAITING, Decided
from skillopt_sleep.stores.sqlite import SqliteStore

Ids = Annotated[list[str] | None, typer.Argument(help="Proposals, as in P-0001.")]
All = Annotated[bool, typer.Option("--all", help="Every waiting proposal.")]


def show(
    proposal: Annotated[
        str, typer.Argument(help="A proposal, as in P-0001; a list of all where none is named.")
    ] = "",
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the proposal as JSON.")] = False,
) -> None:
    """Show the exact change a proposal would make, and its proof."""
    with opened() as store, settled(store):
        if not proposal:
            _list(store, as_json=as_json)
            return
        found = _find(store, proposal)
        folder = _folder(store, found)
    if as_json:
        say_json(found.proposal)
        return
    one = found.proposal
    say(f"{one.id}  {spelled(one.document)}  ({found.state})")
    if found.reason:
        say(f"You said why: «{visible(found.reason)}»")
    for line in _cautions(one):
        say(line)
    say(spelled(one.summary))
    if one.before is not None and one.after is not None:
        interval = (
            f", gain {one.after - one.before:+.2f}, 90 % interval {one.interval[0]:+.2f} to {one.interval[1]:+.2f}"
            if one.interval
            else ""
        )
        say(f"Unseen tasks: {one.before:.2f} → {one.after:.2f} (n={one.n} pairs{interval}); {one.error_rate}")
    if one.doubt:
        say(f"Mind that {visible(one.doubt)}.")
    for evidence in one.evidence[:5]:
        say(f"You said in {evidence.session}, turn {evidence.turn}: «{visible(evidence.quote)}»")
    say("")
    say(_diff(folder))
    if found.state in OPEN:
        say(f"\nadopt: skillopt-sleep adopt {one.id}      reject: skillopt-sleep reject {one.id}")


def _cautions(proposal: Proposal) -> Iterator[str]:
    """The lines that a person should read twice, each with what it touches."""
    yield from (f"Read twice ({warning.kind.value}): «{visible(warning.line)}»" for warning in proposal.warnings)


def adopt(proposals: Ids = None, *, every: All = False) -> None:
    """Put proposals live, if the files are still the ones they were made for."""
    with opened() as store, settled(store) as journal:
        chosen = _chosen(store, proposals, every=every)
        refused = [error for found in chosen if (error := _adopt_one(store, journal, found))]
    for error in refused[:-1]:
        warn(f"skillopt-sleep: {error.message}\n  → {error.remedy}")
    if refused:
        raise refused[-1]


def _adopt_one(store: SqliteStore, journal: Journal, found: Decided) -> SleepError | None:
    """Put one live; the refusal where that isn't safe, so that the others still get their turn."""
    name = found.proposal.id
    if found.state == REJECTED:
        return ConfigError(f"{name} was rejected", remedy="only waiting proposals can be adopted")
    try:
        done = put_live(_folder(store, found), journal=journal, at=utc_now())
        # Told before it is banked: where the store can't be written, the file is changed all the same.
        path = spelled(done.path)
        for line in _cautions(found.proposal):
            say(line)
        say(f"{name} is adopted already: {path}" if done.already else f"adopted {name}: wrote {path}")
        say(f"  take it back: skillopt-sleep undo {name}")
        _decide(store, name, ADOPTED, leaving=(*OPEN, ADOPTED))
    except SleepError as error:
        return error
    return None


def reject(
    proposals: Ids = None,
    *,
    every: All = False,
    reason: Annotated[str, typer.Option(help="Why, for your own memory.")] = "",
) -> None:
    """Drop proposals; the same edit is not tried again."""
    with opened() as store, settled(store):
        chosen = _chosen(store, proposals, every=every)
        # What is rejected can't be taken back, so all of them are or none.
        if live := next((found.proposal.id for found in chosen if found.state == ADOPTED), ""):
            raise ConfigError(f"{live} is adopted: nothing was rejected", remedy=f"skillopt-sleep undo {live} first")
        for found in chosen:
            _decide(store, found.proposal.id, REJECTED, reason=reason or found.reason, leaving=(*OPEN, REJECTED))
            say(f"rejected {found.proposal.id}: this edit of {spelled(found.proposal.document)} is not tried again")


def undo(proposals: Ids = None) -> None:
    """Take adopted proposals back: the exact bytes of before."""
    with opened() as store, settled(store) as journal:
        for name in [_adopted(store, journal, name) for name in proposals or _last_adopted(store, journal)]:
            back = take_back(name, journal=journal, at=utc_now())
            now = "has its text of before" if back.already and not back.removed else "is as it was before"
            say(f"undone {name}: {spelled(back.path)} {now}")
            if back.folders_left:
                say(
                    f"  the disk kept an empty folder, {spelled(back.folders_left[-1])}: the next command tries again"
                )
            # A store that was begun anew doesn't know the proposal, only the journal does.
            if store.bank.decide(name, UNDONE, at=utc_now(), leaving=(ADOPTED, UNDONE)):
                say(f"  put it live again: skillopt-sleep adopt {name}")


def _last_adopted(store: SqliteStore, journal: Journal) -> list[str]:
    banked = sorted(store.bank.proposals(ADOPTED), key=lambda found: found.decided)
    live = [entry.proposal for entry in journal.entries() if entry.state is AdoptionState.DONE]
    last = [found.proposal.id for found in banked][-1:] or live[-1:]
    if not last:
        raise ConfigError("nothing is adopted", remedy="see: skillopt-sleep show")
    return last


def _adopted(store: SqliteStore, journal: Journal, name: str) -> str:
    """The id of what is adopted, as the journal says or the store; ConfigError where it isn't."""
    entry = journal.get(name.upper())
    if entry is None or entry.state is not AdoptionState.DONE:
        found = _find(store, name)
        if found.state != ADOPTED:
            raise ConfigError(f"{found.proposal.id} is {found.state}, not adopted", remedy="see: skillopt-sleep show")
    return name.upper()


def _decide(store: SqliteStore, name: str, state: str, *, leaving: Collection[str], reason: str = "") -> None:
    if not store.bank.decide(name, state, at=utc_now(), reason=reason, leaving=leaving):
        raise ConfigError(
            f"{name} was decided on by another program meanwhile", remedy=f"see: skillopt-sleep show {name}"
        )


def _list(store: SqliteStore, *, as_json: bool) -> None:
    decided = store.bank.proposals()
    if as_json:
        rows = [
            {
                "id": one.id,
                "state": state,
                "document": one.document,
                "summary": one.summary,
                "warnings": one.warnings,
            }
            for one, state in ((decision.proposal, decision.state) for decision in decided)
        ]
        say_json(rows)
        return
    if not decided:
        say("no proposals yet")
    for found in decided:
        touches = f"Read twice ({found.proposal.touches}): " if found.proposal.touches else ""
        say(f"{found.proposal.id}  {found.state:8}  {touches}{spelled(found.proposal.summary)}")


def _diff(folder: Path) -> str:
    try:
        return visible((folder / "change.diff").read_text(encoding="utf-8", errors="replace")).rstrip()
    except OSError as error:
        raise StaleProposal(
            f"{folder} is gone: {error.strerror}", remedy="reject it; a night can propose it again"
        ) from error


def _chosen(store: SqliteStore, names: list[str] | None, *, every: bool) -> list[Decided]:
    if every and names:
        raise ConfigError("--all names every waiting proposal", remedy="name some, or --all, not both")
    if every:
        waits = list(store.bank.proposals(WAITING))
        if not waits:
            say("nothing waits")
        return waits
    if not names:
        waiting = ", ".join(found.proposal.id for found in store.bank.proposals(WAITING)) or "none"
        raise ConfigError("no proposal is named", remedy=f"name one, or --all; waiting: {waiting}")
    return [_find(store, name) for name in names]


def _find(store: SqliteStore, name: str) -> Decided:
    known = store.bank.proposals()
    found = next((one for one in known if one.proposal.id == name.upper()), None)
    if found is None:
        ids = ", ".join(one.proposal.id for one in known[-5:]) or "none yet"
        raise ConfigError(f"there is no proposal {name!r}", remedy=f"the last ones: {ids}")
    return found


def _folder(store: SqliteStore, found: Decided) -> Path:
    return store.folder(found.proposal.night) / "proposals" / found.proposal.id
