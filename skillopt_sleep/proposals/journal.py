"""Keep the journal of adoptions, with the exact bytes from before, so that each can be undone or finished."""

import re
import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from skillopt_sleep.errors import AdoptInterrupted, ProposalError, UnsafePath
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import PRIVATE_FILE, private_dir, remove_empty, write_atomic
from skillopt_sleep.proposals import paths
from skillopt_sleep.proposals.attributes import attributes_of
from skillopt_sleep.proposals.entry import AdoptionState, Entry
from skillopt_sleep.proposals.written import Move, sweep

LOCK_SECONDS = 10

RECORD = "journal.json"
_PURGED = "purged"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Journal:
    """A folder with one folder for each adoption: `journal.json`, and the texts that it names by their digest."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = FileLock(folder / ".lock", timeout=LOCK_SECONDS, mode=PRIVATE_FILE)

    @contextmanager
    def held(self) -> Generator[None, None, None]:
        """Hold the lock on adopting and undoing; raise ProposalError if another process holds it for too long."""
        try:
            private_dir(self._folder)
            self._lock.acquire()
        except Timeout as error:
            raise ProposalError(
                "another adoption or undo is running", remedy="wait for it to finish, then try again"
            ) from error
        except OSError as error:
            raise ProposalError(
                f"{self._folder} can't be used: {error.strerror}",
                remedy="free some space, or make the folder writable",
            ) from error
        try:
            yield
        finally:
            self._lock.release()

    def entries(self) -> tuple[Entry, ...]:
        """Return all adoptions that can be read, oldest first."""
        entries = [entry for entry in self._all() if isinstance(entry, Entry)]
        return tuple(sorted(entries, key=lambda entry: entry.adopted))

    def damaged(self) -> tuple[AdoptInterrupted, ...]:
        """Return why the other adoptions can't be read; they are left alone and block nothing."""
        return tuple(error for error in self._all() if isinstance(error, AdoptInterrupted))

    def get(self, proposal: str) -> Entry | None:
        """Return the adoption of this proposal, or None; raise AdoptInterrupted if it can't be read."""
        file = self._folder_of(proposal) / RECORD
        if not file.exists():
            return None
        return self._read(file)

    def copy_of(self, entry: Entry, digest: str) -> Path:
        """Return where an adoption's text with this digest is; nothing is there if it stands for no file."""
        return self._folder_of(entry.proposal) / (digest or "none")

    def texts(self, entry: Entry, index: int) -> tuple[bytes | None, bytes | None]:
        """Return the bytes of one of its files from before and those adopted; raise AdoptInterrupted if damaged."""
        file = entry.files[index]
        before = _copy(self.copy_of(entry, file.before), file.before, file.path)
        return before, _copy(self.copy_of(entry, file.after), file.after, file.path)

    def known(self, target: str) -> Iterator[bytes]:
        """Yield every text that is kept of the file: those we found there, and those we left."""
        for entry in self.entries():
            for file in (*entry.files, *entry.taken_back):
                if file.target == target:
                    for digest in (file.before, file.after):
                        with suppress(OSError):
                            yield self.copy_of(entry, digest).read_bytes()

    def prepare(self, entry: Entry, *texts: tuple[bytes | None, bytes | None]) -> None:
        """Record an adoption that is about to happen, in place of an earlier entry of the same proposal.

        `texts` are the bytes of each file from before and those to adopt. Raises ProposalError if that would lose
        bytes which the earlier entry needs for its undo.
        """
        known = self.get(entry.proposal)
        is_back = known is not None and known.path == entry.path and known.state is AdoptionState.UNDONE
        if known is not None and not is_back and _originals(known) != _originals(entry):
            raise ProposalError(
                f"{entry.proposal} is also the number of an adoption of {known.path}, whose undo would be lost",
                remedy=f"undo that adoption if you want to, then move {self._folder_of(entry.proposal)} elsewhere",
            )
        self.replace(entry, *texts)

    def replace(self, entry: Entry, *texts: tuple[bytes | None, bytes | None]) -> None:
        """Record an adoption with these texts, in place of one of the same proposal with others.

        Killed anywhere, the one is there whole or the other is: an undo is never lost.
        """
        private_dir(self._folder_of(entry.proposal))
        self._save(entry, texts)
        self._write(entry)
        self._clear(entry)

    def mark(self, entry: Entry, state: AdoptionState) -> None:
        """Record how far the adoption is now."""
        self._write(msgspec.structs.replace(entry, state=state))

    def begin_undo(self, entry: Entry, moves: Sequence[Move], *, at: datetime) -> Entry:
        """Record an undo that is about to write these files."""
        self._save(entry, [(move.new, move.old) for move in moves])
        files = tuple(move._replace(old=move.new, new=move.old).record for move in moves)
        undoing = msgspec.structs.replace(entry, state=AdoptionState.UNDOING, undone=at, taken_back=files)
        self._write(undoing)
        return undoing

    def take_back(self, entry: Entry, *, at: datetime | None) -> Entry:
        """Remove the folders of an adoption and record it as undone; folders that can't be removed stay listed."""
        undone = msgspec.structs.replace(
            entry, state=AdoptionState.UNDONE, undone=at, folders=remove_empty(entry.folders)
        )
        if undone != entry:
            self._write(undone)
        return undone

    def give_up(self, entry: Entry) -> None:
        """Drop an entry whose files were never written, unless one of its folders can't be removed."""
        if not remove_empty(entry.folders):
            self._drop(self._folder_of(entry.proposal))

    def own_folders(self, target: Path) -> Iterator[str]:
        """Yield the folders above this file that adoptions make, outermost first: the last undo removes them."""
        made: set[str] = set()
        for entry in self.entries():
            made.update(entry.folders)
        for folder in reversed(target.parents):
            if not folder.exists() or str(folder) in made:
                yield str(folder)

    @property
    def is_record_gone(self) -> bool:
        """Whether a purge took the record of an adoption whose rules may stand in a file."""
        return (self._folder / _PURGED).exists()

    def lose_record(self) -> None:
        """Keep in mind that the record of an adoption goes."""
        private_dir(self._folder)
        write_atomic(self._folder / _PURGED, b"")

    def recover(self) -> None:
        """Finish or drop what a crash left half-way, so that each file is exactly old or new and its entry agrees.

        Of an adoption of several files either all are new or all are old. A file that was edited in the meantime is
        left as it is and reported once, by AdoptInterrupted. Entries that can't be read are skipped.
        """
        if not self._folder.is_dir():
            return
        with self.held():
            for folder in sorted(path for path in self._folder.iterdir() if path.is_dir()):
                if not (folder / RECORD).exists():
                    self._drop(folder)
                    continue
                try:
                    entry = self._read(folder / RECORD)
                except AdoptInterrupted:
                    continue
                self._clear(entry)
                if entry.state in (AdoptionState.PREPARED, AdoptionState.UNDOING):
                    self._resolve(entry)
                elif entry.state is AdoptionState.UNDONE and entry.folders:
                    self.take_back(entry, at=entry.undone)

    def _resolve(self, entry: Entry) -> None:
        """Settle what a crash left: if not all files hold the adopted text, those that do get their earlier one."""
        adopted: list[int] = []
        trouble: AdoptInterrupted | None = None
        for index, file in enumerate(entry.moving):
            with suppress(OSError):
                copies = [self.copy_of(entry, digest) for digest in (file.before, file.after)]
                sweep(file, [copy.read_bytes() for copy in copies if copy.exists()])
            try:
                now = paths.digest(paths.read_live(Path(file.target)))
            except UnsafePath as error:
                trouble = AdoptInterrupted(
                    f"an adoption of {file.path} stopped half-way, and {error.message}", remedy=error.remedy
                )
                continue
            if now == file.after:
                adopted.append(index)
            elif now != file.before:
                trouble = self._edited(entry, index, now)
        if len(adopted) == len(entry.moving):
            self.mark(entry, AdoptionState.DONE)
            return
        for index in adopted:
            trouble = self._put_back(entry, index) or trouble
        if trouble is not None:
            self.mark(entry, AdoptionState.INTERRUPTED)
            raise trouble
        if entry.state is AdoptionState.UNDOING:
            self.take_back(entry, at=entry.undone)
        else:
            self.give_up(entry)

    def _edited(self, entry: Entry, index: int, now: str) -> AdoptInterrupted:
        """Return the error that says that one of the files was edited after the crash."""
        file = entry.moving[index]
        remedy = f"the adopted text is in {self.copy_of(entry, file.after)}"
        if file.before:
            remedy = f"the text without it is in {self.copy_of(entry, file.before)}"
        return AdoptInterrupted(
            f"{file.path} was edited after an adoption of it stopped half-way, so it is left as it is"
            f" (now {now[:12] or 'deleted'}, was {file.before[:12] or 'no file'}, adopted {file.after[:12]})",
            remedy=remedy,
        )

    def _put_back(self, entry: Entry, index: int) -> AdoptInterrupted | None:
        """Put one of the files back as it was; return the error if that isn't possible."""
        file = entry.moving[index]
        try:
            target = paths.writable(Path(file.path), root=Path(entry.root))
            before = _copy(self.copy_of(entry, file.before), file.before, file.path)
            move = Move(file.path, target, paths.read_live(target), before, attributes_of(target))
            why = "the path leads elsewhere by now"
            if str(target) == file.target:
                why = "another program wrote it at this moment"
                if move.write():
                    return None
        except ProposalError as error:
            why = error.message
        except OSError as error:
            why = error.strerror or str(error)
        return AdoptInterrupted(
            f"an adoption stopped half-way, and {file.path}, which has the adopted text, can't be put back: {why}",
            remedy=f"repair that, then run: skillopt-sleep undo {entry.proposal}",
        )

    def _save(self, entry: Entry, texts: Sequence[tuple[bytes | None, bytes | None]]) -> None:
        """Write each of these texts under its digest, none for a file that isn't there."""
        for text in (text for both in texts for text in both):
            if text is not None:
                write_atomic(self.copy_of(entry, paths.digest(text)), text)

    def _clear(self, entry: Entry) -> None:
        """Remove what the entry doesn't name: texts of an earlier one, and files that are half written."""
        named = {RECORD}
        for file in (*entry.files, *entry.taken_back):
            named |= {file.before, file.after}
        for path in self._folder_of(entry.proposal).iterdir():
            if path.name not in named:
                path.unlink()

    def _folder_of(self, proposal: str) -> Path:
        if not _ID.fullmatch(proposal):
            raise ProposalError(f"{proposal!r} isn't the id of a proposal", remedy="see: skillopt-sleep status")
        return self._folder / proposal

    def _all(self) -> Iterator[Entry | AdoptInterrupted]:
        for file in sorted(self._folder.glob(f"*/{RECORD}")):
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
                " text from before the adoption",
            ) from error

    def _write(self, entry: Entry) -> None:
        write_atomic(self._folder_of(entry.proposal) / RECORD, to_json(entry, pretty=True))

    def _drop(self, folder: Path) -> None:
        # The record goes first: the next recovery drops a folder without one.
        (folder / RECORD).unlink(missing_ok=True)
        if folder.exists():
            shutil.rmtree(folder)


def _originals(entry: Entry) -> dict[str, str]:
    """Return the digest of what each file of an adoption was before."""
    return {file.path: file.before for file in entry.files}


def _copy(copy: Path, digest: str, path: str) -> bytes | None:
    """Return the bytes that were saved of a file, None if there was none; raise AdoptInterrupted if damaged."""
    text = copy.read_bytes() if copy.exists() else None
    if paths.digest(text) != digest:
        raise AdoptInterrupted(
            f"the saved copy of {path} is damaged: {copy}", remedy="restore the file from a backup or from git"
        )
    return text
