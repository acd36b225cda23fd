"""Define the journal's entry for one adoption, and for each file that it writes."""

from datetime import datetime
from enum import StrEnum
from pathlib import Path

from skillopt_sleep.records import Proposal, Record


class AdoptionState(StrEnum):
    """The state of an adoption; `interrupted` means that the file was edited after a crash, and left as it is."""

    PREPARED = "prepared"
    DONE = "done"
    UNDOING = "undoing"
    UNDONE = "undone"
    INTERRUPTED = "interrupted"


class Written(Record, frozen=True, kw_only=True):
    """One file of an adoption: `target` is the real file behind `path`.

    `before` and `after` are SHA-256 digests, "" for no file.
    """

    path: str
    target: str
    before: str
    after: str


class Entry(Record, frozen=True, kw_only=True):
    """One adoption: the files it writes, all or none.

    `folders` are those the adoption created that may still exist, each before those inside of it. `made` is the
    SHA-256 of the text that the proposal was staged with. `taken_back` are the files as an undo leaves (`before`) and
    found (`after`) them.
    """

    proposal: str
    root: str
    files: tuple[Written, ...]
    made: str
    folders: tuple[str, ...]
    state: AdoptionState
    adopted: datetime
    undone: datetime | None = None
    taken_back: tuple[Written, ...] = ()

    @property
    def path(self) -> str:
        """The first of its files."""
        return self.files[0].path

    @property
    def moving(self) -> tuple[Written, ...]:
        """The files that are being written, each without the proposal (`before`) and with it (`after`)."""
        return self.taken_back or self.files

    @property
    def changed_at(self) -> datetime:
        """When it was adopted, or undone."""
        if self.state is AdoptionState.UNDONE and self.undone is not None:
            return self.undone
        return self.adopted

    def place_of(self, path: Path) -> int | None:
        """Return the place of this file among those it wrote, from 0; None if it isn't one of them."""
        for place, file in enumerate(self.files):
            if str(path) in (file.path, file.target):
                return place
        return None

    def is_of(self, proposal: Proposal) -> bool:
        """Return whether this is an adoption of the proposal as it was staged."""
        return (self.proposal, self.path, self.made) == (proposal.id, proposal.path, proposal.files[0].result)
