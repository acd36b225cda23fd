"""Find the files that hold something of what is purged, and delete them whole."""

import errno
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.kit.scratch import remove_tree
from skillopt_sleep.replay.workshop import CALIBRATIONS
from skillopt_sleep.settings import Paths
from skillopt_sleep.stores.quotes import PurgeSearch
from skillopt_sleep.stores.schema import ASIDE

PROPOSALS = "proposals"
_STORE = "sleep.db"
# A project's settings, calls that run, and what is looked at apart.
_NOT_OTHER = ("projects", "replays", "nights", "adoptions")


class Sweep(NamedTuple):
    """The texts to look for: `plain` anywhere, `rules` where one of the `documents` is named too."""

    plain: PurgeSearch
    rules: PurgeSearch
    documents: PurgeSearch

    def is_in(self, files: Sequence[Path]) -> bool:
        """Return whether one of these files, which belong together, holds something of it."""
        if any(self.plain.is_in_file(file) for file in files):
            return True
        if not self.rules.phrases or not any(self.rules.is_in_file(file) for file in files):
            return False
        return any(self.documents.is_in_file(file) for file in files)

    def is_in_folder(self, folder: Path) -> bool:
        """Return whether the files of this folder hold something of it."""
        return self.is_in(list(_files(folder)))

    def is_in_bytes(self, data: bytes) -> bool:
        """Return whether these bytes hold something of it, or a line of the rules."""
        return self.plain.is_in_bytes(data) or self.rules.is_in_bytes(data)

    def is_in_line(self, line: str) -> bool:
        """Return whether this line holds something of it, or is one of the rules."""
        return self.plain.is_in_text(line) or self.rules.is_in_text(line)


def night_files(folder: Path) -> list[Path]:
    """Return the files of a night, without those of its proposals."""
    return [file for file in _files(folder) if PROPOSALS not in file.relative_to(folder).parts]


def proposal_folders(paths: Paths) -> list[Path]:
    """Return the folder of every staged proposal."""
    return sorted(paths.nights.glob(f"*/{PROPOSALS}/*"))


def adoption_folders(paths: Paths) -> list[Path]:
    """Return the folder of every adoption."""
    return [path for path in sorted(paths.adoptions.glob("*")) if path.is_dir()]


def other_files(paths: Paths, search: PurgeSearch, *, sessions: Iterable[str]) -> list[Path]:
    """Return every other file that holds some of it: notes of hooks, waiting prompts, stores set aside, any other."""
    named = {session.partition(":")[2] for session in sessions}
    hits: list[Path] = []
    notes: list[Path] = []
    for file in _files(paths.data):
        place = file.relative_to(paths.data)
        if place.parts[0] in _NOT_OTHER or file.is_relative_to(paths.logs):
            continue
        if file.is_relative_to(paths.spool):
            notes.append(file)
        elif file.name.startswith(f"{_STORE}.{ASIDE}"):
            hits += [file] if _is_in_store(file, search) else []
        elif not place.parts[0].startswith(_STORE) and search.is_in_file(file):
            hits.append(file)
    for note in notes:
        if search.is_in_file(note):
            named.add(_session_of(note))
    return hits + [note for note in notes if _session_of(note) in named]


def logs(paths: Paths) -> list[Path]:
    """Return all logs: nobody can tell whose words the messages of errors hold."""
    return [file for file in _files(paths.logs) if not file.name.endswith(".lock")]


def calibrations(paths: Paths) -> list[Path]:
    """Return the results of the commands that were tried in copies of repositories."""
    return sorted(paths.replays.glob(f"{CALIBRATIONS}/*"))


def set_aside(paths: Paths) -> list[Path]:
    """Return the stores that were set aside because they couldn't be used."""
    return sorted(paths.data.glob(f"{_STORE}.{ASIDE}*"))


def delete(files: Iterable[Path]) -> None:
    """Delete these files and folders, read-only ones too; those that are gone already are fine."""
    for path in files:
        if not path.is_dir():
            path.unlink(missing_ok=True)
        elif not remove_tree(path):
            raise OSError(errno.EACCES, "it can't be deleted whole", str(path))


def _is_in_store(file: Path, search: PurgeSearch) -> bool:
    """Return whether a store that was set aside holds some of it, byte by byte: it may be damaged."""
    data = file.read_bytes()
    plain = data.lower()
    names = (*search.ids, *search.folders)
    return any(name.encode() in data for name in names) or any(name.encode() in plain for name in search.phrases)


def _session_of(note: Path) -> str:
    return note.name.partition(".")[0]


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path
