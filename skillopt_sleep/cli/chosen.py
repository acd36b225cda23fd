"""Find the proposals that a person names; a name such as P-0001.2 is one rule of a proposal."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.cli.console import say
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.records import Deed, Evidence, Proposal
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
        return [_with_folder(store, decided) for decided in among]
    if not names:
        ids = ", ".join(decided.proposal.id for decided in among) or "none"
        raise ConfigError("no proposal is named", remedy=f"name one, or use --all; {state}: {ids}")
    found: list[Chosen] = []
    for name in names:
        found += named(store, name, scratch=scratch)
    return found


def named(store: SqliteStore, name: str, *, scratch: Path | None = None) -> list[Chosen]:
    """Return the proposal of this name; of one that was divided its rules that can still be decided on."""
    known = {decided.proposal.id: decided for decided in store.bank.proposals()}
    decided = known.get(name.upper())
    if decided is None:
        whole = known.get(name.upper().rpartition(".")[0])
        if whole is None:
            ids = ", ".join([*known][-5:]) or "none yet"
            raise ConfigError(f"there is no proposal {name!r}", remedy=f"the last ones: {ids}")
        return [_rule(store, whole, name.upper(), scratch)]
    parts = [one for one in known.values() if one.proposal.id.startswith(f"{decided.proposal.id}.")]
    if decided.state == WITHDRAWN:
        left = [_with_folder(store, part) for part in parts if part.state in OPEN]
        if left:
            return left
    return [_with_folder(store, decided)]


def _rule(store: SqliteStore, whole: Decided, name: str, scratch: Path | None) -> Chosen:
    """Divide a proposal and return one of its rules, which waits; ConfigError if it has no such rule."""
    from skillopt_sleep.proposals.divide import divide

    proposal = whole.proposal
    count = len(proposal.edits)
    number = name.rpartition(".")[2]
    if not number.isdecimal() or not 1 <= int(number) <= count:
        raise ConfigError(
            f"{proposal.id} has no rule {number!r}", remedy=f"its rules are {proposal.id}.1 to {proposal.id}.{count}"
        )
    if whole.state not in OPEN or count == 1:
        rules = "one rule" if count == 1 else f"{count} rules"
        raise ConfigError(
            f"{proposal.id} is {whole.state} and has {rules}, so none is taken by itself",
            remedy=f"name it whole: {proposal.id}",
        )
    folder = _with_folder(store, whole).folder
    parts = divide(proposal, folder, signs=_signs(store, proposal), into=scratch or folder.parent)
    if scratch is None:
        store.bank.divide(proposal.id, parts, at=utc_now(), because="taken rule by rule")
    part = parts[int(number) - 1]
    return Chosen(Decided(part, WAITING, "", ""), (scratch or folder.parent) / part.id)


def _signs(store: SqliteStore, proposal: Proposal) -> dict[str, tuple[list[Evidence], list[Deed]]]:
    """Return what the person said and did for each lesson of a proposal."""
    signs: dict[str, tuple[list[Evidence], list[Deed]]] = {}
    for entry in store.bank.entries():
        task = entry.task
        if task.lesson in proposal.lessons:
            words, deeds = signs.setdefault(task.lesson, ([], []))
            words += task.evidence
            deeds += task.deeds
    return signs


def _with_folder(store: SqliteStore, decided: Decided) -> Chosen:
    proposal = decided.proposal
    return Chosen(decided, store.folder(proposal.night) / "proposals" / proposal.id)
