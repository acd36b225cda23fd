"""Say how a sealed program that can't use a socket by its path is started behind `forward.py`."""

import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

MARK = "{port-of-the-relay}"

_SCRIPT = Path(__file__).with_name("forward.py")


def behind_forwarder(command: Sequence[str], socket: PurePosixPath) -> tuple[str, ...]:
    """Return the command that runs this one with a port on loopback, which it gets wherever it says `MARK`.

    Our own Python runs the script, alone and from its text, because it is the one interpreter that is always there.
    """
    script = _SCRIPT.read_text(encoding="utf-8")
    return (str(_interpreter()), "-I", "-S", "-c", script, str(socket), MARK, *command)


def forwarder_reads() -> frozenset[Path]:
    """Return what our own Python has to read: itself, its library, and what it is linked with."""
    reads = {_interpreter()}
    for name in ("stdlib", "platstdlib"):
        reads.add(Path(sysconfig.get_path(name)).resolve())
    folder, library = sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME")
    if folder and library and (shared := Path(folder) / library).is_file():
        reads.add(shared)
    return frozenset(reads)


def _interpreter() -> Path:
    return Path(sys.executable).resolve()
