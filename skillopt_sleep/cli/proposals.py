"""The commands `show`, `adopt`, `reject` and `undo`: a person decides on proposals."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated

import typer

from skillopt_sleep.cli.console import say, say_json, warn
from skillopt_sleep.cli.proposals_shown import shown_trial
from skillopt_sleep.cli.settled import settled
from skillopt_sleep.cli.stored import opened
from skillopt_sleep.errors import ConfigError, SleepError, StaleProposal
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import spelled, visible
from skillopt_sleep.proposals.adopt import adopt as put_live
from skillopt_sleep.proposals.journal import AdoptionState, Journal
from skillopt_sleep.proposals.undo import undo as take_back
from skillopt_sleep.records import DONE, Proposal
from skillopt_sleep.stores.bank import ADOPTED, OPEN, REJECTED, UNDONE, WAITING, WITHDRAWN, Decided
from skillopt_sleep.stores.sqlite import SqliteStore

Ids = Annotated[list[str] | None, typer.Argument(help="Proposals, as in P-0001.")]
All = Annotated[bool, typer.Option("--all", help="Every waiting proposal.")]


def show(
    proposal: Annotated[str, typer.Argument(help="A proposal, as in P-0001; lists all by default.")] = "",
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the proposal as JSON.")] = False,
) -> None:
    """Show the exact change a proposal makes, and the evidence for it."""
    with opened() as store, settled(store):
        if not proposal:
            _list(store, as_json=as_json)
            return
        decided = _find(store, proposal)
        folder = _folder(store, decided)
    if as_json:
        say_json(decided.proposal)
        return
    for line in _lines(decided):
        say(line)
    say("")
    say(_diff(folder))
    name = decided.proposal.id
    if decided.state == ADOPTED:
        say(f"\nundo: skillopt-sleep undo {name}")
    elif decided.state in OPEN:
        say(f"\nadopt: skillopt-sleep adopt {name}      reject: skillopt-sleep reject {name}")


def _lines(decided: Decided) -> Iterator[str]:
    """Yield what the proposal changes, its cautions, its trial and the user's own words."""
    proposal = decided.proposal
    yield f"{proposal.id}  {_documents(proposal)}  ({decided.state})"
    yield from _decision(decided)
    if proposal.label:
        yield f"{proposal.label[:1].upper()}{proposal.label[1:]}."
    yield from _cautions(proposal)
    yield spelled(proposal.summary)
    for old in reversed(decided.earlier):
        yield f"Version {proposal.version}; version {old.version} of {old.night}: {spelled(old.summary)}"
    yield from shown_trial(proposal)
    if proposal.pair:
        yield proposal.pair
    if proposal.doubt:
        yield f"Note that {visible(proposal.doubt)}."
    yield from _evidence(proposal)


def _documents(proposal: Proposal) -> str:
    return " and ".join(spelled(file.document) for file in proposal.files)


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


def _cautions(proposal: Proposal) -> Iterator[str]:
    """Yield the lines that a person should read twice, each with what it touches."""
    for warning in proposal.warnings:
        yield f"Read twice ({warning.kind.value}): «{visible(warning.line)}»"


def adopt(proposals: Ids = None, *, every: All = False) -> None:
    """Put proposals live, unless their file has changed since the night.

    --all takes those that a trial has proven.
    """
    refusals: list[SleepError] = []
    with opened() as store, settled(store) as journal:
        for decided in _chosen(store, proposals, every=every):
            if every and decided.proposal.label:
                name = decided.proposal.id
                say(f"Left out {name} ({decided.proposal.label}): skillopt-sleep adopt {name}")
                continue
            error = _adopt_one(store, journal, decided)
            if error:
                refusals.append(error)
    for error in refusals[:-1]:
        warn(f"skillopt-sleep: {error.message}\n  → {error.remedy}")
    if refusals:
        raise refusals[-1]


def _adopt_one(store: SqliteStore, journal: Journal, decided: Decided) -> SleepError | None:
    """Put one proposal live; return the error if that isn't safe, so that the others still get their turn."""
    name = decided.proposal.id
    if decided.state == REJECTED:
        return ConfigError(f"{name} was rejected", remedy="only what waits or was undone can be adopted")
    if decided.state == WITHDRAWN:
        return ConfigError(
            f"{name} was withdrawn: {decided.reason}", remedy="only what waits or was undone can be adopted"
        )
    try:
        adopted = put_live(_folder(store, decided), journal=journal, at=utc_now())
        # Printed before the bank is written: if the store is full or read-only, the file has changed all the same.
        path = " and ".join(spelled(written) for written in (adopted.path, *adopted.also))
        for line in _cautions(decided.proposal):
            say(line)
        if adopted.already:
            say(f"{name} was already adopted: {path}")
        else:
            say(f"Adopted {name}: wrote {path}")
        say(f"  undo: skillopt-sleep undo {name}")
        _decide(store, name, ADOPTED, leaving=(*OPEN, ADOPTED))
    except SleepError as error:
        return error
    return None


def reject(
    proposals: Ids = None,
    *,
    every: All = False,
    reason: Annotated[str, typer.Option(help="Why, as a note to yourself.")] = "",
) -> None:
    """Turn proposals down. The same edit is not tried again."""
    with opened() as store, settled(store):
        chosen = _chosen(store, proposals, every=every)
        # Rejecting can't be undone, so reject all of them or none.
        for decided in chosen:
            if decided.state == ADOPTED:
                name = decided.proposal.id
                raise ConfigError(
                    f"{name} is adopted, so nothing was rejected", remedy=f"first run: skillopt-sleep undo {name}"
                )
        for decided in chosen:
            name, documents = decided.proposal.id, _documents(decided.proposal)
            if decided.state == WITHDRAWN:
                say(f"{name} was withdrawn already")
                continue
            _decide(store, name, REJECTED, reason=reason or decided.reason, leaving=(*OPEN, REJECTED))
            say(f"Rejected {name}: this edit of {documents} will not be tried again")


def undo(
    proposals: Annotated[
        list[str] | None, typer.Argument(help="Proposals, as in P-0001; the one adopted last by default.")
    ] = None,
) -> None:
    """Undo adopted proposals, restoring the exact bytes from before."""
    with opened() as store, settled(store) as journal:
        names = proposals or _last_adopted(store, journal)
        for name in [_adopted(store, journal, name) for name in names]:
            undone = take_back(name, journal=journal, at=utc_now())
            if undone.already and not undone.removed:
                result = "already has its earlier text"
            else:
                result = "is as it was before"
            for path in (undone.path, *undone.also):
                say(f"Undid {name}: {spelled(path)} {result}")
            if undone.folders_left:
                folder = spelled(undone.folders_left[-1])
                say(f"  could not remove the empty folder {folder}; the next command tries again")
            # After the store was recreated only the journal knows the proposal.
            if store.bank.decide(name, UNDONE, at=utc_now(), leaving=(ADOPTED, UNDONE)):
                say(f"  adopt it again: skillopt-sleep adopt {name}")


def _last_adopted(store: SqliteStore, journal: Journal) -> list[str]:
    """Return the id of the proposal adopted last, from the bank or else from the journal; ConfigError if none is."""
    adopted = sorted(store.bank.proposals(ADOPTED), key=lambda decided: decided.decided)
    if adopted:
        return [adopted[-1].proposal.id]
    live = [entry.proposal for entry in journal.entries() if entry.state is AdoptionState.DONE]
    if not live:
        raise ConfigError("no proposal is adopted", remedy="see: skillopt-sleep show")
    return [live[-1]]


def _adopted(store: SqliteStore, journal: Journal, name: str) -> str:
    """Return the id of an adopted proposal; ConfigError if neither the journal nor the store knows it as adopted.

    One that stopped half-way can be undone if its files allow it.
    """
    entry = journal.get(name.upper())
    if entry is None or entry.state not in {AdoptionState.DONE, AdoptionState.INTERRUPTED}:
        decided = _find(store, name)
        if decided.state != ADOPTED:
            raise ConfigError(
                f"{decided.proposal.id} is {decided.state}, not adopted", remedy="see: skillopt-sleep show"
            )
    return name.upper()


def _decide(store: SqliteStore, name: str, state: str, *, leaving: Collection[str], reason: str = "") -> None:
    if not store.bank.decide(name, state, at=utc_now(), reason=reason, leaving=leaving):
        raise ConfigError(
            f"another program decided on {name} in the meantime", remedy=f"see: skillopt-sleep show {name}"
        )


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


def _chosen(store: SqliteStore, names: list[str] | None, *, every: bool) -> list[Decided]:
    if every and names:
        raise ConfigError(
            "--all already covers every waiting proposal", remedy="name proposals or use --all, not both"
        )
    if every:
        waiting = list(store.bank.proposals(WAITING))
        if not waiting:
            say("No proposals are waiting.")
        return waiting
    if not names:
        ids = ", ".join(decided.proposal.id for decided in store.bank.proposals(WAITING)) or "none"
        raise ConfigError("no proposal is named", remedy=f"name one, or use --all; waiting: {ids}")
    return [_find(store, name) for name in names]


def _find(store: SqliteStore, name: str) -> Decided:
    proposals = store.bank.proposals()
    for decided in proposals:
        if decided.proposal.id == name.upper():
            return decided
    ids = ", ".join(decided.proposal.id for decided in proposals[-5:]) or "none yet"
    raise ConfigError(f"there is no proposal {name!r}", remedy=f"the last ones: {ids}")


def _folder(store: SqliteStore, decided: Decided) -> Path:
    return store.folder(decided.proposal.night) / "proposals" / decided.proposal.id
