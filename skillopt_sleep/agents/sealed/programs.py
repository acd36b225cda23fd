"""Find the native program behind the command of an agent: npm puts a script or a link before it."""

from collections.abc import Sequence
from pathlib import Path

from skillopt_sleep.errors import CallFailed, FailureKind

_NATIVE = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")  # Linux, macOS for one or for several processors
_REMEDY = "name the program's own path in backend.program, not that of a wrapper"


def native(program: Path, *, name: str, packaged: Sequence[str]) -> Path:
    """Return the native program; `packaged` are patterns below a `node_modules` at which npm's packages have it.

    Raise CallFailed (not_installed) if this is no program of that name or a script without the package it needs.
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
