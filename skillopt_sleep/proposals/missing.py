"""Tell which files, scripts and targets a rule names that the project doesn't have.

Only what is sure counts: code in back-ticks that the rule tells the agent to use, in a project that can be seen as a
whole. What a rule forbids, creates or shows as a pattern may well be missing, and a program may be on another PATH
than ours, so none of these is looked for.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple, cast

from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.proposals.guard.words import negated

MOST_FILES = 20_000
_MOST_BYTES = 1024 * 1024
_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_CLAUSE = re.compile(r"[.;:!?](?=\s)|\n")
# What a rule tells to make is not there yet; "if there is one" says so itself.
_MAKES = re.compile(
    r"\b(?:creat|generat|writ|add|put|sav|stor|nam|call|mov|renam|record|document|log|emit|output|initiali[sz]e|scaffold"
    r"|belong|new|if|unless|wherever|optional|example|such as|e\.g|like|anleg|erstell|schreib|speicher|wenn|falls|cré"
    r"|écri|si|crea|escrib|guard|cri|escrev|созда|запиш|если|создай)\w*|[创創]建|新建|写|寫|作成|如果",
    re.IGNORECASE,
)
_USES = re.compile(
    r"\b(?:run|read|see|follow|source|execut|check|consult|open|import|updat|edit|chang|use|start|lies|ausführ"
    r"|exécut|ejecut|actuali|изменен|запус|прочит)\w*|修改|运行",
    re.IGNORECASE,
)
_PATTERN = re.compile(r"[*?<>{}$%|&\[\]…~=\s\\]|://|\.\.\.|(?:^|/)\.\.(?:/|$)")
_SCRIPT = re.compile(r"(?P<program>npm|pnpm|yarn|bun)\s+run\s+(?P<name>[\w:.@/-]+)(?:\s.*)?")
_MAKE = re.compile(r"make\s+(?P<name>[A-Za-z0-9][\w.-]*)")
_TARGET = re.compile(r"^(?P<names>[A-Za-z0-9_./ -]+?)\s*::?(?!=)", re.MULTILINE)
_UNREADABLE_MAKE = re.compile(r"^\s*-?s?include\b|^[^\t#\n]*[%$][^\n]*:", re.MULTILINE)
_ENDING = re.compile(r"\.(?:md|py|js|ts|tsx|jsx|json|toml|ya?ml|sh|rb|go|rs|java|kt|sql|css|html|txt|cfg|ini)")
_LEFT_OUT = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", "dist", "build", "target"})


class _Files(NamedTuple):
    """The contents of a project: the paths of its files and folders, its scripts and its make targets.

    `scripts` and `targets` are None if there is no file that would hold them, or one that can't be read for sure.
    """

    paths: frozenset[str]
    scripts: frozenset[str] | None
    targets: frozenset[str] | None


def missing(rule: str, project: Path, *, held: str = "") -> tuple[str, ...]:
    """Return what the rule tells the agent to use and the project lacks, each with the reason; "" never counts.

    What the text `held` names already was there before the rule.
    """
    named = list(_named(rule, held))
    if not named:
        return ()
    files = _files_of(project)
    if files is None:
        return ()
    found: dict[str, None] = {}
    for code in named:
        reason = _reason(code, files)
        if reason:
            found[f"`{code}`: {reason}"] = None
    return tuple(found)


def _named(rule: str, held: str) -> Iterator[str]:
    for clause in _CLAUSE.split(rule):
        if negated(clause) or _MAKES.search(_CODE.sub(" ", clause)):
            continue
        is_used = _USES.search(_CODE.sub(" ", clause))
        for match in _CODE.finditer(clause):
            code = match[1].strip()
            # A name without a folder, in a clause that only speaks of it, may be an example.
            is_sure = is_used or "/" in code or " " in code
            if is_sure and code not in held:
                yield code


def _reason(code: str, files: _Files) -> str:
    """Return why this can't be used in the project, or "" if it can or that isn't known."""
    script = _SCRIPT.fullmatch(code)
    if script:
        if files.scripts is None or script["name"] in files.scripts:
            return ""
        return f"no package.json has a script {script['name']}"
    target = _MAKE.fullmatch(code)
    if target:
        if files.targets is None or target["name"] in files.targets or _is_there(target["name"], files):
            return ""
        return f"the Makefile has no target {target['name']}"
    is_path = "/" in code.strip("/") or _ENDING.fullmatch(PurePosixPath(code).suffix)
    if not is_path or _PATTERN.search(code) or code.startswith(("/", "@")) or _is_there(code, files):
        return ""
    # Without an ending it may be a branch, a package or a pair of alternatives: `origin/main`, `and/or`.
    if not _ENDING.fullmatch(PurePosixPath(code).suffix) and not code.startswith("./"):
        return ""
    return "there is no such file in the project"


def _is_there(code: str, files: _Files) -> bool:
    """Return whether a path of the project ends like this one, wherever the agent stands in it."""
    wanted = code.removeprefix("./").strip("/").partition(":")[0].casefold()
    return wanted in files.paths or any(path.endswith(f"/{wanted}") for path in files.paths)


def _files_of(project: Path) -> _Files | None:
    """Return what the project holds; None if it can't be seen, or not as a whole."""
    paths: set[str] = set()
    packages: list[Path] = []
    makefiles: list[Path] = []
    failed: list[OSError] = []
    for folder, folders, names in os.walk(project, onerror=failed.append):
        place = os.path.relpath(folder, project)
        inside = "" if place == "." else f"{PurePosixPath(*Path(place).parts)}/".casefold()
        paths.update(f"{inside}{name.casefold()}" for name in (*names, *folders))
        folders[:] = [name for name in folders if name not in _LEFT_OUT]
        packages += [Path(folder, name) for name in names if name == "package.json"]
        makefiles += [Path(folder, name) for name in names if name in {"Makefile", "makefile", "GNUmakefile"}]
        if failed or len(paths) > MOST_FILES:
            return None
    return _Files(frozenset(paths), _scripts(packages), _targets(makefiles))


def _scripts(packages: list[Path]) -> frozenset[str] | None:
    found: set[str] = set()
    for file in packages:
        try:
            data: object = json.loads(read_plain(file, most=_MOST_BYTES))
        except (OSError, ValueError):
            return None
        scripts: object = cast("Mapping[str, object]", data).get("scripts") if isinstance(data, dict) else None
        if isinstance(scripts, dict):
            found.update(map(str, cast("Mapping[object, object]", scripts)))
    return frozenset(found) if packages else None


def _targets(makefiles: list[Path]) -> frozenset[str] | None:
    found: set[str] = set()
    for file in makefiles:
        try:
            text = read_plain(file, most=_MOST_BYTES).decode(errors="replace")
        except OSError:
            return None
        if _UNREADABLE_MAKE.search(text):
            return None
        for match in _TARGET.finditer(text):
            found.update(match["names"].split())
    return frozenset(found) if makefiles else None
