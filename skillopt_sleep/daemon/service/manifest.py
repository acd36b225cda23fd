"""What an install has written or is about to, with the bytes of before and after: enough to take it all back."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
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
    """Whose the bytes are: `own` is ours as a whole, in the others our part is among somebody else's."""

    OWN = "own"
    HOOKS_JSON = "hooks_json"
    HOOKS_TOML = "hooks_toml"
    CRON = "cron"


class Item(Record, frozen=True, kw_only=True):
    """One place: `target` is the real file behind `path`; `before` is "" where there was nothing.

    `ours` are the digests of what we wrote there or are about to, the newest last; `made` are the events we began;
    `folders` are the ones that may be ours, outermost first.
    """

    kind: Kind
    path: str
    target: str
    before: str
    ours: tuple[str, ...]
    made: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


class Manifest(Record, frozen=True, kw_only=True):
    """All places."""

    format: int = 1
    items: tuple[Item, ...] = ()


class Ledger:
    """The folder with the manifest and the bytes it names."""

    def __init__(self, folder: Path, *, patience: float = LOCK_SECONDS) -> None:
        self.folder = folder
        self._patience = patience
        self._file = folder / "manifest.json"

    @contextmanager
    def held(self) -> Generator[None, None, None]:
        """Keep other installs away meanwhile; SleepError where one runs for too long."""
        private_dir(self.folder)
        lock = FileLock(self.folder / ".lock", timeout=self._patience, mode=PRIVATE_FILE)
        try:
            lock.acquire()
        except Timeout as error:
            raise SleepError(
                "another install or uninstall is running", remedy="wait for it, then try again"
            ) from error
        try:
            yield
        finally:
            lock.release()

    def read(self) -> Manifest | None:
        """What was installed, None where nothing is."""
        if not self._file.exists():
            return None
        try:
            return from_json(self._file.read_bytes(), Manifest)
        except msgspec.DecodeError as error:
            raise SleepError(
                f"{self._file} can't be read: {error}", remedy="use the version of skillopt-sleep that wrote it"
            ) from error

    def write(self, manifest: Manifest) -> None:
        """Write down what is about to be there."""
        write_atomic(self._file, to_json(manifest, pretty=True))

    def keep(self, data: bytes | None) -> str:
        """Keep these bytes; returns what they are found by, "" for nothing."""
        name = digest(data)
        if data is not None and not self._holds(name):
            write_atomic(private_dir(self.folder / "bytes") / name, data)
        return name

    def kept(self, name: str) -> bytes | None:
        """The bytes of this name, None for nothing; SleepError where they aren't there whole."""
        if not name:
            return None
        if not self._holds(name):
            raise SleepError(
                f"the saved copy of what was there before is gone or damaged: {self.copy(name)}",
                remedy="put back yourself what was there, from a backup, then run the command again",
            )
        return self.copy(name).read_bytes()

    def copy(self, name: str) -> Path:
        """Where the bytes of this name are."""
        return self.folder / "bytes" / name

    def set_aside(self, name: str, data: bytes) -> Path:
        """Keep bytes of the user's that are put nowhere else; they outlive the manifest."""
        copy = self.folder / name
        write_atomic(copy, data)
        return copy

    def forget(self) -> None:
        """Nothing is installed any more: the manifest goes first, then the bytes it names."""
        self._file.unlink(missing_ok=True)
        if (self.folder / "bytes").exists():
            shutil.rmtree(self.folder / "bytes")

    def _holds(self, name: str) -> bool:
        return self.copy(name).exists() and digest(self.copy(name).read_bytes()) == name
