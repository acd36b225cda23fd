"""Record what an install writes, with the bytes before and after: enough to undo all of it."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import PRIVATE_FILE, private_dir, write_atomic
from skillopt_sleep.proposals.paths import digest
from skillopt_sleep.records import Record

LOCK_SECONDS = 10


class Kind(StrEnum):
    """The kind of a place: `own` is entirely ours; the others mix our part with somebody else's."""

    OWN = "own"
    HOOKS_JSON = "hooks_json"
    HOOKS_TOML = "hooks_toml"
    CRON = "cron"


class Item(Record, frozen=True, kw_only=True):
    """One place that was written: `target` is the real file behind `path`; `before` is "" if there was nothing.

    `ours` are the digests of what we wrote there or are about to, newest last; `made` are the hook events that we
    created; `folders` are those that the install may have created, outermost first.
    """

    kind: Kind
    path: str
    target: str
    before: str
    ours: tuple[str, ...]
    made: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


class Manifest(Record, frozen=True, kw_only=True):
    """Every place that was written."""

    format: int = 1
    items: tuple[Item, ...] = ()


class Ledger:
    """The folder that holds the manifest and the saved bytes it refers to."""

    def __init__(self, folder: Path, *, patience: float = LOCK_SECONDS) -> None:
        self.folder = folder
        self._patience = patience
        self._file = folder / "manifest.json"

    @contextmanager
    def held(self) -> Generator[None, None, None]:
        """Lock out other installs; raises SleepError if another one keeps the lock too long."""
        private_dir(self.folder)
        lock = FileLock(self.folder / ".lock", timeout=self._patience, mode=PRIVATE_FILE)
        try:
            lock.acquire()
        except Timeout as error:
            raise SleepError(
                "another install or uninstall is running", remedy="wait until it is done, then try again"
            ) from error
        try:
            yield
        finally:
            lock.release()

    def read(self) -> Manifest | None:
        """Read the manifest, or return None if nothing is installed."""
        if not self._file.exists():
            return None
        try:
            return from_json(self._file.read_bytes(), Manifest)
        except msgspec.DecodeError as error:
            raise SleepError(
                f"{self._file} can't be read: {error}", remedy="use the version of skillopt-sleep that wrote it"
            ) from error

    def write(self, manifest: Manifest) -> None:
        """Write the manifest, before anything it lists is changed."""
        write_atomic(self._file, to_json(manifest, pretty=True))

    def save(self, data: bytes | None) -> str:
        """Save these bytes; return the name they are found by, "" for None."""
        name = digest(data)
        if data is not None and not self._holds(name):
            write_atomic(private_dir(self.folder / "bytes") / name, data)
        return name

    def saved(self, name: str) -> bytes | None:
        """Return the bytes saved under this name, None for ""; raises SleepError if they are missing or damaged."""
        if not name:
            return None
        if not self._holds(name):
            raise SleepError(
                f"the saved copy of what was there before is gone or damaged: {self.copy(name)}",
                remedy="restore the file yourself from a backup, then run the command again",
            )
        return self.copy(name).read_bytes()

    def copy(self, name: str) -> Path:
        """Return the path of the bytes saved under this name."""
        return self.folder / "bytes" / name

    def set_aside(self, name: str, data: bytes) -> Path:
        """Save bytes of the user's that aren't put back anywhere; they outlive the manifest."""
        copy = self.folder / name
        write_atomic(copy, data)
        return copy

    def forget(self) -> None:
        """Forget the install: delete the manifest first, then the saved bytes."""
        self._file.unlink(missing_ok=True)
        if (self.folder / "bytes").exists():
            shutil.rmtree(self.folder / "bytes")

    def clear(self) -> None:
        """Remove the lock, and the folder if nothing of the user's is in it; only after the lock is released."""
        (self.folder / ".lock").unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()

    def _holds(self, name: str) -> bool:
        return self.copy(name).exists() and digest(self.copy(name).read_bytes()) == name
