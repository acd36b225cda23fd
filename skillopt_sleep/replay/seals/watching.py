"""Watch what a sealed program takes, and say when it is too much.

No limit of the kernel holds for a tree of processes without a control group of its own, which most users don't have:
address space can't be limited (Node reserves far more than it uses), a limit of processes doesn't bind root, and a
file's size doesn't bound how many files there are. So the tree is counted ten times a second, and ended if it has
outgrown its bounds. It can overshoot by what it takes in that time. Temporary files in memory have a limit of
their own, and memory that this can't see is refused (filter.py).
"""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.protocols.sealing import Bounds

TOO_MUCH_MEMORY = "too_much_memory"
TOO_MANY_PROCESSES = "too_many_processes"
TOO_MUCH_DISK = "too_much_disk"

_SECONDS = 0.1
_FIRST = 4
_CHILDREN = Path("/proc/thread-self/children")


def can_watch() -> bool:
    """Return whether the kernel lists the children of a process, without which nothing can be counted."""
    return _CHILDREN.exists()


class ResourceWatch:
    """Counts processes, memory and disk of one run; called with the process id, it says what is too much, or ""."""

    def __init__(self, bounds: Bounds, folder: Path) -> None:
        self.first: tuple[int, ...] = ()  # those that ran when it was last called, in order, but only a few
        self._bounds = bounds
        self._folder = folder
        self._free = _free(folder)
        self._next = 0.0

    def __call__(self, pid: int) -> str:
        """Say what the run has too much of, or "" if it keeps its bounds."""
        now = time.monotonic()
        if now < self._next:
            return ""
        self._next = now + _SECONDS
        count = 0
        memory = 0
        self.first = ()
        tree: list[int] = []
        for process in _tree(pid):
            count += process.threads
            memory += process.memory
            tree.append(process.pid)
            self.first = tuple(tree[1:_FIRST])
            if count > self._bounds.processes:
                return TOO_MANY_PROCESSES
        # Pages that processes share were counted for each: look closer before saying that it is too much.
        if memory > self._bounds.memory and _proportional(tree) > self._bounds.memory:
            return TOO_MUCH_MEMORY
        free = _free(self._folder)
        if self._free.bytes - free.bytes > self._bounds.disk or self._free.files - free.files > self._bounds.files:
            return TOO_MUCH_DISK
        return ""


class _Process(NamedTuple):
    pid: int
    threads: int
    memory: int


class _Free(NamedTuple):
    bytes: int
    files: int


def _free(folder: Path) -> _Free:
    disk = os.statvfs(folder)
    return _Free(disk.f_bavail * disk.f_frsize, disk.f_favail)


def _tree(pid: int) -> Iterator[_Process]:
    """Yield the process and all that it started, also what they left to the seal's own first process."""
    page = os.sysconf("SC_PAGE_SIZE")
    waiting = [pid]
    while waiting:
        current = waiting.pop()
        with suppress(OSError, ValueError, IndexError):  # it may end at any moment
            tasks = [task.name for task in Path(f"/proc/{current}/task").iterdir()]
            resident = int(Path(f"/proc/{current}/statm").read_text().split()[1])
            yield _Process(current, len(tasks), resident * page)
            for task in tasks:
                children = Path(f"/proc/{current}/task/{task}/children").read_text().split()
                waiting.extend(int(child) for child in children)


def _proportional(tree: list[int]) -> int:
    """Return the memory of these processes, with shared pages counted once."""
    import psutil

    total = 0
    for pid in tree:
        with suppress(psutil.Error):
            full = psutil.Process(pid).memory_full_info()
            total += getattr(full, "pss", full.uss)
    return total
