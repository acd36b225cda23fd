"""Describe the machine to install on: its platform, the user's home, and the system programs to run."""

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
    """The machine to install on; `has_systemd` means that systemd booted it, not just that it is installed."""

    platform: str
    home: Path
    environ: Mapping[str, str]
    python: str
    paths: Paths
    has_systemd: bool = False

    def has(self, program: str) -> bool:
        """Return whether this program is in PATH."""
        return shutil.which(program, path=self.environ.get("PATH", os.defpath)) is not None

    def run(self, *argv: str, folder: Path | None = None) -> Ran:
        """Run a system program in the home or this folder; a missing one ends with status 127, as in a shell."""
        program = shutil.which(argv[0], path=self.environ.get("PATH", os.defpath))
        if program is None:
            return Ran(NOT_FOUND, stderr=f"{argv[0]}: command not found".encode())
        return run((program, *argv[1:]), stdin=b"", cwd=folder or self.home, environ=self.environ, timeout=SECONDS)


def this_machine(environ: Mapping[str, str] = os.environ) -> Machine:
    """Return the machine this process runs on."""
    booted = Path("/run/systemd/system").is_dir()
    home = Path(environ.get("HOME") or Path.home())
    # Not resolved: Python finds its virtual environment by the link it was started through.
    python = str(Path(sys.executable).absolute())
    return Machine(sys.platform, home, environ, python, find_paths(environ), has_systemd=booted)
