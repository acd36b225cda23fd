"""Take adopted proposals out of their files again, go to another version of a file, and show what that would write.

Each adoption that changed our part of a file makes a version, and so does its undo.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from skillopt_sleep.deciding.chosen import named, place_of, single_rules
from skillopt_sleep.deciding.decide import CanComeBack, OnEvent, adopt, refuse_unless
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.proposals.entry import AdoptionState, Entry
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import Plan, is_unedited, plan_adoption, plan_rest, plan_undo
from skillopt_sleep.proposals.stage import read_proposal
from skillopt_sleep.proposals.undo import adopted, undo
from skillopt_sleep.stores.bank import ADOPTED, OPEN, UNDONE, WAITING
from skillopt_sleep.stores.sqlite import SqliteStore


class Version(NamedTuple):
    """A version of a file: its number, the proposal that was adopted or undone, and those that are live in it."""

    number: int
    at: datetime
    proposal: str
    adopted: bool
    live: tuple[str, ...]


class Step(NamedTuple):
    """A proposal to adopt or to undo on the way to another version."""

    proposal: str
    adopting: bool


class WayBack(NamedTuple):
    """The steps that take back a proposal, or only some `rules` of one that was adopted whole."""

    steps: list[Step]
    rules: tuple[str, ...] = ()


def ways_back(store: SqliteStore, journal: Journal, names: Sequence[str]) -> list[WayBack]:
    """Return how to undo what is named; ConfigError, before any step writes, if one of them can't be.

    A proposal that was adopted whole is undone whole, and then its other rules are adopted again.
    """
    found: dict[str, list[str]] = {}
    for name in names:
        whole = name.rpartition(".")[0]
        entry = journal.get(whole) if whole and journal.get(name) is None else None
        if entry is None or entry.state is not AdoptionState.DONE:
            found.setdefault(undoable(store, journal, name), [])
        elif whole not in names:
            found.setdefault(whole, []).append(name)
    return [_way_back(store, journal, whole, rules) for whole, rules in found.items()]


def _way_back(store: SqliteStore, journal: Journal, whole: str, rules: Sequence[str]) -> WayBack:
    """Return how to undo a proposal, or only these rules of it."""
    back = Step(whole, adopting=False)
    if not rules:
        return WayBack([back])
    decided = {one.proposal.id: one for one in store.bank.family(whole)}.get(whole)
    if decided is None:
        raise ConfigError(
            f"the store doesn't know the rules of {whole}", remedy=f"undo it whole: skillopt-sleep undo {whole}"
        )
    places = {place_of(decided, rule) for rule in rules}
    if len(places) == len(decided.proposal.edits):
        return WayBack([back])
    with TemporaryDirectory() as scratch:
        every = single_rules(store, decided, scratch=Path(scratch))
        others = [one for place, one in enumerate(every) if place not in places]
        edited = [one.name for one in others if not is_unedited(one.folder, one.decided.proposal)]
    if edited:
        raise ConfigError(
            f"you edited {edited[0]} since, and undoing {rules[0]} would bring its old words back",
            remedy=f"take {rules[0]} out of the file by hand, or undo all rules: skillopt-sleep undo {whole}",
        )
    steps = [back, *(Step(one.name, adopting=True) for one in others)]
    preview_of(store, journal, steps)
    return WayBack(steps, tuple(rules))


def leave_undone(store: SqliteStore, rules: Sequence[str], *, on_event: OnEvent) -> None:
    """Record that these rules of a proposal that was adopted whole are undone."""
    for rule in rules:
        if store.bank.decide(rule, UNDONE, at=utc_now(), leaving=(WAITING,)):
            on_event(CanComeBack(rule))


def take_back(store: SqliteStore, journal: Journal, name: str, *, agreed: Plan | None, on_event: OnEvent) -> None:
    """Take out of the files exactly what a proposal put there; `agreed` is the merge that the person saw."""
    done = undo(name, journal=journal, at=utc_now(), agreed=agreed)
    on_event(done)
    # After the store was recreated only the journal knows the proposal.
    if store.bank.decide(name, UNDONE, at=utc_now(), leaving=(ADOPTED, UNDONE)):
        on_event(CanComeBack(name))


def undoable(store: SqliteStore, journal: Journal, name: str) -> str:
    """Return the id of an adopted proposal; ConfigError if neither the journal nor the store knows it as adopted.

    One that stopped half-way can be undone if its files allow it, and one whose text came back, as from git.
    """
    name = name.upper()
    entry = journal.get(name)
    if entry is None or entry.state is AdoptionState.UNDONE:
        live = [decided.proposal.id for decided in store.bank.proposals(ADOPTED)]
        rules = [rule for rule in live if rule.startswith(f"{name}.")]
        if rules:
            raise ConfigError(
                f"{name} was taken rule by rule", remedy=f"undo its rules: skillopt-sleep undo {' '.join(rules)}"
            )
    if entry is None or (entry.state is AdoptionState.UNDONE and not plan_undo(entry, journal=journal).held):
        for one in named(store, name):
            refuse_unless(one, "undone")
    return name


def last_changed(store: SqliteStore, journal: Journal, state: AdoptionState) -> Entry:
    """Return the adoption that was done or undone last; ConfigError if there is none."""
    entries = [entry for entry in journal.entries() if entry.state is state]
    known = {decided.proposal.id: decided for decided in store.bank.proposals()}
    if state is AdoptionState.UNDONE:
        entries = [entry for entry in entries if entry.proposal in known and known[entry.proposal].state in OPEN]
    if not entries:
        what = "adopted" if state is AdoptionState.DONE else "undone"
        raise ConfigError(f"no proposal is {what}", remedy="see: skillopt-sleep review --show")
    return max(entries, key=lambda entry: entry.changed_at)


def steps_to(store: SqliteStore, journal: Journal, file: Path, number: int) -> list[Step]:
    """Return what leads to a version of a file; ConfigError, before any step writes, if one can't be taken."""
    known = versions_of(journal, file)
    if number > len(known):
        raise ConfigError(f"{file} has {len(known)} versions", remedy=f"see: skillopt-sleep undo --list {file}")
    now = known[-1].live if known else ()
    wanted = known[number - 1].live if number else ()
    found = [Step(name, adopting=False) for name in reversed(now) if name not in wanted]
    found += [Step(name, adopting=True) for name in wanted if name not in now]
    for step in found:
        for one in named(store, step.proposal) if step.adopting else ():
            refuse_unless(one, "adopted")
    return found


def take(store: SqliteStore, journal: Journal, step: Step, *, agreed: Mapping[str, Plan], on_event: OnEvent) -> None:
    """Take one step to another version of a file."""
    if not step.adopting:
        take_back(store, journal, step.proposal, agreed=agreed.get(step.proposal), on_event=on_event)
        return
    for one in named(store, step.proposal):
        adopt(store, journal, one, agreed=agreed.get(one.name), on_event=on_event)


def versions_of(journal: Journal, file: Path) -> tuple[Version, ...]:
    """Return the versions of the file, none if only our markers are known; ConfigError without anything of ours."""
    for path in (file.absolute(), file.resolve()):
        known = versions(journal, path)
        if known:
            return known
    if file.exists() and plan_rest(file, journal=journal).moves:
        return ()
    files = dict.fromkeys(written.path for entry in journal.entries() for written in entry.files)
    wrong = f"nothing was ever adopted into {file}" if file.exists() else f"{file.absolute()} doesn't exist"
    raise ConfigError(wrong, remedy=f"files with versions: {', '.join(files) or 'none yet'}")


def versions(journal: Journal, path: Path) -> tuple[Version, ...]:
    """Return the versions of the file, oldest first; before the first, nothing of ours was in it."""
    events: list[tuple[datetime, str, bool]] = []
    for entry in journal.entries():
        if entry.place_of(path) is not None and entry.state in {AdoptionState.DONE, AdoptionState.UNDONE}:
            events.append((entry.adopted, entry.proposal, True))
            if entry.state is AdoptionState.UNDONE:
                events.append((entry.changed_at, entry.proposal, False))
    found: list[Version] = []
    live: dict[str, None] = {}
    for at, proposal, is_adopted in sorted(events, key=lambda event: event[0]):
        live.pop(proposal, None)
        if is_adopted:
            live[proposal] = None
        found.append(Version(len(found) + 1, at, proposal, is_adopted, tuple(live)))
    return tuple(found)


def preview_of(store: SqliteStore, journal: Journal, wanted: Sequence[Step]) -> Plan:
    """Return what these steps together would write."""
    preview = Plan((), ())
    undone: list[str] = []
    with TemporaryDirectory() as folder:
        scratch = Path(folder)
        for step in wanted:
            if step.adopting:
                for one in named(store, step.proposal, scratch=scratch, states=(*OPEN, ADOPTED), undone=undone):
                    proposal = read_proposal(one.folder)
                    preview = preview.then(plan_adoption(one.folder, proposal, journal=journal, over=preview.texts))
            else:
                entry = adopted(undoable(store, journal, step.proposal), journal)
                preview = preview.then(plan_undo(entry, journal=journal, over=preview.texts, undone=undone))
                undone.append(entry.proposal)
    return preview
