"""The command `undo`: go back to how a file was, and forth again."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from skillopt_sleep.cli.console import say
from skillopt_sleep.cli.decide import DryRun, Yes, adopt_named
from skillopt_sleep.cli.decisions import confirmed, consistent_journal, say_event, say_preview, with_consent
from skillopt_sleep.cli.lazy import proposal_ids
from skillopt_sleep.deciding.chosen import file_named
from skillopt_sleep.deciding.stored import opened_to_undo
from skillopt_sleep.deciding.undo import (
    Step,
    WayBack,
    last_changed,
    leave_undone,
    preview_of,
    steps_to,
    take,
    versions_of,
    ways_back,
)
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.clock import to_the_minute
from skillopt_sleep.kit.markdown import one_line, spelled
from skillopt_sleep.kit.words import home_path
from skillopt_sleep.proposals.adopt import changed_meanwhile
from skillopt_sleep.proposals.entry import AdoptionState
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import Plan, plan_rest
from skillopt_sleep.proposals.written import diff, put
from skillopt_sleep.stores.sqlite import SqliteStore

_RULE_CHARS = 160  # of a rule that a question names


class _Last(NamedTuple):
    """The proposal that was adopted or undone last, with its rule and its files in words."""

    name: str
    what: str


def undo(
    proposals: Annotated[
        list[str] | None,
        typer.Argument(
            help="Proposals, as in P-0001; or a file, with --to or --list.",
            autocompletion=proposal_ids,
        ),
    ] = None,
    *,
    redo: Annotated[bool, typer.Option("--redo", help="Adopt again what was undone.")] = False,
    to: Annotated[int | None, typer.Option("--to", min=0, help="Take a file to this version of --list.")] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List a file's versions: the adoptions and undos in it.")
    ] = False,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Take out of the files exactly what proposals put there.

    What you wrote since stays; where nothing else changed, the exact bytes come back. Without a name it asks, and
    takes the one adopted last, or with --redo the one undone last.
    """
    names = proposals or []
    if redo + list_ + (to is not None) > 1:
        raise ConfigError("--redo, --list and --to don't go together", remedy="use one of them")
    if list_:
        _list_versions(names)
    elif to is not None:
        _go_to(names, to, yes=yes, dry_run=dry_run)
    else:
        for name in names:
            _refuse_file(name)
        if redo:
            _redo(names, yes=yes, dry_run=dry_run)
        else:
            _undo(names, yes=yes, dry_run=dry_run)


def _undo(names: Sequence[str], *, yes: bool, dry_run: bool) -> None:
    """Take proposals back, the one adopted last if none is named."""
    names = list(dict.fromkeys(name.upper() for name in names))
    if not names:
        last = _last(AdoptionState.DONE)
        names = [last.name]
        if not dry_run:
            instead = f"name it: skillopt-sleep undo {last.name}"
            confirmed(f"Undo {last.name}, adopted last? {last.what}", yes=yes, instead=instead)
    if dry_run:
        with opened_to_undo() as store, consistent_journal(store) as journal:
            ways = ways_back(store, journal, names)
        _preview([step for way in ways for step in way.steps])
        return
    left: list[WayBack] = []

    def act(agreed: Mapping[str, Plan]) -> list[SleepError]:
        with opened_to_undo() as store, consistent_journal(store) as journal:
            if not agreed:
                left.extend(ways_back(store, journal, names))
            return _take_back(store, journal, left, agreed)

    with_consent(act, yes=yes)


def _redo(names: Sequence[str], *, yes: bool, dry_run: bool) -> None:
    """Adopt proposals again, the one undone last if none is named."""
    if not names:
        last = _last(AdoptionState.UNDONE)
        names = [last.name]
        if not dry_run:
            instead = f"name it: skillopt-sleep undo --redo {last.name}"
            confirmed(f"Adopt {last.name} again? {last.what}", yes=yes, instead=instead)
    adopt_named(names, every=False, yes=yes, dry_run=dry_run)


def _list_versions(names: Sequence[str]) -> None:
    """List the adoptions that changed our part of a file, and the undos that stand."""
    if len(names) != 1:
        raise ConfigError("--list takes one file", remedy="such as: skillopt-sleep undo --list CLAUDE.md")
    name = names[0]
    with opened_to_undo() as store, consistent_journal(store) as journal:
        known = versions_of(journal, file_named(store, name))
        summaries = {decided.proposal.id: decided.proposal.summary for decided in store.bank.proposals()}
    say("0  before the first rule")
    if not known:
        say("?  its rules stand in it; their record was purged")
    for version in known:
        what = f"adopted  {spelled(summaries.get(version.proposal, ''))}" if version.adopted else "undone"
        say(f"{version.number}  {to_the_minute(version.at)}  {version.proposal} {what}".rstrip())
    say(f"Go to one: skillopt-sleep undo {spelled(name)} --to {max(len(known) - 1, 0)}")


def _refuse_file(name: str) -> None:
    """Raise ConfigError with what takes a file back, if this names one, or that nothing was adopted into it."""
    if "/" in name or Path(name).expanduser().is_file():
        path = spelled(name)
        with opened_to_undo() as store, consistent_journal(store) as journal:
            versions_of(journal, file_named(store, name))
        raise ConfigError(
            f"{path} is a file, not a proposal",
            remedy=f"see how it was: skillopt-sleep undo --list {path}; "
            f"without our rules: skillopt-sleep undo {path} --to 0",
        )


def _take_back(
    store: SqliteStore, journal: Journal, left: list[WayBack], agreed: Mapping[str, Plan]
) -> list[SleepError]:
    """Go these ways back, each off the list when it is done; return the errors of those that can't be gone."""
    refusals: list[SleepError] = []
    for way in tuple(left):
        errors = _walk(store, journal, way.steps, agreed)
        refusals += errors
        if not errors:
            leave_undone(store, way.rules, on_event=say_event)
            left.remove(way)
    return refusals


def _last(state: AdoptionState) -> _Last:
    """Return the proposal that was adopted or undone last; ConfigError if none is."""
    with opened_to_undo() as store, consistent_journal(store) as journal:
        last = last_changed(store, journal, state)
        known = {decided.proposal.id: decided for decided in store.bank.proposals()}
    what = f"in {' and '.join(home_path(file.path) for file in last.files)}"
    if last.proposal in known:
        what = f"«{one_line(known[last.proposal].proposal.summary, limit=_RULE_CHARS)}» {what}"
    return _Last(last.proposal, what)


def _go_to(names: Sequence[str], number: int, *, yes: bool, dry_run: bool) -> None:
    """Undo what came after a version of a file, and adopt again what was undone since."""
    if len(names) != 1:
        raise ConfigError("--to takes one file", remedy="such as: skillopt-sleep undo CLAUDE.md --to 1")
    if dry_run:
        with opened_to_undo() as store, consistent_journal(store) as journal:
            file = file_named(store, names[0])
            found = steps_to(store, journal, file, number)
        _preview(found, rest=None if number else file)
        return
    left: list[Step] = []

    def act(agreed: Mapping[str, Plan]) -> list[SleepError]:
        with opened_to_undo() as store, consistent_journal(store) as journal:
            if not agreed:
                file = file_named(store, names[0])
                left.extend(steps_to(store, journal, file, number))
                if not left and (number or not plan_rest(file, journal=journal).moves):
                    say("Nothing to do: this is how the file is.")
            return _walk(store, journal, left, agreed)

    with_consent(act, yes=yes)
    if not number:
        _take_rest(names[0], yes=yes)


def _take_rest(name: str, *, yes: bool) -> None:
    """Take out, on a yes, what stands between our markers in a file without a record of its adoption."""
    with opened_to_undo() as store, consistent_journal(store) as journal:
        plan = plan_rest(file_named(store, name), journal=journal)
    for move in plan.moves:
        say(diff(move.path.lstrip("/"), move.old, move.new).rstrip("\n"))
        question = "Take out these rules? No adoption of them is on record, so nothing brings them back."
        confirmed(question, yes=yes, instead=f"run: skillopt-sleep undo {spelled(name)} --to 0 --yes")
        with journal.held():
            if put([move]):
                raise changed_meanwhile(move.path)
        say(f"Took these rules out of {spelled(move.path)}")


def _walk(store: SqliteStore, journal: Journal, left: list[Step], agreed: Mapping[str, Plan]) -> list[SleepError]:
    """Take the steps in turn, each off the list when it is done; stop at the first that can't be, with its error."""
    while left:
        try:
            take(store, journal, left[0], agreed=agreed, on_event=say_event)
        except SleepError as error:
            return [error]
        left.pop(0)
    return []


def _preview(wanted: Sequence[Step], *, rest: Path | None = None) -> None:
    """Show what these steps would write, and taking out the `rest` of a file's rules."""
    with opened_to_undo() as store, consistent_journal(store) as journal:
        preview = preview_of(store, journal, wanted)
        if rest:
            preview = preview.then(plan_rest(rest, journal=journal, over=preview.texts))
    for step in wanted:
        say(f"Would {'adopt' if step.adopting else 'undo'} {step.proposal}")
    say_preview(preview)
