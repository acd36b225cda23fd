"""Read the projects' own settings, and remember them while a project's folder can't be seen."""

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.files import private_dir, write_atomic
from skillopt_sleep.settings import ProjectSettings, parse_project, project_file, read_project_file

_READABLE = "make it readable, or add it to projects.exclude"


class KnownProjects:
    """The projects' own settings; `memory` is the folder that keeps copies of them.

    A project that opted out stays opted out if its folder is deleted, moved or not mounted tonight.
    """

    def __init__(self, memory: Path) -> None:
        self._memory = memory

    def __call__(self, project: str) -> ProjectSettings:
        """Return a project's settings, or the last known ones; raises ConfigError if its file can't be used."""
        if not project:
            return ProjectSettings()
        folder = Path(project)
        if _is_there(folder):
            data = read_project_file(folder)
            settings = parse_project(data, where=project_file(folder))
            with suppress(OSError):
                self._remember(folder, data)
            return settings
        missing_parents = [parent for parent in folder.parents if not _is_there(parent)]
        for missing in (folder, *missing_parents):
            copy = self._copy(missing)
            if copy.exists():
                return parse_project(copy.read_bytes(), where=copy)
        return ProjectSettings()

    def _copy(self, folder: Path) -> Path:
        return self._memory / f"{hashlib.blake2b(os.fsencode(folder), digest_size=16).hexdigest()}.toml"

    def _remember(self, folder: Path, data: bytes) -> None:
        copy = self._copy(folder)
        if not data:
            copy.unlink(missing_ok=True)
        elif not copy.exists() or copy.read_bytes() != data:
            private_dir(self._memory)
            write_atomic(copy, data)


def _is_there(folder: Path) -> bool:
    """Return whether the folder exists; raises ConfigError if that can't be told, so its sessions stay unread."""
    try:
        folder.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError as error:
        raise ConfigError(f"{folder} can't be looked at: {error.strerror or error}", remedy=_READABLE) from error
    return True
