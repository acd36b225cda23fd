"""Start an agent's program in a seal: the native one, behind `forward.py` if it can't use a socket by its path."""

import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from skillopt_sleep.errors import CallFailed, FailureKind

MARK = "{port-of-the-relay}"

_SCRIPT = Path(__file__).with_name("forward.py")
_NATIVE = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")  # Linux, macOS for one or for several processors
_REMEDY = "name the program's own path in backend.program, not that of a wrapper"


def native(program: Path, *, name: str, packaged: Sequence[str]) -> Path:
    """Return the native program: npm puts a script or a link before it.

    `packaged` are patterns below a `node_modules` at which npm's packages have it. Raise CallFailed (not_installed)
    if this is no program of that name, or a script without the package it needs.
    """
    real = program.resolve()
    found = real if _is_native(real) else _in_packages(real, packaged)
    # A version manager's shim is native as well, and would look for its own files inside.
    if found is None or not any(name in part for part in found.parts[-3:]):
        message = f"{program} isn't {name} itself, and where that is can't be told"
        raise CallFailed(FailureKind.NOT_INSTALLED, message, remedy=_REMEDY)
    return found


def _in_packages(script: Path, packaged: Sequence[str]) -> Path | None:
    """Return the program in the package for this machine: npm puts it beside or below the script's package."""
    for folder in script.parents:
        near = [folder / "node_modules"]
        if folder.name == "node_modules":
            near.append(folder)
        for modules in near:
            for pattern in packaged:
                for found in sorted(modules.glob(pattern)):
                    if _is_native(found):
                        return found.resolve()
    return None


def _is_native(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4).startswith(_NATIVE)
    except OSError:
        return False


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
