"""The commands `adopt` and `reject`, and `review --later`: a person decides on what waits."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from skillopt_sleep.cli.console import say
from skillopt_sleep.cli.decisions import consistent_journal, say_event, say_preview, with_consent
from skillopt_sleep.cli.lazy import proposal_ids
from skillopt_sleep.deciding import decide as deciding
from skillopt_sleep.deciding.chosen import Chosen, named, with_folder
from skillopt_sleep.deciding.stored import opened, opened_to_read
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.clock import to_the_minute, utc_now
from skillopt_sleep.kit.markdown import spelled
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import Plan, plan_adoption
from skillopt_sleep.proposals.stage import read_proposal
from skillopt_sleep.reporters.status import happened
from skillopt_sleep.settings import length
from skillopt_sleep.stores.bank import OPEN, REJECTED, WAITING, Decided
from skillopt_sleep.stores.sqlite import SqliteStore

Ids = Annotated[
    list[str] | None,
    typer.Argument(help="Proposals (P-0001) or single rules (P-0001.2).", autocompletion=proposal_ids),
]
All = Annotated[
    bool,
    typer.Option("--all", help="Every waiting proposal that a trial has proven, none that is early or untested."),
]
AllToo = Annotated[bool, typer.Option("--all", help="Every waiting proposal, or with --undo every rejected one.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask before your edits of our rules are merged.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be written.")]


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

    Where you edited our rules by hand, you are shown the merge and asked.
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
        with opened() as store, consistent_journal(store) as journal:
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
        deciding.adopt(store, journal, one, agreed=agreed.get(one.name), on_event=say_event)
    except SleepError as error:
        return error
    return None


def _preview(names: Sequence[str], *, every: bool) -> None:
    """Show what adopting these proposals would write."""
    preview = Plan((), ())
    with TemporaryDirectory() as scratch, opened_to_read() as store, consistent_journal(store) as journal:
        for one in chosen(store, names, every=every, scratch=Path(scratch)):
            deciding.refuse_unless(one, "adopted")
            if every and _is_left_out(one):
                continue
            proposal = read_proposal(one.folder)
            plan = plan_adoption(one.folder, proposal, journal=journal, over=preview.texts)
            say(f"Would adopt {one.name}: {spelled(proposal.summary)}")
            if plan.edited:
                say(f"  you edited our rules in {' and '.join(map(spelled, plan.edited))}: this is merged into them")
            preview = preview.then(plan)
    say_preview(preview)


def reject(
    proposals: Ids = None,
    *,
    every: AllToo = False,
    reason: Annotated[str, typer.Option(help="Why, as a note to yourself.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Let rejected proposals wait again.")] = False,
) -> None:
    """Turn proposals down: the same edit is not tried again."""
    with opened() as store, consistent_journal(store) as journal:
        if undo:
            rejected = store.bank.proposals(REJECTED)
            found = chosen(store, proposals or (), every=every, among=rejected, state=REJECTED)
        else:
            found = chosen(store, proposals or (), every=every)
        for one in found:
            deciding.refuse_unless(one, "brought back" if undo else "rejected")
        for one in found:
            if undo:
                if deciding.wait_again(store, journal, one) == WAITING:
                    say(f"{one.name} waits for you again: skillopt-sleep review --show {one.name}")
                else:
                    say(f"{one.name} is undone, as before; to adopt it again: skillopt-sleep undo --redo {one.name}")
            elif deciding.reject(store, one, reason=reason):
                say(happened(one.decided._replace(state=REJECTED), now=utc_now()))
                say(f"  undo: skillopt-sleep reject --undo {one.name}")
            else:
                say(f"{one.name} was withdrawn already")


def postpone(names: Sequence[str], how_long: str) -> None:
    """Leave proposals out of what waits for a length of time. Nights go on with them as before."""
    until = utc_now() + length(how_long)
    with opened() as store, consistent_journal(store):
        for one in chosen(store, names, every=False):
            deciding.postpone(store, one, until)
            until_then = to_the_minute(until)
            say(f"{one.name} isn't shown until {until_then}; to decide before: skillopt-sleep review {one.name}")
