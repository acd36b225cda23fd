"""Find the folders of dependencies that lie beside a project's manifests and aren't kept in git."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from skillopt_sleep.replay.workspaces.checkout import leads_out

_TABLE = (
    ("package.json bower.json", "node_modules bower_components jspm_packages .yarn .pnpm-store"),
    ("pyproject.toml setup.py setup.cfg tox.ini noxfile.py", ".tox .nox .eggs __pypackages__"),
    (".venv/pyvenv.cfg", ".venv"),
    ("venv/pyvenv.cfg", "venv"),
    ("Cargo.toml pom.xml build.sbt", "target"),
    ("go.mod composer.json Gemfile Cargo.toml", "vendor"),
    ("Gemfile", ".bundle"),
    ("build.gradle build.gradle.kts settings.gradle settings.gradle.kts", ".gradle"),
    ("Podfile", "Pods"),
    ("mix.exs rebar.config dune-project", "_build deps"),
    ("elm.json", "elm-stuff"),
    ("Package.swift", ".build"),
    ("stack.yaml", ".stack-work"),
    ("pubspec.yaml", ".dart_tool"),
)
# A folder of such a name may be the user's own, so one of these files has to lie beside it.
MANIFESTS = {name: manifests.split() for manifests, names in _TABLE for name in names.split()}
_MOST_DEPTH = 4
_MOST_FOLDERS = 3_000
_MOST_FOUND = 200


def dependencies_of(root: Path, tree: Path) -> dict[PurePosixPath, Path]:
    """Return folders of dependencies below `root` by the path at which they stand, which is their own.

    Only those count that the copy `tree` has nothing of, and below folders that it has, too. A link is taken only if
    it leads to another folder inside.
    """
    found: dict[PurePosixPath, Path] = {}
    for inside in _candidates(root, tree):
        real = _real(root, inside)
        if real is not None and not os.path.lexists(tree / inside):
            found[PurePosixPath(root / inside)] = real
        if len(found) == _MOST_FOUND:
            break
    return found


def _candidates(root: Path, tree: Path) -> Iterator[str]:
    """Yield the paths below the root with a name of such a folder, those nearest to the root first."""
    level = [""]
    seen = 0
    for _ in range(_MOST_DEPTH):
        below: list[str] = []
        for folder in level:
            seen += 1
            if seen > _MOST_FOLDERS:
                return
            for name in _names(root / folder):
                inside = f"{folder}/{name}" if folder else name
                if name in MANIFESTS and not os.path.lexists(tree / inside):
                    if any(os.path.lexists(root / folder / manifest) for manifest in MANIFESTS[name]):
                        yield inside
                elif name != ".git" and _is_folder(root / inside) and _is_folder(tree / inside):
                    below.append(inside)
        level = below


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return []


def _is_folder(path: Path) -> bool:
    """Tell whether the path is a folder and no link."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def _real(root: Path, inside: str) -> Path | None:
    """Return the folder at this path below the root, or None if it is none or leads out."""
    path = root / inside
    if _is_folder(path):
        return path
    try:
        target = os.fsencode(path.readlink())
        real = path.resolve(strict=True)
    except OSError:
        return None
    home = root.resolve()
    leads_into_git = ".git" in real.relative_to(home).parts if real.is_relative_to(home) else True
    if leads_out(os.fsencode(inside), target) or leads_into_git or real == home or not real.is_dir():
        return None
    return real
