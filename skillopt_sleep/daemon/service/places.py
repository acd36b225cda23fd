"""Read and write the two kinds of places an install changes: a file and the crontab."""

import os
import re
from pathlib import Path
from typing import Protocol

from skillopt_sleep.daemon.service.machine import Machine
from skillopt_sleep.daemon.service.manifest import Ledger
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.attributes import attributes_of, whose
from skillopt_sleep.kit.files import write_as, write_atomic
from skillopt_sleep.proposals.paths import missing_folders, read_live

CRONTAB = "crontab"


class Place(Protocol):
    """A place that holds bytes, or nothing."""

    def read(self) -> bytes | None:
        """Return what is there, or None if there is nothing."""
        ...

    def write(self, data: bytes) -> None:
        """Replace what is there; a file keeps its mode, owner and other attributes."""
        ...

    def remove(self) -> None:
        """Remove what is there."""
        ...


class File:
    """A file; symbolic links are resolved before."""

    def __init__(self, target: Path) -> None:
        self._target = target

    def read(self) -> bytes | None:
        """Return the bytes, or None if there is no file; raises UnsafePath if it isn't a regular file."""
        return read_live(self._target)

    def write(self, data: bytes) -> None:
        """Replace the file atomically; a new file is readable by its owner only, and missing folders are created."""
        for folder in missing_folders(self._target):
            folder.mkdir()
        if self._target.exists():
            write_as(self._target, data, attributes_of(self._target))
        else:
            write_atomic(self._target, data)

    def remove(self) -> None:
        """Remove the file."""
        self._target.unlink(missing_ok=True)

    def refuse_odd(self) -> None:
        """Raise ValueError if replacing the file would change more than its bytes, or can't be done."""
        if self._target.exists() and self._target.stat().st_nlink > 1:
            raise ValueError("it has several names (hard links)")
        if self._target.exists():
            why = whose(self._target)
            if why:
                raise ValueError(why)
        folder = next(folder for folder in self._target.parents if folder.exists())
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ValueError("its folder can't be written to")

    def sweep(self, known: tuple[bytes, ...]) -> None:
        """Remove the temporary files a killed writer left beside the file.

        They are recognized by their name, and by their bytes: the beginning of something in `known`.
        """
        if not self._target.parent.is_dir():
            return
        name = re.compile(re.escape(f".{self._target.name}.") + "[a-z0-9_]{8}")
        for path in list(self._target.parent.iterdir()):
            if not name.fullmatch(path.name) or path.is_symlink() or not path.is_file():
                continue
            data = path.read_bytes()
            if any(whole.startswith(data) for whole in known):
                path.unlink()


class Crontab:
    """The user's crontab, changed only through the `crontab` program, which reads the new table from a saved file.

    A pipe would be unsafe: if the writer is killed halfway, cron takes what it got so far for the whole table.
    """

    def __init__(self, machine: Machine, ledger: Ledger) -> None:
        self._machine = machine
        self._ledger = ledger

    def read(self) -> bytes | None:
        """Return the table, or None if the user has none."""
        return read_crontab(self._machine)

    def write(self, data: bytes) -> None:
        """Replace the table, and read it again to make sure."""
        whole = self._ledger.copy(self._ledger.save(data))
        # By its name alone: Debian's crontab truncates paths at 99 characters.
        self._do(whole.name, folder=whole.parent)
        if self.read() != data:
            raise SleepError(
                "the crontab isn't what was written",
                remedy=f"check it with `crontab -l`; to set it to what it should be: crontab - < {whole}",
            )

    def remove(self) -> None:
        """Remove the table."""
        self._do("-r")
        if self.read() is not None:
            raise SleepError("the crontab can't be removed", remedy="check it: crontab -l")

    def _do(self, argument: str, *, folder: Path | None = None) -> None:
        ran = self._machine.run("crontab", argument, folder=folder)
        if ran.status != 0:
            remedy = "fix that, then run the command again"
            if folder:
                remedy += f"; what it should be is in {folder / argument}"
            raise SleepError(f"the crontab can't be written: {_message(ran.stderr)}", remedy=remedy)


def read_crontab(machine: Machine) -> bytes | None:
    """Return the user's crontab, or None without one; raises SleepError if `crontab` fails otherwise."""
    ran = machine.run("crontab", "-l")
    if ran.status == 0:
        return ran.stdout
    if b"no crontab for" in ran.stderr and not ran.stdout:
        return None
    raise SleepError(
        f"the crontab can't be read: {_message(ran.stderr)}", remedy="check `crontab -l`; nothing was changed"
    )


def _message(stderr: bytes) -> str:
    return stderr.decode(errors="replace").strip() or "no error message"
