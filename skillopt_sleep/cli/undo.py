"""The commands `undo`, `redo` and `versions`: go back to how a file was, and forth again."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from skillopt_sleep.cli.agreed import Preview, confirmed, with_consent
from skillopt_sleep.cli.completing import proposal_ids
from skillopt_sleep.cli.console import say
from skillopt_sleep.cli.decide import DryRun, Yes, adopt_named, adopt_one, closed
from skillopt_sleep.cli.settled import settled
from skillopt_sleep.deciding.chosen import named
from skillopt_sleep.deciding.stored import opened, opened_to_read
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.clock import shown, utc_now
from skillopt_sleep.kit.markdown import one_line, spelled
from skillopt_sleep.kit.words import home_path
from skillopt_sleep.proposals.adopt import came_back
from skillopt_sleep.proposals.entry import AdoptionState
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.live import body
from skillopt_sleep.proposals.plan import Plan, plan_adoption, plan_undo
from skillopt_sleep.proposals.stage import read_proposal
from skillopt_sleep.proposals.undo import adopted, undo as take_back
from skillopt_sleep.proposals.versions import Step, Version, keep, steps, versions as versions_of
from skillopt_sleep.stores.bank import ADOPTED, OPEN, REJECTED, UNDONE
from skillopt_sleep.stores.sqlite import SqliteStore

_UNDOABLE = {AdoptionState.DONE, AdoptionState.INTERRUPTED}
_RULE_CHARS = 160  # of a rule that a question names


class _Last(NamedTuple):
    """The proposal that was adopted or undone last, with its rule and its files in words."""

    name: str
    what: str


def undo(
    proposals: Annotated[
        list[str] | None,
        typer.Argument(
            help="Proposals, as in P-0001; or a file, with --to. The one adopted last, if none is named.",
            autocompletion=proposal_ids,
        ),
    ] = None,
    *,
    to: Annotated[int | None, typer.Option("--to", min=0, help="Take a file to this one of its `versions`.")] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Take out of the files exactly what proposals put there. What you wrote since stays.

    Where nothing else changed, the exact bytes from before come back. With no name it asks before it undoes the one
    adopted last.
    """
    names = proposals or []
    if to is not None:
        _go_to(names, to, yes=yes, dry_run=dry_run)
        return
    for name in names:
        _refuse_file(name)
    if not names:
        last = _last(AdoptionState.DONE)
        names = [last.name]
        if not dry_run:
            instead = f"name it: skillopt-sleep undo {last.name}"
            confirmed(f"Undo {last.name}, adopted last? {last.what}", yes=yes, instead=instead)
    if dry_run:
        _preview([Step(name.upper(), adopting=False) for name in names])
        return
    left: list[str] = []

    def act(agreed: Mapping[str, Plan]) -> list[SleepError]:
        with opened() as store, settled(store) as journal:
            if not agreed:
                left.extend([_undoable(store, journal, name) for name in names])
            return _take_back(store, journal, left, agreed)

    with_consent(act, yes=yes)


def redo(
    proposals: Annotated[
        list[str] | None,
        typer.Argument(
            help="Proposals, as in P-0001; the one undone last, if none is named.", autocompletion=proposal_ids
        ),
    ] = None,
    *,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Adopt again what was undone. With no name it asks before it adopts the one undone last."""
    names = proposals or []
    if not names:
        last = _last(AdoptionState.UNDONE)
        names = [last.name]
        if not dry_run:
            instead = f"name it: skillopt-sleep redo {last.name}"
            confirmed(f"Adopt {last.name} again? {last.what}", yes=yes, instead=instead)
    adopt_named(names, every=False, yes=yes, dry_run=dry_run)


def versions(file: Annotated[Path, typer.Argument(help="A file that proposals were adopted into.")]) -> None:
    """List the versions of a file: every adoption and undo that changed our part of it."""
    with opened_to_read() as store, settled(store) as journal:
        known = _versions(journal, file)
        summaries = {decided.proposal.id: decided.proposal.summary for decided in store.bank.proposals()}
    say("0  nothing of ours is in it")
    for version in known:
        event = version.event
        what = "adopted" if event.adopted else "undone"
        summary = spelled(summaries.get(event.proposal, ""))
        say(f"{version.number}  {shown(event.at)}  {event.proposal} {what}  {summary}".rstrip())
    say(f"Go to one: skillopt-sleep undo {spelled(str(file))} --to {max(len(known) - 1, 0)}")


def _refuse_file(name: str) -> None:
    """Raise ConfigError with what takes a file back, if this names one."""
    if "/" in name or Path(name).expanduser().is_file():
        path = spelled(name)
        raise ConfigError(
            f"{path} is a file, and undo alone takes proposals",
            remedy=f"see how it was: skillopt-sleep versions {path}; "
            f"without our rules: skillopt-sleep undo {path} --to 0",
        )


def _take_back(store: SqliteStore, journal: Journal, left: list[str], agreed: Mapping[str, Plan]) -> list[SleepError]:
    """Undo these proposals, each off the list when it is done; return the errors of those that can't be."""
    refusals: list[SleepError] = []
    for name in tuple(left):
        try:
            undone = take_back(name, journal=journal, at=utc_now(), agreed=agreed.get(name))
        except SleepError as error:
            refusals.append(error)
            continue
        left.remove(name)
        for path, state in undone.files.items():
            say(f"Undid {name}: {spelled(path)} {state.value}")
        if undone.folders_left:
            folder = spelled(undone.folders_left[-1])
            say(f"  could not remove the empty folder {folder}; the next command tries again")
        # After the store was recreated only the journal knows the proposal.
        if store.bank.decide(name, UNDONE, at=utc_now(), leaving=(ADOPTED, UNDONE)):
            say(f"  adopt it again: skillopt-sleep redo {name}")
    return refusals


def _last(state: AdoptionState) -> _Last:
    """Return the proposal that was adopted or undone last; ConfigError if none is."""
    with opened_to_read() as store, settled(store) as journal:
        entries = [entry for entry in journal.entries() if entry.state is state]
        known = {decided.proposal.id: decided for decided in store.bank.proposals()}
        if state is AdoptionState.UNDONE:
            entries = [entry for entry in entries if entry.proposal in known and known[entry.proposal].state in OPEN]
    if not entries:
        what = "adopted" if state is AdoptionState.DONE else "undone"
        raise ConfigError(f"no proposal is {what}", remedy="see: skillopt-sleep show")
    last = max(entries, key=lambda entry: entry.changed_at)
    what = f"in {' and '.join(home_path(file.path) for file in last.files)}"
    if last.proposal in known:
        what = f"«{one_line(known[last.proposal].proposal.summary, limit=_RULE_CHARS)}» {what}"
    return _Last(last.proposal, what)


def _undoable(store: SqliteStore, journal: Journal, name: str) -> str:
    """Return the id of an adopted proposal; ConfigError if neither the journal nor the store knows it as adopted.

    One that stopped half-way can be undone if its files allow it, and one whose text came back, as from git.
    """
    entry = journal.get(name.upper())
    if entry is None or (entry.state not in _UNDOABLE and not came_back(entry, journal)):
        for one in named(store, name):
            if one.decided.state != ADOPTED:
                live = [decided.proposal.id for decided in store.bank.proposals(ADOPTED)]
                rules = " ".join(rule for rule in live if rule.startswith(f"{name.upper()}."))
                remedy = f"see: skillopt-sleep show {one.name}"
                if rules:
                    remedy = f"its adopted rules: skillopt-sleep undo {rules}"
                elif one.decided.state == REJECTED:
                    remedy = f"take the rejection back: skillopt-sleep reject --undo {one.name}"
                raise ConfigError(f"{one.name} is {one.decided.state}, not adopted", remedy=remedy)
    return name.upper()


def _go_to(names: Sequence[str], number: int, *, yes: bool, dry_run: bool) -> None:
    """Undo what came after a version of a file, and adopt again what was undone since."""
    if len(names) != 1:
        raise ConfigError("--to takes one file", remedy="such as: skillopt-sleep undo CLAUDE.md --to 1")
    file = Path(names[0])

    def wanted(store: SqliteStore, journal: Journal) -> Sequence[Step]:
        keep(journal)
        known = _versions(journal, file)
        if number > len(known):
            raise ConfigError(f"{file} has {len(known)} versions", remedy=f"see: skillopt-sleep versions {file}")
        found = steps(known, number)
        _refuse_closed(store, found)
        return found

    if not dry_run:
        target: list[Step] = []

        def act(agreed: Mapping[str, Plan]) -> list[SleepError]:
            with opened() as store, settled(store) as journal:
                if not agreed:
                    target.extend(wanted(store, journal))
                return _walk(store, journal, target, agreed)

        with_consent(act, yes=yes)
        return
    with opened_to_read() as store, settled(store) as journal:
        found = wanted(store, journal)
    _preview(found)


def _refuse_closed(store: SqliteStore, wanted: Sequence[Step]) -> None:
    """Raise ConfigError if a proposal can't be adopted any more, before the first step writes anything."""
    for step in wanted:
        for one in named(store, step.proposal) if step.adopting else ():
            error = closed(one)
            if error:
                raise error


def _walk(store: SqliteStore, journal: Journal, left: list[Step], agreed: Mapping[str, Plan]) -> list[SleepError]:
    """Take the steps in turn, each off the list when it is done; stop at the first that can't be, with its error."""
    if not left:
        say("Nothing to do: this is how the file is.")
    while left:
        step = left[0]
        if step.adopting:
            refusals = _adopt(store, journal, step.proposal, agreed)
        else:
            refusals = _take_back(store, journal, [step.proposal], agreed)
        if refusals:
            return refusals
        left.pop(0)
    return []


def _adopt(store: SqliteStore, journal: Journal, name: str, agreed: Mapping[str, Plan]) -> list[SleepError]:
    errors = [adopt_one(store, journal, one, agreed) for one in named(store, name)]
    return [error for error in errors if error is not None]


def _preview(wanted: Sequence[Step]) -> None:
    """Show what these steps would write."""
    preview = Preview()
    undone: list[str] = []
    with opened_to_read() as store, settled(store) as journal:
        for step in wanted:
            if step.adopting:
                (one,) = named(store, step.proposal)
                proposal = read_proposal(one.folder)
                preview.add(plan_adoption(one.folder, proposal, journal=journal, over=preview.texts))
            else:
                entry = adopted(_undoable(store, journal, step.proposal), journal)
                preview.add(plan_undo(entry, journal=journal, over=preview.texts, undone=undone))
                undone.append(entry.proposal)
            say(f"Would {'adopt' if step.adopting else 'undo'} {step.proposal}")
    preview.show()


def _versions(journal: Journal, file: Path) -> tuple[Version, ...]:
    """Return the versions of the file; ConfigError if nothing was ever adopted into it."""
    for path in (file.absolute(), file.resolve()):
        known = versions_of(journal, path)
        if known:
            return known
    _refuse_moved(journal, file.absolute())
    files = dict.fromkeys(written.path for entry in journal.entries() for written in entry.files)
    raise ConfigError(
        f"nothing was ever adopted into {file}", remedy=f"files with versions: {', '.join(files) or 'none yet'}"
    )


def _refuse_moved(journal: Journal, file: Path) -> None:
    """Raise ConfigError if the file holds rules that were adopted in a folder which is gone: it was moved here."""
    if not file.is_file():
        return
    held = {line for line in body(file, file.read_bytes()).split("\n") if line.strip()}
    for entry in journal.entries():
        for index, written in enumerate(entry.files):
            place = Path(written.path).relative_to(entry.root)
            if Path(entry.root).exists() or file.parts[-len(place.parts) :] != place.parts:
                continue
            if held.intersection(body(Path(written.path), journal.texts(entry, index)[1]).split("\n")):
                here = Path(*file.parts[: -len(place.parts)])
                raise ConfigError(
                    f"{entry.root} was moved to {here}, and its rules went with it",
                    remedy=f"to undo them or see their versions, move it back: mv {shlex.quote(str(here))} "
                    f"{shlex.quote(entry.root)}; or delete the lines between our markers by hand",
                )
