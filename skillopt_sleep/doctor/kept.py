"""List what is kept of a person's sessions: what, where, how much and since when."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.doctor.findings import Finding, Topic, fine
from skillopt_sleep.kit.words import counted
from skillopt_sleep.settings import Paths
from skillopt_sleep.stores.schema import ASIDE
from skillopt_sleep.stores.summary import StoreSummary

PURGE = "delete a part of it: skillopt-sleep purge --project PATH, --session ID or --text WORDS"
_KIB, _MIB = 1 << 10, 1 << 20


class _Size(NamedTuple):
    """The number of files, their bytes, and the time when the oldest was last written."""

    files: int
    bytes: int
    oldest: float

    @property
    def text(self) -> str:
        """The size and the day as people read them."""
        size = f"{self.bytes / _MIB:.1f} MiB" if self.bytes >= _MIB else f"{-(-self.bytes // _KIB)} KiB"
        return f"{size}, since {datetime.fromtimestamp(self.oldest, UTC):%Y-%m-%d}"


def look_at_kept(paths: Paths, store: StoreSummary | None, *, keep: str) -> Iterator[Finding]:
    """List what is kept; the first line says how it is deleted, by hand and by itself."""
    places = list(_places(paths, store))
    if not places:
        yield fine(Topic.KEPT, "nothing is kept of your sessions yet")
        return
    by_itself = "nothing is deleted by itself (bank.keep)"
    if any(char in "123456789" for char in keep):
        by_itself = f"what isn't live and doesn't wait is deleted after {keep} (bank.keep)"
    yield fine(Topic.KEPT, f"all of it stays on this machine; {by_itself}", PURGE)
    for what in places:
        yield fine(Topic.KEPT, what)


def _places(paths: Paths, store: StoreSummary | None) -> Iterator[str]:
    stored = [file for file in paths.data.glob(f"{paths.database.name}*") if file.is_file()]
    aside = [file for file in stored if file.name.startswith(f"{paths.database.name}.{ASIDE}")]
    rest = [file for file in stored if file not in aside]
    if store is not None:
        parts: list[str] = []
        for name, number in store.rows.items():
            if number:
                parts.append(counted(number, name))
        yield from _line(f"store: {', '.join(parts) or 'nothing yet'}", paths.database, rest)
    yield from _line("stores that were set aside", paths.data, aside)
    folders = {
        "nights: their prompts, answers, reports and proposals": paths.nights,
        "adoptions: your files before and after, for undo": paths.adoptions,
        "prompts that wait for an answer, and answers": paths.handoff,
        "notes of the agents' hooks on sessions": paths.spool,
        "what commands did in copies of repositories": paths.replays,
        "logs": paths.logs,
        "copies of projects' own settings": paths.projects,
    }
    for what, folder in folders.items():
        files = (file for file in folder.rglob("*") if file.is_file())
        yield from _line(what, folder, [file for file in files if not file.name.endswith(".lock")])


def _line(what: str, place: Path, files: list[Path]) -> Iterator[str]:
    size = _size(files)
    if size.files:
        yield f"{what} ({size.text}): {place}"


def _size(files: list[Path]) -> _Size:
    sizes: list[int] = []
    times: list[float] = []
    for file in files:
        try:
            info = file.stat()
        except FileNotFoundError:
            continue  # a night that is running removed it
        sizes.append(info.st_size)
        times.append(info.st_mtime)
    return _Size(len(sizes), sum(sizes), min(times, default=0.0))
