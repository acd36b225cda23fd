"""The two kinds of places an install writes to, a file and the crontab, read and written the same way."""

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
    """Where bytes are, or nothing."""

    def read(self) -> bytes | None:
        """What is there; None where there is nothing."""
        ...

    def write(self, data: bytes) -> None:
        """Put it there instead; what a file has beside them stays."""
        ...

    def remove(self) -> None:
        """Have nothing there."""
        ...


class File:
    """A file; its links are followed already."""

    def __init__(self, target: Path) -> None:
        self._target = target

    def read(self) -> bytes | None:
        """The bytes, None where there is no file; UnsafePath where it isn't a plain one."""
        return read_live(self._target)

    def write(self, data: bytes) -> None:
        """Replace the file in one step; a new one is its owner's alone, and missing folders are made."""
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
        """ValueError where replacing the file would break more than its bytes, or can't be done."""
        if self._target.exists() and self._target.stat().st_nlink > 1:
            raise ValueError("it has several names (hard links)")
        if self._target.exists() and (why := whose(self._target)):
            raise ValueError(why)
        folder = next(folder for folder in self._target.parents if folder.exists())
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ValueError("its folder can't be written to")

    def sweep(self, known: tuple[bytes, ...]) -> None:
        """Remove the half-written copies a killed writer left beside the file: by name, and by their bytes."""
        name = re.compile(re.escape(f".{self._target.name}.") + "[a-z0-9_]{8}")
        beside = self._target.parent.iterdir() if self._target.parent.is_dir() else ()
        for path in [path for path in beside if name.fullmatch(path.name)]:
            if path.is_file() and not path.is_symlink():
                data = path.read_bytes()
                if any(one.startswith(data) for one in known):
                    path.unlink()


class Crontab:
    """The user's table of cron, by its own program only; what it gets is a file of the ledger, whole on the disk.

    A pipe would not do: whoever is killed before it is filled has cron take what came so far for the table.
    """

    def __init__(self, machine: Machine, ledger: Ledger) -> None:
        self._machine = machine
        self._ledger = ledger

    def read(self) -> bytes | None:
        """The table, None where there is none."""
        return read_crontab(self._machine)

    def write(self, data: bytes) -> None:
        """Replace the table, and read it again to be sure."""
        whole = self._ledger.copy(self._ledger.keep(data))
        # By its name alone: Debian's program knows no more than 99 characters of a path.
        self._do(whole.name, folder=whole.parent)
        if self.read() != data:
            raise SleepError(
                "the crontab isn't what was written",
                remedy=f"look at it with `crontab -l`; what it should be is put there by: crontab - < {whole}",
            )

    def remove(self) -> None:
        """Have no table."""
        self._do("-r")
        if self.read() is not None:
            raise SleepError("the crontab can't be removed", remedy="look at it: crontab -l")

    def _do(self, argument: str, *, folder: Path | None = None) -> None:
        ran = self._machine.run("crontab", argument, folder=folder)
        if ran.status != 0:
            wanted = f"; what it should be is in {folder / argument}" if folder else ""
            raise SleepError(
                f"the crontab can't be written: {_said(ran.stderr)}",
                remedy=f"mend that, then run the command again{wanted}",
            )


def read_crontab(machine: Machine) -> bytes | None:
    """The table, None where there is none; SleepError where it can't be told: then nothing may be written."""
    ran = machine.run("crontab", "-l")
    if ran.status == 0:
        return ran.stdout
    if b"no crontab for" in ran.stderr and not ran.stdout:
        return None
    raise SleepError(
        f"the crontab can't be read: {_said(ran.stderr)}", remedy="see what `crontab -l` says; nothing was changed"
    )


def _said(stderr: bytes) -> str:
    return stderr.decode(errors="replace").strip() or "it said nothing"
