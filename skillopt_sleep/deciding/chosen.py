"""Find the proposals and files that a person names; a name such as P-0001.2 is one rule of a proposal."""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.proposals.divide import divide
from skillopt_sleep.stores.bank import OPEN, WAITING, WITHDRAWN, Decided
from skillopt_sleep.stores.sqlite import SqliteStore


class Chosen(NamedTuple):
    """A proposal with its decision, and the folder with its texts."""

    decided: Decided
    folder: Path

    @property
    def name(self) -> str:
        """The id of the proposal."""
        return self.decided.proposal.id


def named(
    store: SqliteStore,
    name: str,
    *,
    scratch: Path | None = None,
    states: Collection[str] = OPEN,
    undone: Collection[str] = (),
) -> list[Chosen]:
    """Return the proposal of this name; of one that was divided its rules in these states.

    To name one rule divides its proposal, in the folder `scratch` only if one is given; `undone` are proposals to
    take for undone. Raises ConfigError if the name is unknown.
    """
    wanted = name.upper()
    known = {decided.proposal.id: decided for decided in store.bank.family(wanted)}
    decided = known.get(wanted)
    if decided is None:
        above = wanted.rpartition(".")[0]
        whole = {one.proposal.id: one for one in store.bank.family(above)}.get(above)
        if whole is None:
            ids = ", ".join(one.proposal.id for one in store.bank.proposals()[-5:]) or "none yet"
            raise ConfigError(f"there is no proposal {name!r}", remedy=f"the last ones: {ids}")
        return [_rule(store, whole, wanted, scratch, undone)]
    parts = [one for one in known.values() if one.proposal.id.startswith(f"{decided.proposal.id}.")]
    if decided.state == WITHDRAWN:
        left = [with_folder(store, part) for part in parts if part.state in states]
        if left:
            return left
    return [with_folder(store, decided)]


def file_named(store: SqliteStore, name: str) -> Path:
    """Return the file that a person names, by its path or as it is shown, as in shop-api/CLAUDE.md."""
    path = Path(name).expanduser()
    files = [file for decided in store.bank.proposals() for file in decided.proposal.files]
    shown = {file.path for file in files if file.document == name}
    return path if path.exists() or len(shown) != 1 else Path(*shown)


def single_rules(store: SqliteStore, whole: Decided, *, scratch: Path) -> list[Chosen]:
    """Return each rule of a proposal as one of its own, written only into this folder.

    Raises UnsafeEdit if they build on one another.
    """
    proposal = whole.proposal
    known = store.lessons.named(proposal.lessons)
    parts = divide(proposal, with_folder(store, whole).folder, lessons=known, into=scratch)
    return [Chosen(Decided(part, WAITING, "", ""), scratch / part.id) for part in parts]


def place_of(whole: Decided, name: str) -> int:
    """Return the place of a rule among those of its proposal, from 0; ConfigError if it has no such rule."""
    proposal = whole.proposal
    number, count = name.rpartition(".")[2], len(proposal.edits)
    if not number.isdecimal() or not 1 <= int(number) <= count:
        raise ConfigError(
            f"{proposal.id} has no rule {number!r}", remedy=f"its rules are {proposal.id}.1 to {proposal.id}.{count}"
        )
    return int(number) - 1


def _rule(store: SqliteStore, whole: Decided, name: str, scratch: Path | None, undone: Collection[str]) -> Chosen:
    """Divide a proposal and return one of its rules, which waits; the only rule of one is the proposal itself."""
    proposal = whole.proposal
    place, count = place_of(whole, name), len(proposal.edits)
    if count == 1:
        return with_folder(store, whole)
    if whole.state not in OPEN and proposal.id not in undone:
        raise ConfigError(
            f"{proposal.id} is {whole.state} and has {count} rules, so none is taken by itself",
            remedy=f"name it whole: {proposal.id}; once undone, its rules are adopted one by one, as {proposal.id}.1",
        )
    into = scratch or with_folder(store, whole).folder.parent
    parts = single_rules(store, whole, scratch=into)
    if scratch is None:
        divided = [part.decided.proposal for part in parts]
        store.bank.divide(proposal.id, divided, at=utc_now(), because="taken rule by rule")
    return parts[place]


def with_folder(store: SqliteStore, decided: Decided) -> Chosen:
    """Return a proposal of the bank with the folder of its texts."""
    proposal = decided.proposal
    return Chosen(decided, store.folder(proposal.night) / "proposals" / proposal.id)
