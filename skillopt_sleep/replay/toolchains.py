"""Find what a repository's own commands need of the machine: interpreters, compilers and their libraries.

A seal shows the system's programs only. What lies elsewhere is shown if it looks like what it should be: a folder
with an interpreter and its library, and no home folder.
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.protocols.sealing import HOME, TEMPORARY

MOST_SETTINGS = 64 * 1024
SYSTEM = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
_SYSTEM_FOLDERS = (Path("/usr"), Path("/bin"), Path("/sbin"), Path("/lib"), Path("/nix/store"), Path("/gnu/store"))
_HOME_LINE = re.compile(r"^home\s*=\s*(\S.*?)\s*$", re.MULTILINE)
_DEFAULT = re.compile(r'^default_toolchain\s*=\s*"([\w.+-]+)"\s*$', re.MULTILINE)
# An agent sets them itself, or works otherwise if they are set.
_NOT_FOR_AGENTS = frozenset({"CI", "HOME", "LANG", "NO_COLOR", "TMPDIR"})
# The copy has no history to stamp what is built with.
_GO = {"GOFLAGS": "-buildvcs=false", "GOPROXY": "off", "GOTOOLCHAIN": "local"}


@dataclass(frozen=True, kw_only=True)
class Toolchain:
    """What a project's commands need: `reads` of the disk, the folders of its `path`, and its environment."""

    reads: Mapping[PurePosixPath, Path] = field(default_factory=dict[PurePosixPath, Path])
    path: tuple[str, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def for_agents(self) -> Mapping[str, str]:
        """The environment for a program that has its own PATH, home and habits, which may run the commands too."""
        return {name: value for name, value in self.environ.items() if name not in _NOT_FOR_AGENTS} | {
            "PATH": ":".join(self.path)
        }


def toolchain_of(tree: Path, dependencies: Mapping[PurePosixPath, Path]) -> Toolchain:
    """Return what the commands of the project in this folder need; `dependencies` stand inside by their path."""
    parts = [_beside(dependencies)]
    if (tree / "package.json").is_file():
        parts.append(_node())
    if (tree / "Cargo.toml").is_file():
        parts.append(_rust())
    if (tree / "go.mod").is_file():
        parts.append(_go())
    path = tuple(folder for part in parts for folder in part.path)
    environ = {
        "CI": "1",
        "HOME": str(HOME),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(TEMPORARY),
        "PATH": ":".join((*path, *SYSTEM)),
    }
    reads: dict[PurePosixPath, Path] = {}
    for part in parts:
        environ |= part.environ
        reads |= part.reads
    return Toolchain(reads=reads, path=path, environ=environ)


def _beside(dependencies: Mapping[PurePosixPath, Path]) -> Toolchain:
    """Return what lies beside the project's files, and the Python that it was made with."""
    reads = dict(dependencies)
    path: list[str] = []
    for inside, folder in dependencies.items():
        if inside.name in {"venv", ".venv"}:
            path.append(str(inside / "bin"))
            reads |= _interpreter(folder)
        elif inside.name == "node_modules":
            path.append(str(inside / ".bin"))
    return Toolchain(reads=reads, path=tuple(path))


def _node() -> Toolchain:
    prefixes = tuple(_prefix_of("node"))
    reads = {PurePosixPath(prefix): prefix for prefix in prefixes}
    return Toolchain(reads=reads, path=tuple(str(prefix / "bin") for prefix in prefixes))


def _rust() -> Toolchain:
    """Return the default toolchain of rustup, with cargo's store of downloaded libraries.

    It builds elsewhere than in the project's own `target`, which can't be written to.
    """
    reads: dict[PurePosixPath, Path] = {}
    path: list[str] = []
    for toolchain, registry in _rustup():
        reads[PurePosixPath(toolchain)] = toolchain
        path.append(str(toolchain / "bin"))
        if registry.is_dir():
            reads[HOME / ".cargo" / "registry"] = registry
    environ = {"CARGO_NET_OFFLINE": "true", "CARGO_TARGET_DIR": str(TEMPORARY / "target")}
    return Toolchain(reads=reads, path=tuple(path), environ=environ)


def _go() -> Toolchain:
    """Return the folder that Go was installed to, with the modules that it has downloaded."""
    modules = HOME / "go" / "pkg" / "mod"
    reads: dict[PurePosixPath, Path] = {}
    path: list[str] = []
    for root in _go_roots():
        path.append(str(root / "bin"))
        if not _is_the_systems(root):
            reads[PurePosixPath(root)] = root
    if (downloaded := _go_modules()).is_dir():
        reads[modules] = downloaded
    return Toolchain(
        reads=reads,
        path=tuple(path),
        environ={**_GO, "GOCACHE": str(TEMPORARY / "go"), "GOMODCACHE": str(modules)},
    )


def _interpreter(venv: Path) -> dict[PurePosixPath, Path]:
    """Return the folder of the Python that a virtual environment was made with, if it isn't the system's."""
    try:
        settings = read_plain(venv / "pyvenv.cfg", most=MOST_SETTINGS).decode(errors="replace")
    except OSError:
        return {}
    named = _HOME_LINE.search(settings)
    if named is None or not Path(named[1]).is_absolute():
        return {}
    shown: dict[PurePosixPath, Path] = {}
    for folder in (Path(named[1]), Path(named[1]).resolve()):
        prefix = Path(os.path.normpath(folder)).parent
        real = prefix.resolve()
        if folder.name == "bin" and not _is_the_systems(prefix) and _is_python(real) and not _is_home(real):
            shown[PurePosixPath(prefix)] = real
    return shown


def _is_python(prefix: Path) -> bool:
    return any(prefix.glob("lib/python3*/os.py")) and any(prefix.glob("bin/python3*"))


def _prefix_of(program: str) -> Iterator[Path]:
    """Yield the folder that a program which isn't the system's was installed to, alone."""
    found = shutil.which(program)
    if found is None:
        return
    prefix = Path(found).resolve().parent.parent
    if not _is_the_systems(prefix) and not _is_home(prefix) and (prefix / "lib" / "node_modules").is_dir():
        yield prefix


def _rustup() -> Iterator[tuple[Path, Path]]:
    """Yield the default toolchain of rustup, and cargo's store of downloaded libraries."""
    rustup = Path(os.environ.get("RUSTUP_HOME", "") or Path.home() / ".rustup")
    try:
        settings = read_plain(rustup / "settings.toml", most=MOST_SETTINGS).decode(errors="replace")
    except OSError:
        return
    named = _DEFAULT.search(settings)
    toolchain = rustup / "toolchains" / named[1] if named else None
    if toolchain and (toolchain / "bin" / "cargo").is_file() and (toolchain / "lib" / "rustlib").is_dir():
        yield toolchain, Path(os.environ.get("CARGO_HOME", "") or Path.home() / ".cargo") / "registry"


def _go_roots() -> Iterator[Path]:
    """Yield the folder that Go was installed to, unless its program is where a seal looks anyway."""
    found = shutil.which("go")
    if found is None or str(Path(found).parent) in SYSTEM:
        return
    root = Path(found).resolve().parent.parent
    if not _is_home(root) and (root / "src" / "runtime").is_dir():
        yield root


def _go_modules() -> Path:
    """Return the folder of the modules that Go has downloaded."""
    if named := os.environ.get("GOMODCACHE", ""):
        return Path(named)
    gopath = os.environ.get("GOPATH", "").partition(os.pathsep)[0]
    return (Path(gopath) if gopath else Path.home() / "go") / "pkg" / "mod"


def _is_the_systems(folder: Path) -> bool:
    return any(folder.is_relative_to(system) for system in _SYSTEM_FOLDERS)


def _is_home(folder: Path) -> bool:
    """Tell whether the folder is a home, or holds one."""
    home = Path.home().resolve()
    return home.is_relative_to(folder) or len(folder.parts) <= 2  # noqa: PLR2004 - `/` and `/home`
