"""Find the files that hold something of what is purged, and delete it from them."""

import errno
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.kit.leftovers import BASES
from skillopt_sleep.kit.log import log_files, read_line
from skillopt_sleep.kit.sought import Sought
from skillopt_sleep.kit.trees import remove_tree
from skillopt_sleep.replay.workshop import CALIBRATIONS
from skillopt_sleep.replay.workspaces.bases import BASE
from skillopt_sleep.settings import Paths

PROPOSALS = "proposals"
_STORE = "sleep.db"
_KEPT = (
    "projects",
    "replays",
    "nights",
    "adoptions",
)  # a project's settings, calls that run, and what is looked at apart


class Sweep(NamedTuple):
    """The texts to look for in files: `plain` anywhere, `rules` only where one of the `documents` is named too."""

    plain: Sought
    rules: Sought
    documents: Sought

    def is_in(self, files: Sequence[Path]) -> bool:
        """Return whether one of these files, which belong together, holds something of it."""
        if any(self.plain.is_in_file(file) for file in files):
            return True
        if not self.rules.phrases or not any(self.rules.is_in_file(file) for file in files):
            return False
        return any(self.documents.is_in_file(file) for file in files)

    def holds(self, data: bytes) -> bool:
        """Return whether these bytes hold something of it, or a line of the rules."""
        return self.plain.is_in_bytes(data) or self.rules.is_in_bytes(data)

    def holds_line(self, line: str) -> bool:
        """Return whether this line holds something of it."""
        return self.plain.is_in_text(line) or self.rules.is_in_text(line)


def night_files(folder: Path) -> list[Path]:
    """Return the files of a night, without those of its proposals."""
    return [file for file in _files(folder) if PROPOSALS not in file.relative_to(folder).parts]


def folders_with(sweep: Sweep, folders: Iterable[Path]) -> list[Path]:
    """Return those of these folders that hold something of it."""
    return [folder for folder in folders if sweep.is_in(list(_files(folder)))]


def proposal_folders(paths: Paths) -> list[Path]:
    """Return the folder of every staged proposal."""
    return sorted(paths.nights.glob(f"*/{PROPOSALS}/*"))


def adoption_folders(paths: Paths) -> list[Path]:
    """Return the folder of every adoption."""
    return [path for path in sorted(paths.adoptions.glob("*")) if path.is_dir()]


def other_files(paths: Paths, sought: Sought, *, sessions: Iterable[str]) -> list[Path]:
    """Return every other file that holds some of it: notes of hooks, waiting prompts, damaged stores, any other."""
    named = {session.partition(":")[2] for session in sessions}
    hits: list[Path] = []
    notes: list[Path] = []
    for file in _files(paths.data):
        place = file.relative_to(paths.data)
        if place.parts[0] in _KEPT or file.is_relative_to(paths.logs):
            continue
        if file.is_relative_to(paths.spool):
            notes.append(file)
        elif file.name.startswith(f"{_STORE}.corrupt"):
            hits += [file] if _is_in_damaged(file, sought) else []
        elif not place.parts[0].startswith(_STORE) and sought.is_in_file(file):
            hits.append(file)
    for note in notes:
        if sought.is_in_file(note):
            named.add(_session_of(note))
    return hits + [note for note in notes if _session_of(note) in named]


def logs_with(paths: Paths, sought: Sought, *, nights: Iterable[str]) -> dict[Path, bytes]:
    """Return the logs that hold some of it, or of these nights, with what is left of each."""
    gone = frozenset(nights)
    left: dict[Path, bytes] = {}
    for file in log_files(paths.log):
        lines = file.read_bytes().splitlines(keepends=True)
        rest = [line for line in lines if not _is_of(line, sought, gone)]
        if len(rest) < len(lines):
            left[file] = b"".join(rest)
    return left


def free_text(paths: Paths) -> list[Path]:
    """Return the logs without a form, such as that of crashes: nobody can tell whose words they hold."""
    ours = {file.name for file in log_files(paths.log)}
    return [file for file in _files(paths.logs) if file.name not in ours and not file.name.endswith(".lock")]


def copies(paths: Paths) -> list[Path]:
    """Return the copies of repositories, and the results of the commands that were tried in them."""
    return sorted((*paths.replays.glob(f"{BASES}/{BASE}*"), *paths.replays.glob(f"{CALIBRATIONS}/*")))


def set_aside(paths: Paths) -> list[Path]:
    """Return the damaged stores that were set aside."""
    return sorted(paths.data.glob(f"{_STORE}.corrupt*"))


def delete(files: Iterable[Path]) -> None:
    """Delete these files and folders, read-only ones too; those that are gone already are fine."""
    for path in files:
        if not path.is_dir():
            path.unlink(missing_ok=True)
        elif not remove_tree(path):
            raise OSError(errno.EACCES, "it can't be deleted whole", str(path))


def rewrite(left: dict[Path, bytes]) -> None:
    """Write what is left of each of these files."""
    for file, data in left.items():
        write_atomic(file, data)


def _is_of(line: bytes, sought: Sought, nights: frozenset[str]) -> bool:
    fields = read_line(line)
    if fields is None:
        return True
    return fields.get("night") in nights or sought.is_in(fields)


def _is_in_damaged(file: Path, sought: Sought) -> bool:
    """Return whether a damaged store holds some of it, byte by byte: nothing in it can be decoded."""
    data = file.read_bytes()
    plain = data.lower()
    names = (*sought.ids, *sought.folders)
    return any(name.encode() in data for name in names) or any(name.encode() in plain for name in sought.phrases)


def _session_of(note: Path) -> str:
    return note.name.partition(".")[0]


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path
