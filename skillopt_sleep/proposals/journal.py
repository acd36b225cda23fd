"""What was adopted, with the exact bytes of before: enough to undo it, and to finish it after a crash."""

import re
import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from enum import StrEnum
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from skillopt_sleep.errors import AdoptInterrupted, ProposalError, UnsafePath
from skillopt_sleep.kit.attributes import Attributes
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import PRIVATE_FILE, private_dir, remove_empty, write_atomic
from skillopt_sleep.proposals import paths
from skillopt_sleep.records import Record

LOCK_SECONDS = 10

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class AdoptionState(StrEnum):
    """How far an adoption is; `interrupted` is a crash after which the file was edited, and left so."""

    PREPARED = "prepared"
    DONE = "done"
    UNDOING = "undoing"
    UNDONE = "undone"
    INTERRUPTED = "interrupted"


class Entry(Record, frozen=True, kw_only=True):
    """One adoption: `target` is the real file behind `path`; `before` is empty where there was no file.

    `folders` are the ones it made that may be there still, outermost first. `attributes` are the file's of before, or
    None for a new file; an earlier version wrote down the mode alone.
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


class Journal:
    """A folder with one folder per adoption: `before` and `after` as bytes, and `journal.json`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = FileLock(folder / ".lock", timeout=LOCK_SECONDS, mode=PRIVATE_FILE)

    @contextmanager
    def held(self) -> Generator[None, None, None]:
        """Keep other processes from adopting or undoing meanwhile; ProposalError where one does for too long."""
        try:
            private_dir(self._folder)
            self._lock.acquire()
        except Timeout as error:
            raise ProposalError(
                "another adoption or undo is running", remedy="wait for it to end, then try again"
            ) from error
        except OSError as error:
            raise ProposalError(
                f"{self._folder} can't be used: {error.strerror}", remedy="make room, or make the folder writable"
            ) from error
        try:
            yield
        finally:
            self._lock.release()

    def entries(self) -> tuple[Entry, ...]:
        """All adoptions that can be read, oldest first."""
        found = [one for one in self._all() if isinstance(one, Entry)]
        return tuple(sorted(found, key=lambda entry: entry.adopted))

    def damaged(self) -> tuple[AdoptInterrupted, ...]:
        """Why the others can't be read: they are left as they are, and stand in the way of none."""
        return tuple(one for one in self._all() if isinstance(one, AdoptInterrupted))

    def get(self, proposal: str) -> Entry | None:
        """The adoption of this proposal, or None; AdoptInterrupted where it can't be read."""
        file = self._of(proposal) / "journal.json"
        return self._read(file) if file.exists() else None

    def before(self, entry: Entry) -> Path:
        """Where the bytes of before are; the file is absent where there was none."""
        return self._of(entry.proposal) / "before"

    def after(self, entry: Entry) -> Path:
        """Where the adopted bytes are."""
        return self._of(entry.proposal) / "after"

    def prepare(self, entry: Entry, *, before: bytes | None, after: bytes) -> None:
        """Write down what is about to happen, in place of an earlier entry of the same proposal.

        ProposalError where that one has bytes of before that would be lost.
        """
        self._refuse_loss(entry)
        self.forget(entry)
        private_dir(self._of(entry.proposal))
        if before is not None:
            write_atomic(self.before(entry), before)
        write_atomic(self.after(entry), after)
        self._write(entry)

    def mark(self, entry: Entry, state: AdoptionState, *, undone: datetime | None = None) -> None:
        """Write down how far the adoption is now."""
        self._write(msgspec.structs.replace(entry, state=state, undone=undone))

    def take_back(self, entry: Entry, *, at: datetime | None) -> Entry:
        """Write down that it is undone, once its folders are gone; those that the disk keeps stay in the entry."""
        ended = msgspec.structs.replace(
            entry, state=AdoptionState.UNDONE, undone=at, folders=remove_empty(entry.folders)
        )
        if ended != entry:
            self._write(ended)
        return ended

    def give_up(self, entry: Entry) -> None:
        """Drop an entry of which nothing was written, once its folders are gone."""
        if not remove_empty(entry.folders):
            self.forget(entry)

    def left_folders(self, target: Path) -> tuple[str, ...]:
        """The folders above this file that an undo was to remove and couldn't, outermost first."""
        left = {folder for entry in self.entries() if entry.state is AdoptionState.UNDONE for folder in entry.folders}
        return tuple(str(folder) for folder in reversed(target.parents) if str(folder) in left)

    def forget(self, entry: Entry) -> None:
        """Drop the entry, as if it had never been."""
        self._drop(self._of(entry.proposal))

    def recover(self) -> None:
        """Settle what a crash left half-way: each file is then exactly old or new, and its entry agrees.

        A file that was edited meanwhile is left as it is, and told of once, by AdoptInterrupted. What can't be read
        is passed over.
        """
        if not self._folder.is_dir():
            return
        with self.held():
            for folder in sorted(path for path in self._folder.iterdir() if path.is_dir()):
                if not (folder / "journal.json").exists():
                    self._drop(folder)
                    continue
                try:
                    entry = self._read(folder / "journal.json")
                except AdoptInterrupted:
                    continue
                for half in folder.glob(".*"):
                    half.unlink()
                if entry.state in (AdoptionState.PREPARED, AdoptionState.UNDOING):
                    self._settle(entry)
                elif entry.state is AdoptionState.UNDONE and entry.folders:
                    self.take_back(entry, at=entry.undone)

    def _refuse_loss(self, entry: Entry) -> None:
        known = self.get(entry.proposal)
        if known is None or (known.path == entry.path and known.before == entry.before):
            return
        if known.path != entry.path or known.state is not AdoptionState.UNDONE:
            raise ProposalError(
                f"{entry.proposal} is also the number of an adoption of {known.path}, whose undo would be lost",
                remedy=f"undo that one if you want to, then move {self._of(entry.proposal)} elsewhere",
            )

    def _settle(self, entry: Entry) -> None:
        target = Path(entry.target)
        with suppress(OSError):
            self._sweep(entry, target)
        try:
            now = paths.digest(paths.read_live(target))
        except UnsafePath as error:
            self.mark(entry, AdoptionState.INTERRUPTED)
            raise AdoptInterrupted(
                f"an adoption of {entry.path} stopped half-way, and {error.message}", remedy=error.remedy
            ) from error
        if now == entry.after:
            self.mark(entry, AdoptionState.DONE)
        elif now != entry.before:
            self.mark(entry, AdoptionState.INTERRUPTED)
            copy = self.before(entry) if entry.existed else self.after(entry)
            raise AdoptInterrupted(
                f"{entry.path} was edited after an adoption of it had stopped half-way; it is left as it is"
                f" ({now[:12] or 'deleted'}, was {entry.before[:12] or 'no file'}, to be {entry.after[:12]})",
                remedy=f"{'what it was before' if entry.existed else 'what was adopted'} is in {copy}",
            )
        elif entry.state is AdoptionState.UNDOING:
            self.take_back(entry, at=entry.undone)
        else:
            self.give_up(entry)

    def _sweep(self, entry: Entry, target: Path) -> None:
        """Remove the half-written copies a killed writer left beside the target: by name, and by their bytes."""
        name = re.compile(re.escape(f".{target.name}.") + "[a-z0-9_]{8}")
        whole = [copy.read_bytes() for copy in (self.before(entry), self.after(entry)) if copy.exists()]
        beside = target.parent.iterdir() if target.parent.is_dir() else ()
        for path in [path for path in beside if name.fullmatch(path.name)]:
            if path.is_file() and not path.is_symlink():
                data = path.read_bytes()
                if any(known.startswith(data) for known in whole):
                    path.unlink()

    def _of(self, proposal: str) -> Path:
        if not _ID.fullmatch(proposal):
            raise ProposalError(f"{proposal!r} isn't the id of a proposal", remedy="see: skillopt-sleep status")
        return self._folder / proposal

    def _all(self) -> Iterator[Entry | AdoptInterrupted]:
        for file in sorted(self._folder.glob("*/journal.json")):
            try:
                yield self._read(file)
            except AdoptInterrupted as error:
                yield error

    def _read(self, file: Path) -> Entry:
        try:
            return from_json(file.read_bytes(), Entry)
        except (msgspec.DecodeError, OSError) as error:
            raise AdoptInterrupted(
                f"{file} can't be read: {error}",
                remedy="use the version of skillopt-sleep that wrote it, or move its folder elsewhere: it holds the"
                " text of before",
            ) from error

    def _write(self, entry: Entry) -> None:
        write_atomic(self._of(entry.proposal) / "journal.json", to_json(entry, pretty=True))

    def _drop(self, folder: Path) -> None:
        # The record goes first: what is left of a folder without one is dropped by the next recovery.
        (folder / "journal.json").unlink(missing_ok=True)
        if folder.exists():
            shutil.rmtree(folder)
