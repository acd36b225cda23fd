"""A disk that is really full: a small file system of its own, for those who may mount one."""

import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, *, kib: int = 64) -> Generator[Path]:
    """A file system of so many KiB at this folder; the test is skipped where none may be mounted."""
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None:
        pytest.skip("no file system can be mounted here: there is no mount")
    asked = [mount, "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(folder)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no file system may be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True, capture_output=True)


@contextmanager
def full_disk(folder: Path) -> Generator[Path]:
    """The same without a byte of room, though a file of no length may still be made."""
    with small_disk(folder) as disk:
        fill(disk)
        yield disk


def fill(disk: Path) -> None:
    """Take all the room there is."""
    with (disk / "filler").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
