"""Show what decisions would write before they are taken."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from skillopt_sleep.deciding.chosen import named
from skillopt_sleep.deciding.undo import undoable
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import Plan, plan_adoption, plan_undo
from skillopt_sleep.proposals.stage import read_proposal
from skillopt_sleep.proposals.undo import adopted
from skillopt_sleep.proposals.versions import Step
from skillopt_sleep.stores.sqlite import SqliteStore


class Changing(NamedTuple):
    """A file with its bytes as they are and as they would be, None for no file."""

    path: str
    old: bytes | None
    new: bytes | None


class Preview:
    """The files that several decisions would write, one after the other.

    In those that are `edited` the person changed our part by hand, so that a decision is merged into it.
    """

    def __init__(self) -> None:
        self._first: dict[Path, tuple[str, bytes | None]] = {}
        self.edited: dict[str, None] = {}
        self.texts: dict[Path, bytes | None] = {}

    def add(self, plan: Plan) -> None:
        """Take the plan of the next decision, made for the texts so far."""
        for move in plan.moves:
            self._first.setdefault(move.target, (move.path, move.old))
        self.texts |= plan.texts
        self.edited |= dict.fromkeys(plan.edited)

    def changes(self) -> list[Changing]:
        """Return each file with what all decisions together make of it."""
        return [Changing(path, old, self.texts[target]) for target, (path, old) in self._first.items()]


def preview_of(store: SqliteStore, journal: Journal, wanted: Sequence[Step]) -> Preview:
    """Return what these steps would write."""
    preview = Preview()
    undone: list[str] = []
    with TemporaryDirectory() as folder:
        scratch = Path(folder)
        journal = journal.copied(scratch / "journal")
        for step in wanted:
            if step.adopting:
                (one,) = named(store, step.proposal, scratch=scratch)
                proposal = read_proposal(one.folder)
                preview.add(plan_adoption(one.folder, proposal, journal=journal, over=preview.texts))
            else:
                entry = adopted(undoable(store, journal, step.proposal, scratch=scratch), journal)
                preview.add(plan_undo(entry, journal=journal, over=preview.texts, undone=undone))
                undone.append(entry.proposal)
    return preview
