"""The commands `adopt`, `reject` and `snooze`: a person decides on what waits."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from skillopt_sleep.cli.agreed import Preview, with_consent
from skillopt_sleep.cli.chosen import chosen
from skillopt_sleep.cli.completing import proposal_ids
from skillopt_sleep.cli.console import say
from skillopt_sleep.cli.proposals_shown import cautions, documents
from skillopt_sleep.cli.settled import settled
from skillopt_sleep.deciding.chosen import Chosen
from skillopt_sleep.deciding.stored import opened, opened_to_read
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.clock import shown, utc_now
from skillopt_sleep.kit.markdown import spelled
from skillopt_sleep.proposals.adopt import adopt as put_live
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import Plan, plan_adoption
from skillopt_sleep.proposals.stage import read_proposal
from skillopt_sleep.settings import seconds
from skillopt_sleep.stores.bank import ADOPTED, OPEN, REJECTED, WAITING, WITHDRAWN
from skillopt_sleep.stores.sqlite import SqliteStore

Ids = Annotated[
    list[str] | None,
    typer.Argument(help="Proposals, as in P-0001; or one rule of it, as in P-0001.2.", autocompletion=proposal_ids),
]
All = Annotated[bool, typer.Option("--all", help="Every waiting proposal that a trial has proven.")]
AllToo = Annotated[
    bool, typer.Option("--all", help="Every waiting proposal; with --undo, every one that --undo can take back.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Agree beforehand: your own edits of our rules are merged.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be written, and write nothing.")]
_LENGTH = re.compile(r"[1-9][0-9]{0,3}[hd]")


def adopt(proposals: Ids = None, *, every: All = False, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Put proposals live. Whatever else you wrote in their files stays.

    --all leaves out what is early or untested: name those. Where you edited our rules by hand, you are shown the
    merge and asked.
    """
    adopt_named(proposals or (), every=every, yes=yes, dry_run=dry_run)


def adopt_named(names: Sequence[str], *, every: bool, yes: bool, dry_run: bool) -> None:
    """Put these proposals live, or show what that would write."""
    if dry_run:
        _preview(names, every=every)
        return
    done: set[str] = set()

    def act(agreed: Mapping[str, Plan]) -> list[SleepError]:
        refusals: list[SleepError] = []
        with opened() as store, settled(store) as journal:
            for one in chosen(store, names, every=every):
                if one.name in done:
                    continue
                error = None if every and _is_left_out(one) else adopt_one(store, journal, one, agreed)
                if error:
                    refusals.append(error)
                else:
                    done.add(one.name)
        return refusals

    with_consent(act, yes=yes)


def _is_left_out(one: Chosen) -> bool:
    """Say that a proposal which isn't proven is left out, if it isn't."""
    proposal = one.decided.proposal
    if not proposal.is_proven:
        say(f"Left out {one.name} ({proposal.label}): skillopt-sleep adopt {one.name}")
    return not proposal.is_proven


def adopt_one(store: SqliteStore, journal: Journal, one: Chosen, agreed: Mapping[str, Plan]) -> SleepError | None:
    """Put one proposal live; return the error if that isn't safe, so that the others still get their turn."""
    name = one.name
    error = closed(one)
    if error:
        return error
    try:
        adopted = put_live(one.folder, journal=journal, at=utc_now(), agreed=agreed.get(name))
        # Printed before the bank is written: if the store is full or read-only, the file has changed all the same.
        path = " and ".join(spelled(written) for written in (adopted.path, *adopted.also))
        if one.decided.proposal.label:
            say(f"{name} is {one.decided.proposal.label}")
        for line in cautions(one.decided.proposal):
            say(line)
        if adopted.already:
            say(f"{name} was already adopted: {path}")
        else:
            say(f"Adopted {name}: wrote {path}")
        say(f"  undo: skillopt-sleep undo {name}")
        if not adopted.already or one.decided.state != ADOPTED:
            _decide(store, name, ADOPTED, leaving=(*OPEN, ADOPTED))
    except SleepError as error:
        return error
    return None


def closed(one: Chosen) -> ConfigError | None:
    """Return the error for a proposal that can't be adopted any more."""
    if one.decided.state == REJECTED:
        return ConfigError(
            f"{one.name} was rejected", remedy=f"take that back: skillopt-sleep reject --undo {one.name}"
        )
    if one.decided.state == WITHDRAWN:
        return ConfigError(
            f"{one.name} was withdrawn: {one.decided.reason}", remedy="only what waits or was undone can be adopted"
        )
    return None


def _preview(names: Sequence[str], *, every: bool) -> None:
    """Show what adopting these proposals would write."""
    preview = Preview()
    with TemporaryDirectory() as scratch, opened_to_read() as store, settled(store) as journal:
        for one in chosen(store, names, every=every, scratch=Path(scratch)):
            error = closed(one)
            if error:
                raise error
            if every and _is_left_out(one):
                continue
            proposal = read_proposal(one.folder)
            plan = plan_adoption(one.folder, proposal, journal=journal, over=preview.texts)
            say(f"Would adopt {one.name}: {spelled(proposal.summary)}")
            if plan.edited:
                say(f"  you edited our rules in {' and '.join(map(spelled, plan.edited))}: this is merged into them")
            preview.add(plan)
    preview.show()


def reject(
    proposals: Ids = None,
    *,
    every: AllToo = False,
    reason: Annotated[str, typer.Option(help="Why, as a note to yourself.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Let rejected proposals wait again.")] = False,
) -> None:
    """Turn proposals down: the same edit is not tried again, until you take that back with --undo."""
    with opened() as store, settled(store):
        if undo:
            rejected = store.bank.proposals(REJECTED)
            found = chosen(store, proposals or (), every=every, among=rejected, state=REJECTED)
        else:
            found = chosen(store, proposals or (), every=every)
        for one in found:
            _refuse(one, undo=undo)
        for one in found:
            if undo:
                _decide(store, one.name, WAITING, leaving=(REJECTED,))
                say(f"{one.name} waits for you again: skillopt-sleep show {one.name}")
            elif one.decided.state == WITHDRAWN:
                say(f"{one.name} was withdrawn already")
            else:
                _decide(store, one.name, REJECTED, reason=reason or one.decided.reason, leaving=(*OPEN, REJECTED))
                say(f"Rejected {one.name}: this edit of {documents(one.decided.proposal)} will not be tried again")
                say(f"  undo: skillopt-sleep reject --undo {one.name}")


def _refuse(one: Chosen, *, undo: bool) -> None:
    """Raise ConfigError for a proposal in the wrong state, so that all are decided on or none."""
    if undo and one.decided.state != REJECTED:
        raise ConfigError(f"{one.name} is {one.decided.state}, not rejected", remedy="see: skillopt-sleep show")
    if not undo and one.decided.state == ADOPTED:
        raise ConfigError(
            f"{one.name} is adopted, so nothing was rejected", remedy=f"first run: skillopt-sleep undo {one.name}"
        )


def snooze(
    proposals: Ids = None,
    *,
    every: AllToo = False,
    length: Annotated[str, typer.Option("--for", help="How long, as in 12h or 7d.")] = "7d",
    undo: Annotated[bool, typer.Option("--undo", help="Show snoozed proposals again.")] = False,
) -> None:
    """Decide later: proposals are not shown among what waits for some days. Nights go on with them as before."""
    if not _LENGTH.fullmatch(length):
        raise ConfigError(f"{length!r} is not a length of time", remedy="use a number with h or d, such as 12h or 7d")
    until = None if undo else utc_now() + timedelta(seconds=seconds(length))
    with opened() as store, settled(store):
        if undo:
            asleep = store.bank.snoozed(utc_now())
            found = chosen(store, proposals or (), every=every, among=asleep, state="snoozed")
        else:
            found = chosen(store, proposals or (), every=every)
        for one in found:
            if one.decided.state != WAITING:
                raise ConfigError(
                    f"{one.name} is {one.decided.state}, not waiting", remedy="see: skillopt-sleep show"
                )
            store.bank.snooze(one.name, until)
            if until is None:
                say(f"{one.name} is shown again")
            else:
                say(f"{one.name} sleeps until {shown(until)}; undo: skillopt-sleep snooze --undo {one.name}")


def _decide(store: SqliteStore, name: str, state: str, *, leaving: Collection[str], reason: str = "") -> None:
    if not store.bank.decide(name, state, at=utc_now(), reason=reason, leaving=leaving):
        raise ConfigError(
            f"another program decided on {name} in the meantime", remedy=f"see: skillopt-sleep show {name}"
        )
