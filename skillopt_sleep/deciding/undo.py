"""Take adopted proposals out of their files again, and go to another version of a file."""

from collections.abc import Mapping
from pathlib import Path

from skillopt_sleep.deciding.chosen import adopted_rule, named
from skillopt_sleep.deciding.decide import adopt, refuse_closed
from skillopt_sleep.deciding.happened import CanComeBack, TakenBack, Told
from skillopt_sleep.deciding.settled import follow
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.proposals.adopt import came_back
from skillopt_sleep.proposals.entry import AdoptionState, Entry
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import Plan, plan_rest
from skillopt_sleep.proposals.undo import undo
from skillopt_sleep.proposals.versions import Step, Version, keep, steps, versions
from skillopt_sleep.stores.bank import ADOPTED, OPEN, REJECTED, UNDONE
from skillopt_sleep.stores.sqlite import SqliteStore

_UNDOABLE = {AdoptionState.DONE, AdoptionState.INTERRUPTED}


def take_back(store: SqliteStore, journal: Journal, name: str, *, agreed: Plan | None, told: Told) -> None:
    """Take out of the files exactly what a proposal put there; `agreed` is the merge that the person saw."""
    done = undo(name, journal=journal, at=utc_now(), agreed=agreed)
    left = done.folders_left[-1] if done.folders_left else ""
    told(TakenBack(name, {path: state.value for path, state in done.files.items()}, left))
    # After the store was recreated only the journal knows the proposal.
    if store.bank.decide(name, UNDONE, at=utc_now(), leaving=(ADOPTED, UNDONE)):
        told(CanComeBack(name))


def undoable(store: SqliteStore, journal: Journal, name: str, *, scratch: Path | None = None) -> str:
    """Return the id of an adopted proposal; ConfigError if neither the journal nor the store knows it as adopted.

    One that stopped half-way can be undone if its files allow it, and one whose text came back, as from git. To name
    one rule divides its proposal: only in this journal and the folder `scratch`, if one is given.
    """
    name = name.upper()
    above = name.rpartition(".")[0]
    whole = journal.get(above) if above else None
    if whole and whole.state is AdoptionState.DONE:
        name = adopted_rule(store, journal, whole, name, scratch=scratch)
    entry = journal.get(name)
    if entry is None or (entry.state not in _UNDOABLE and not came_back(entry, journal)):
        for one in named(store, name):
            if one.decided.state != ADOPTED:
                live = [decided.proposal.id for decided in store.bank.proposals(ADOPTED)]
                rules = " ".join(rule for rule in live if rule.startswith(f"{name}."))
                remedy = f"see: skillopt-sleep show {one.name}"
                if rules:
                    remedy = f"its adopted rules: skillopt-sleep undo {rules}"
                elif one.decided.state == REJECTED:
                    remedy = f"take the rejection back: skillopt-sleep reject --undo {one.name}"
                raise ConfigError(f"{one.name} is {one.decided.state}, not adopted", remedy=remedy)
    return name


def last_changed(store: SqliteStore, journal: Journal, state: AdoptionState) -> Entry:
    """Return the adoption that was done or undone last; ConfigError if there is none."""
    entries = [entry for entry in journal.entries() if entry.state is state]
    known = {decided.proposal.id: decided for decided in store.bank.proposals()}
    if state is AdoptionState.UNDONE:
        entries = [entry for entry in entries if entry.proposal in known and known[entry.proposal].state in OPEN]
    if not entries:
        what = "adopted" if state is AdoptionState.DONE else "undone"
        raise ConfigError(f"no proposal is {what}", remedy="see: skillopt-sleep show")
    return max(entries, key=lambda entry: entry.changed_at)


def steps_to(store: SqliteStore, journal: Journal, file: Path, number: int) -> list[Step]:
    """Return what leads to a version of a file; ConfigError, before any step writes, if one can't be taken."""
    keep(journal)
    known = versions_of(store, journal, file)
    if number > len(known):
        raise ConfigError(f"{file} has {len(known)} versions", remedy=f"see: skillopt-sleep versions {file}")
    found = list(steps(known, number))
    for step in found:
        for one in named(store, step.proposal) if step.adopting else ():
            refuse_closed(one)
    return found


def take(store: SqliteStore, journal: Journal, step: Step, *, agreed: Mapping[str, Plan], told: Told) -> None:
    """Take one step to another version of a file."""
    if not step.adopting:
        take_back(store, journal, step.proposal, agreed=agreed.get(step.proposal), told=told)
        return
    for one in named(store, step.proposal):
        adopt(store, journal, one, agreed=agreed.get(one.name), told=told)


def versions_of(store: SqliteStore, journal: Journal, file: Path) -> tuple[Version, ...]:
    """Return the versions of the file, none if only our markers are known; ConfigError without anything of ours."""
    follow(store, journal, file.absolute())
    for path in (file.absolute(), file.resolve()):
        known = versions(journal, path)
        if known:
            return known
    if file.exists() and plan_rest(file, journal=journal).moves:
        return ()
    files = dict.fromkeys(written.path for entry in journal.entries() for written in entry.files)
    wrong = f"nothing was ever adopted into {file}" if file.exists() else f"{file.absolute()} doesn't exist"
    raise ConfigError(wrong, remedy=f"files with versions: {', '.join(files) or 'none yet'}")
