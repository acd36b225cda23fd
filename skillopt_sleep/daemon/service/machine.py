"""The machine a service is installed on: its platform, whose home it is, and its own programs."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.kit.process import Ran, run
from skillopt_sleep.settings import Paths, find_paths

SECONDS = 60
NOT_FOUND = 127


class Machine(NamedTuple):
    """Where to install; `has_systemd` is whether systemd runs this machine, not only lies on it."""

    platform: str
    home: Path
    environ: Mapping[str, str]
    python: str
    paths: Paths
    has_systemd: bool = False

    def has(self, program: str) -> bool:
        """Whether there is a program of this name."""
        return shutil.which(program, path=self.environ.get("PATH", os.defpath)) is not None

    def run(self, *argv: str, folder: Path | None = None) -> Ran:
        """Run one of the machine's own programs, at home or in this folder; a missing one ends as in a shell."""
        found = shutil.which(argv[0], path=self.environ.get("PATH", os.defpath))
        if found is None:
            return Ran(NOT_FOUND, stderr=f"{argv[0]} isn't there".encode())
        return run((found, *argv[1:]), stdin=b"", cwd=folder or self.home, environ=self.environ, timeout=SECONDS)


def this_machine(environ: Mapping[str, str] = os.environ) -> Machine:
    """The one this runs on."""
    booted = Path("/run/systemd/system").is_dir()
    home = Path(environ.get("HOME") or Path.home())
    # Not resolved: a virtual environment is known by the link to its Python.
    python = str(Path(sys.executable).absolute())
    return Machine(sys.platform, home, environ, python, find_paths(environ), has_systemd=booted)
