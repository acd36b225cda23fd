"""Tasks that a person wrote or reviewed by hand, in TOML ([[task]] tables) or JSON lines."""

import hashlib
import os
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from skillopt_sleep.kit.redact import redact
from skillopt_sleep.protocols import Reading, Stamp
from skillopt_sleep.records import SHAPE_OPS, Checks, Record, Reference, Split, Task

NAME = "tasks_file"


class Entry(Record, frozen=True, kw_only=True):
    """One task as it is written: `project` is the folder whose instructions it teaches, `split` keeps it on a side."""

    prompt: str
    reference: Reference
    project: str
    context: str = ""
    id: str = ""
    at: datetime | None = None
    split: Split | None = None


class TasksFile:
    """The files a person named in harvest.tasks_files."""

    name = NAME

    def __init__(self, paths: tuple[Path, ...]) -> None:
        self._paths = paths

    def stamps(self) -> Iterator[tuple[str, Stamp]]:
        """The files that are there."""
        for path in self._paths:
            if path.is_file():
                found = path.stat()
                yield str(path), Stamp(found.st_ino, found.st_size, found.st_mtime_ns)

    def read(self, paths: Sequence[str]) -> Iterator[tuple[str, Stamp, Reading]]:
        """The tasks of each file; a file with one entry that can't be used is unreadable, and says which."""
        for path in paths:
            found = os.stat(path)
            stamp = Stamp(found.st_ino, found.st_size, found.st_mtime_ns)
            try:
                yield path, stamp, Reading(tasks=tuple(_tasks(Path(path), stamp)))
            except (OSError, ValueError, msgspec.MsgspecError) as error:
                yield path, stamp, Reading(unreadable=f"{path}: {error}")


def _tasks(path: Path, stamp: Stamp) -> Iterator[Task]:
    text = path.read_text(encoding="utf-8")
    written = datetime.fromtimestamp(stamp.mtime_ns / 1e9, UTC)
    for number, raw in enumerate(_raw(path, text), start=1):
        try:
            entry = msgspec.convert(raw, Entry)
        except msgspec.ValidationError as error:
            raise ValueError(f"entry {number}: {error}") from error
        if isinstance(entry.reference, Checks) and all(check.op in SHAPE_OPS for check in entry.reference.items):
            raise ValueError(f"entry {number}: its checks say nothing but a shape; add one that says what is wanted")
        key = entry.id or hashlib.blake2b(f"{path}\0{entry.prompt}".encode(), digest_size=6).hexdigest()
        yield Task(
            id=key,
            prompt=redact(entry.prompt),
            context=redact(entry.context),
            reference=entry.reference,
            session=f"{NAME}:{path}#{number}",
            project=str(Path(entry.project).expanduser()),
            source=NAME,
            at=entry.at or written,
            split=entry.split,
        )


def _raw(path: Path, text: str) -> list[object]:
    if path.suffix == ".toml":
        found = tomllib.loads(text)
        if set(found) - {"task"}:
            raise ValueError(f"unknown key {min(set(found) - {'task'})!r}; tasks are [[task]] tables")
        return list(found.get("task", []))
    return [msgspec.json.decode(line) for line in text.splitlines() if line.strip()]
