"""Work out what an adoption or an undo would write, in the files as they are now.

Only our part of a file is compared with what it was: what a person writes elsewhere changes nothing. Where they
edited our part by hand, the change is merged into it, and asks for their yes.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.errors import ProposalError, StaleProposal, UnsafeEdit, UnsafePath
from skillopt_sleep.proposals import live, paths
from skillopt_sleep.proposals.attributes import attributes_of
from skillopt_sleep.proposals.entry import AdoptionState, Entry
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.rules import find_rule, places, units
from skillopt_sleep.proposals.stage import BASE, RESULT
from skillopt_sleep.proposals.written import Move
from skillopt_sleep.records import Proposal

Texts = Mapping[Path, bytes | None]


class Plan(NamedTuple):
    """The files as they are and as they become; in those that are `edited` our part was changed by hand.

    Of an undo, `held` says whether something that the adoption put into a file is there, and not the person's by now.
    """

    moves: tuple[Move, ...]
    edited: tuple[str, ...]
    held: bool = False

    @property
    def changing(self) -> tuple[Move, ...]:
        """The files that change."""
        return tuple(move for move in self.moves if move.new != move.old)

    @property
    def texts(self) -> dict[Path, bytes | None]:
        """The new bytes of each file."""
        return {move.target: move.new for move in self.moves}

    def then(self, following: "Plan") -> "Plan":
        """Return this plan together with the one that follows it, which was made for its texts."""
        moves = {move.target: move for move in self.moves}
        for move in following.moves:
            moves[move.target] = moves.get(move.target, move)._replace(new=move.new)
        return Plan(tuple(moves.values()), tuple(dict.fromkeys((*self.edited, *following.edited))))


class MergeNeeded(ProposalError):
    """Our part of a file was edited by hand: a person has to see the merge and agree to it."""

    def __init__(self, plan: Plan, proposal: str, command: str) -> None:
        super().__init__(
            f"you edited the rules in {' and '.join(plan.edited)} by hand, so nothing was written",
            remedy=f"look first: skillopt-sleep {command} {proposal} --dry-run; "
            f"then: skillopt-sleep {command} {proposal} --yes",
        )
        self.plan = plan
        self.proposal = proposal


def agree(plan: Plan, agreed: Plan | None, proposal: str, *, command: str) -> None:
    """Raise MergeNeeded unless no edit by hand is touched, or the person agreed to exactly these texts.

    `command` is what they run to take the plan.
    """
    if plan.edited and (agreed is None or agreed.texts != plan.texts):
        raise MergeNeeded(plan, proposal, command)


def plan_adoption(folder: Path, proposal: Proposal, *, journal: Journal, over: Texts | None = None) -> Plan:
    """Return what adopting the proposal in this folder would write; `over` are texts to take for those on disk."""
    moves: list[Move] = []
    edited: list[str] = []
    for path, old, new in _staged(folder, proposal):
        target, now = _now(path, Path(proposal.root), moves, over or {})
        if old == new:
            raise UnsafeEdit(
                f"{proposal.id} changes nothing in our part of {path}", remedy=f"skillopt-sleep reject {proposal.id}"
            )
        # A rule that was ours before and stands in another layout, or as the person's, isn't written beside itself.
        rules = _rules(path, None, new, old) if journal.get(proposal.id) else ()
        changed = live.change(path, now, old, new, rules=rules)
        attributes = attributes_of(target) if target.exists() else None
        text = now if live.body(path, now) == new else changed.data
        moves.append(Move(str(path), target, now, text, attributes))
        # A file that isn't there holds nothing of the person's.
        by_hand = now is not None and not _is_ours(changed.body, old, path, target, journal)
        if text != now and (changed.overlaps or by_hand):
            edited.append(str(path))
    return Plan(tuple(moves), tuple(edited))


def plan_undo(entry: Entry, *, journal: Journal, over: Texts | None = None, undone: Collection[str] = ()) -> Plan:
    """Return what undoing the adoption would write: the files without what it put there, whatever came after.

    A file that is gone is left out. `over` are texts to take for those on disk, and `undone` proposals to take for
    undone, as an undo before this one would leave them.
    """
    moves: list[Move] = []
    edited: list[str] = []
    held = False
    for index, file in enumerate(entry.files):
        path = Path(file.path)
        target, now = _now(path, Path(entry.root), moves, over or {})
        if now is None:
            continue
        before, after = journal.texts(entry, index)
        old, new = live.body(path, after), live.body(path, before)
        # After an undo, all outside of our markers is the person's.
        rules = _rules(path, now if entry.state is AdoptionState.UNDONE else after, old, new)
        attributes = attributes_of(target) if target.exists() else None
        if now == after and str(target) == file.target and rules == _rules(path, before, old, new):
            held = True
            moves.append(Move(file.path, target, now, before, attributes))
            continue
        changed = live.change(path, now, old, new, rules=rules)
        held = held or changed.data != now
        others = _other_adoptions(entry, path, journal, undone)
        text = _without_block(path, changed.data, journal=journal, stands=bool(others))
        replaced = changed.overlaps and entry.state is not AdoptionState.UNDONE
        if changed.data == now and not replaced:
            text = now
        moves.append(Move(file.path, target, now, text, attributes))
        by_hand = not _is_ours(changed.body, old, path, target, journal)
        if changed.overlaps and not by_hand:
            gone = set(old.split("\n")) - {*new.split("\n"), *changed.body.split("\n")}
            _refuse_followed(entry, path, gone, others, journal)
        if text != now and (changed.overlaps or by_hand):
            edited.append(file.path)
    return Plan(tuple(moves), tuple(edited), held)


def plan_rest(path: Path, *, journal: Journal, over: Texts | None = None) -> Plan:
    """Return what takes out of a file all between our markers.

    A file of our own may hold the person's lines too: there it is all of it, and only if the record of some adoption
    is gone, as after a purge.
    """
    path = path.resolve()
    target, now = _now(path, path.parent, (), over or {})
    body = live.body(path, now)
    known = [entry for entry in journal.entries() if entry.place_of(path) is not None]
    if not body or (live.own_file(path) and known and not journal.is_record_gone):
        return Plan((), ())
    text = _without_block(path, live.change(path, now, body, "").data, journal=journal, stands=True)
    attributes = attributes_of(target)
    return Plan((Move(str(path), target, now, text, attributes),), ())


def _rules(path: Path, text: bytes | None, body: str, other: str) -> tuple[str, ...]:
    """Return the rules of a body that another one lacks, but for those that the person's part of a text has, too."""
    theirs = live.users_part(path, text).split("\n")
    return tuple(rule for rule in units(body) if not find_rule(other, rule) and not any(places(rule, theirs)))


def is_unedited(folder: Path, proposal: Proposal) -> bool:
    """Return whether all lines that the proposal in this folder adds or takes out are so in the files as they are."""
    for path, before, after in _staged(folder, proposal):
        _, now = _now(path, Path(proposal.root), (), {})
        lines = set(live.body(path, now).split("\n"))
        old, new = set(before.split("\n")), set(after.split("\n"))
        if not new - old <= lines or any(line.strip() for line in (old - new) & lines):
            return False
    return True


def _staged(folder: Path, proposal: Proposal) -> Iterator[tuple[Path, str, str]]:
    """Yield each file of a proposal, with its rules before and after the change as it was staged."""
    for index, file in enumerate(proposal.files):
        path = Path(file.path)
        base = staged_text(folder, BASE, index, file.base, proposal)
        result = staged_text(folder, RESULT, index, file.result, proposal)
        yield path, live.body(path, base), live.body(path, result)


def staged_text(folder: Path, name: str, index: int, digest: str, proposal: Proposal) -> bytes | None:
    """Return bytes that were staged, None if there was no file; raise StaleProposal if they are damaged."""
    if not digest:
        return None
    try:
        data = (folder / paths.numbered(name, index)).read_bytes()
    except OSError as error:
        raise StaleProposal(
            f"a text of proposal {proposal.id} is missing: {error}",
            remedy=f"reject it, and it is learned again: skillopt-sleep reject {proposal.id}",
        ) from error
    if paths.digest(data) != digest:
        raise StaleProposal(
            f"a text of proposal {proposal.id} was changed since it was staged",
            remedy=f"reject it: skillopt-sleep reject {proposal.id}",
        )
    return data


def _now(path: Path, root: Path, moves: Sequence[Move], over: Texts) -> tuple[Path, bytes | None]:
    """Return the real file behind a path, and its bytes; raise UnsafePath if another path leads to it too."""
    target = paths.writable(path, root=root)
    for move in moves:
        if move.target == target:
            raise UnsafePath(
                f"{path} and {move.path} lead to the same file by now", remedy="make each a plain file of its own"
            )
    if target in over:
        return target, over[target]
    return target, paths.read_live(target)


def _is_ours(body: str, old: str, path: Path, target: Path, journal: Journal) -> bool:
    """Return whether the rules are as the change knew them, or as an adoption or undo left them."""
    if body == old:
        return True
    for text in journal.known(str(target)):
        try:
            if live.body(path, text) == body:
                return True
        except ProposalError:
            continue
    return False


def _other_adoptions(entry: Entry, path: Path, journal: Journal, undone: Collection[str]) -> list[Entry]:
    """Return the other adoptions that stand in this file, oldest first."""
    others: list[Entry] = []
    for other in journal.entries():
        stands = other.state is AdoptionState.DONE and other.proposal not in {entry.proposal, *undone}
        if stands and other.place_of(path) is not None:
            others.append(other)
    return others


def _without_block(path: Path, data: bytes, *, journal: Journal, stands: bool) -> bytes | None:
    """Return the file without the enclosure of our part if no rule of ours is left; None if it is to be removed.

    `stands` says that another adoption of it stands.
    """
    if live.is_bare(path, data):
        return None
    if live.own_file(path) is not None:
        return data
    left = set(live.body(path, data).split("\n"))
    if left == {""} or stands or journal.is_record_gone:
        return data
    changes = list(_adopted_lines(path, journal.entries(), journal))
    # What stood in the block before our first adoption that is known may be of another one.
    _, known, _ = changes[0]
    ours = set(known)
    for _, before, after in changes:
        ours |= after - before
    if {line for line in left & ours if line.strip()}:
        return data
    return live.without_markers(path, data)


def _adopted_lines(
    path: Path, entries: Iterable[Entry], journal: Journal
) -> Iterator[tuple[Entry, set[str], set[str]]]:
    """Yield each of these adoptions that wrote the file, with the lines of our part before and after it."""
    for entry in entries:
        place = entry.place_of(path)
        if place is not None:
            before, after = journal.texts(entry, place)
            yield entry, set(live.body(path, before).split("\n")), set(live.body(path, after).split("\n"))


def _refuse_followed(
    entry: Entry, path: Path, gone: Collection[str], others: Sequence[Entry], journal: Journal
) -> None:
    """Raise StaleProposal if a later adoption took these lines of this one away: its undo would bring them back."""
    later = [other for other in reversed(others) if other.adopted >= entry.adopted]
    for other, before, after in _adopted_lines(path, later, journal):
        if any(line.strip() for line in (before - after) & set(gone)):
            raise StaleProposal(
                f"a rule of {entry.proposal} was changed again by {other.proposal}",
                remedy=f"first run: skillopt-sleep undo {other.proposal}",
            )
