"""What projects say of themselves, remembered for as long as their folders can't be seen."""

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.files import private_dir, write_atomic
from skillopt_sleep.settings import ProjectSettings, project_file, project_said, project_settings

_READABLE = "make it readable, or name it in projects.exclude"


class KnownProjects:
    """Each project's own narrowing; `memory` is the folder where it is kept.

    A project that opted out has not changed its mind when its folder was deleted, moved or isn't mounted tonight.
    """

    def __init__(self, memory: Path) -> None:
        self._memory = memory

    def __call__(self, project: str) -> ProjectSettings:
        """What the project says, or said when it could last be seen; ConfigError where its file can't be used."""
        if not project:
            return ProjectSettings()
        folder = Path(project)
        if _is_there(folder):
            said = project_said(folder)
            own = project_settings(said, where=project_file(folder))
            with suppress(OSError):
                self._remember(folder, said)
            return own
        gone = (folder, *(above for above in folder.parents if not _is_there(above)))
        kept = next((place for place in map(self._kept, gone) if place.exists()), None)
        return project_settings(kept.read_bytes(), where=kept) if kept else ProjectSettings()

    def _kept(self, folder: Path) -> Path:
        return self._memory / f"{hashlib.blake2b(os.fsencode(folder), digest_size=16).hexdigest()}.toml"

    def _remember(self, folder: Path, said: bytes) -> None:
        kept = self._kept(folder)
        if said and not (kept.exists() and kept.read_bytes() == said):
            private_dir(self._memory)
            write_atomic(kept, said)
        elif not said:
            kept.unlink(missing_ok=True)


def _is_there(folder: Path) -> bool:
    """Whether there is such a folder; ConfigError where that can't be seen: that is no leave to read its sessions."""
    try:
        folder.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError as error:
        raise ConfigError(f"{folder} can't be looked at: {error.strerror or error}", remedy=_READABLE) from error
    return True
