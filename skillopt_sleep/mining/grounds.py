"""Read what a repository offers to be run: its files, and the targets and scripts that it defines itself."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from skillopt_sleep.kit.files import readable

MOST_FILES = 100_000
MOST_BYTES = 512 * 1024
MOST_FOLDERS = 200

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_JUSTFILES = ("justfile", "Justfile", ".justfile")
_TARGETS = re.compile(r"^([A-Za-z0-9][\w./ -]*?)\s*::?(?![=:])", re.MULTILINE)
_RECIPE = re.compile(r"^@?([A-Za-z][\w-]*)(?:\s+[^:\n]*)?:(?!=)", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,60}")
_SCRIPT = re.compile(r"[A-Za-z0-9][\w.:-]{0,60}")
# In these files a project names the tools that it uses.
_NAMES_TOOLS = re.compile(
    r"pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|noxfile\.py|requirements[\w.-]*\.txt|[\w.-]*requirements\.txt|Pipfile"
    r"|package\.json|[Mm]akefile|GNUmakefile|\.?[Jj]ustfile|\.pre-commit-config\.ya?ml|Cargo\.toml|go\.mod|Gemfile"
)
_WORD = re.compile(r"[A-Za-z][\w-]{1,40}")
_GIT = ".git"


class _Package(msgspec.Struct):
    scripts: dict[str, str] = {}


class Grounds(NamedTuple):
    """What a repository has, all by paths below its root: files, folders, and by folder what can be run there.

    `targets` are those of make, `recipes` those of just, `scripts` those of package.json; `tools` are words of the
    files in which a project names its tools.
    """

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    targets: Mapping[str, frozenset[str]] = {}
    recipes: Mapping[str, frozenset[str]] = {}
    scripts: Mapping[str, frozenset[str]] = {}
    tools: frozenset[str] = frozenset()

    def has(self, path: str) -> bool:
        """Return whether there is such a file or folder."""
        plain = path.rstrip("/")
        return plain in self.files or plain in self.folders


def grounds_of(tree: Path) -> Grounds:
    """Return what the repository in this folder offers; links are never followed, and nothing of it is run."""
    files = frozenset(_files(tree))
    folders: set[str] = set()
    for path in files:
        folders.update(str(parent) for parent in PurePosixPath(path).parents)
    folders.discard(".")
    by_name: dict[str, list[str]] = {}
    for path in sorted(files, key=lambda name: (name.count("/"), name)):
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    tools: set[str] = set()
    for name, paths in by_name.items():
        if _NAMES_TOOLS.fullmatch(name):
            for path in paths[:MOST_FOLDERS]:
                tools.update(_WORD.findall(_text(tree, path)))
    return Grounds(
        files=files,
        folders=frozenset(folders),
        targets=_defined(tree, by_name, _MAKEFILES, _targets),
        recipes=_defined(tree, by_name, _JUSTFILES, _recipes),
        scripts=_defined(tree, by_name, ("package.json",), _scripts),
        tools=frozenset(tools),
    )


def _files(tree: Path) -> list[str]:
    found: list[str] = []
    for at, folders, names in os.walk(tree):
        folders[:] = sorted(name for name in folders if name != _GIT)
        inside = PurePosixPath(at).relative_to(PurePosixPath(tree))
        for name in sorted(names):
            if len(found) == MOST_FILES:
                return found
            found.append(str(inside / name))
    return found


def _text(tree: Path, path: str) -> str:
    return readable(tree / path, most=MOST_BYTES, inside=tree).decode(errors="replace")


def _defined(
    tree: Path, by_name: Mapping[str, list[str]], names: Iterable[str], read: Callable[[str], set[str]]
) -> dict[str, frozenset[str]]:
    """Return what the files of these names define, by folder; in each folder the first of the names counts."""
    defined: dict[str, frozenset[str]] = {}
    for name in names:
        for path in by_name.get(name, [])[:MOST_FOLDERS]:
            folder = path.rpartition("/")[0]
            if folder not in defined:
                defined[folder] = frozenset(read(_text(tree, path)))
    return defined


def _targets(text: str) -> set[str]:
    """Return the targets of a Makefile that are written out."""
    return {name for line in _TARGETS.findall(text) for name in line.split() if _NAME.fullmatch(name)}


def _recipes(text: str) -> set[str]:
    return set(_RECIPE.findall(text))


def _scripts(text: str) -> set[str]:
    try:
        package = msgspec.json.decode(text, type=_Package)
    except (msgspec.MsgspecError, RecursionError):
        return set()
    return {name for name in package.scripts if _SCRIPT.fullmatch(name)}
