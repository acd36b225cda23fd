"""The commands `adopt`, `reject` and `snooze`: a person decides on what waits."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from skillopt_sleep.cli.agreed import say_preview, with_consent
from skillopt_sleep.cli.completing import proposal_ids
from skillopt_sleep.cli.console import say
from skillopt_sleep.cli.settled import settled
from skillopt_sleep.cli.told import say_event
from skillopt_sleep.deciding import decide as deciding
from skillopt_sleep.deciding.chosen import Chosen, named, with_folder
from skillopt_sleep.deciding.preview import Preview
from skillopt_sleep.deciding.stored import opened, opened_to_read
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.clock import shown, utc_now
from skillopt_sleep.kit.markdown import spelled
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import Plan, plan_adoption
from skillopt_sleep.proposals.stage import read_proposal
from skillopt_sleep.reporters.statistics import documents
from skillopt_sleep.settings import length
from skillopt_sleep.stores.bank import OPEN, REJECTED, WAITING, Decided
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


def chosen(
    store: SqliteStore,
    names: Sequence[str],
    *,
    every: bool,
    scratch: Path | None = None,
    among: Sequence[Decided] | None = None,
    state: str = WAITING,
) -> list[Chosen]:
    """Return the proposals of these names, or every one of `among`; ConfigError if a name is unknown.

    `among` is what waits by default, and `state` says what its proposals are. To choose one rule divides its
    proposal, in the folder `scratch` only if one is given.
    """
    among = store.bank.to_decide(utc_now()) if among is None else among
    if every and names:
        raise ConfigError(
            f"--all already covers every {state} proposal", remedy="name proposals or use --all, not both"
        )
    if every:
        if not among:
            say("No proposals are waiting." if state == WAITING else f"Nothing is {state}.")
        return [with_folder(store, decided) for decided in among]
    if not names:
        ids = ", ".join(decided.proposal.id for decided in among) or "none"
        raise ConfigError("no proposal is named", remedy=f"name one, or use --all; {state}: {ids}")
    states = (REJECTED,) if state == REJECTED else OPEN
    found: dict[str, Chosen] = {}
    for name in names:
        for one in named(store, name, scratch=scratch, states=states):
            found[one.name] = one
    return list(found.values())


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
    try:
        deciding.adopt(store, journal, one, agreed=agreed.get(one.name), told=say_event)
    except SleepError as error:
        return error
    return None


def _preview(names: Sequence[str], *, every: bool) -> None:
    """Show what adopting these proposals would write."""
    preview = Preview()
    with TemporaryDirectory() as scratch, opened_to_read() as store, settled(store) as journal:
        for one in chosen(store, names, every=every, scratch=Path(scratch)):
            deciding.refuse_closed(one)
            if every and _is_left_out(one):
                continue
            proposal = read_proposal(one.folder)
            plan = plan_adoption(one.folder, proposal, journal=journal, over=preview.texts)
            say(f"Would adopt {one.name}: {spelled(proposal.summary)}")
            if plan.edited:
                say(f"  you edited our rules in {' and '.join(map(spelled, plan.edited))}: this is merged into them")
            preview.add(plan)
    say_preview(preview)


def reject(
    proposals: Ids = None,
    *,
    every: AllToo = False,
    reason: Annotated[str, typer.Option(help="Why, as a note to yourself.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Let rejected proposals wait again.")] = False,
) -> None:
    """Turn proposals down: the same edit is not tried again, until you take that back with --undo."""
    with opened() as store, settled(store) as journal:
        if undo:
            rejected = store.bank.proposals(REJECTED)
            found = chosen(store, proposals or (), every=every, among=rejected, state=REJECTED)
        else:
            found = chosen(store, proposals or (), every=every)
        for one in found:
            if undo:
                deciding.refuse_not_rejected(one)
            else:
                deciding.refuse_adopted(one)
        for one in found:
            if undo:
                if deciding.wait_again(store, journal, one) == WAITING:
                    say(f"{one.name} waits for you again: skillopt-sleep show {one.name}")
                else:
                    say(f"{one.name} is undone, as before; to adopt it again: skillopt-sleep redo {one.name}")
            elif deciding.reject(store, one, reason=reason):
                say(f"Rejected {one.name}: this edit of {documents(one.decided.proposal)} will not be tried again")
                say(f"  undo: skillopt-sleep reject --undo {one.name}")
            else:
                say(f"{one.name} was withdrawn already")


def snooze(
    proposals: Ids = None,
    *,
    every: AllToo = False,
    for_: Annotated[str, typer.Option("--for", metavar="LENGTH", help="How long, as in 12h or 7d.")] = deciding.LATER,
    undo: Annotated[bool, typer.Option("--undo", help="Show snoozed proposals again.")] = False,
) -> None:
    """Decide later: proposals are not shown among what waits for some time. Nights go on with them as before."""
    until = None if undo else utc_now() + length(for_)
    with opened() as store, settled(store):
        if undo:
            asleep = store.bank.snoozed(utc_now())
            found = chosen(store, proposals or (), every=every, among=asleep, state="snoozed")
        else:
            found = chosen(store, proposals or (), every=every)
        for one in found:
            deciding.snooze(store, one, until)
            if until is None:
                say(f"{one.name} is shown again")
            else:
                say(f"{one.name} sleeps until {shown(until)}; undo: skillopt-sleep snooze --undo {one.name}")
