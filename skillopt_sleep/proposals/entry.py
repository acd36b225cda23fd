"""Define the journal's entry for one adoption."""

from datetime import datetime
from enum import StrEnum

import msgspec

from skillopt_sleep.kit.attributes import Attributes
from skillopt_sleep.proposals.written import Written
from skillopt_sleep.records import Record


class AdoptionState(StrEnum):
    """The state of an adoption; `interrupted` means that the file was edited after a crash, and left as it is."""

    PREPARED = "prepared"
    DONE = "done"
    UNDOING = "undoing"
    UNDONE = "undone"
    INTERRUPTED = "interrupted"


class Entry(Record, frozen=True, kw_only=True):
    """One adoption: the file it writes, described as by Written, and the further ones (`also`), all or none.

    `folders` are those the adoption created that may still exist, each before those inside of it. `made` is the
    SHA-256 of the text that the proposal was staged with, "" if an older version kept the entry. `taken_back` are the
    files as an undo leaves them (`before`) and found them (`after`).
    """

    proposal: str
    path: str
    target: str
    root: str
    existed: bool
    attributes: Attributes | int | None = msgspec.field(name="mode")
    before: str
    after: str
    folders: tuple[str, ...]
    state: AdoptionState
    adopted: datetime
    undone: datetime | None = None
    also: tuple[Written, ...] = ()
    made: str = ""
    taken_back: tuple[Written, ...] = ()

    @property
    def files(self) -> tuple[Written, ...]:
        """All files of the adoption."""
        first = Written(
            path=self.path,
            target=self.target,
            existed=self.existed,
            attributes=self.attributes,
            before=self.before,
            after=self.after,
        )
        return (first, *self.also)

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

    def is_for(self, proposal: str, path: str, result: str) -> bool:
        """Return whether this is an adoption of the proposal of that number that was staged with this text."""
        return (self.proposal, self.path, self.made or self.after) == (proposal, path, result)

    @property
    def originals(self) -> tuple[tuple[str, str], ...]:
        """The path of each file with the digest of what it was before."""
        return tuple((file.path, file.before) for file in self.files)
