"""Tell by its text whether an environment or a model of the user's own is still what it was."""

import ast
import hashlib
import inspect
import sys
import textwrap
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from skillopt_sleep.pools.ray import OWN_FILES
from skillopt_sleep.records import Record

_OURS = __name__.partition(".")[0]


class Source(Record, frozen=True, kw_only=True):
    """The code of a class: which one it is, and the SHA-256 of its text, or of its `version` if it has one."""

    what: str
    sha: str


def source_of(thing: object) -> Source | None:
    """Return the code of an object's class, None if the class is ours or its text can't be had.

    What counts is the class and what it uses by name of its own file; of a file that is named by its path, all of it.
    """
    kind = type(thing)
    if kind.__module__.partition(".")[0] in {_OURS, "builtins"}:
        return None
    version = str(getattr(thing, "version", ""))
    try:
        file = inspect.getsourcefile(kind) or ""
        text = f"version {version}" if version else _text(kind)
    except (OSError, TypeError, SyntaxError):
        return None
    what = f"class {kind.__name__} in {Path(file).name}"
    if version:
        what += f", version {version}"
    return Source(what=what, sha=hashlib.sha256(text.encode(errors="replace")).hexdigest())


def sources(env: object, models: Mapping[str, object]) -> dict[str, Source]:
    """Return the code of the environment and of the models by role; a target like the optimizer isn't named.

    That is one of the same class and version.
    """
    things = {"env": env, **models}
    target, optimizer = models["target"], models["optimizer"]
    has_same_version = getattr(target, "version", "") == getattr(optimizer, "version", "")
    if type(target) is type(optimizer) and has_same_version:
        del things["target"]
    found = {role: source_of(thing) for role, thing in things.items()}
    return {role: source for role, source in found.items() if source}


def _text(kind: type) -> str:
    whole = inspect.getsource(sys.modules[kind.__module__])
    if kind.__module__.startswith(OWN_FILES):
        return whole
    defined = _defined(whole)
    text = defined.get(kind.__qualname__) or textwrap.dedent(inspect.getsource(kind))
    used: dict[str, str] = {"": text}
    waiting = [text]
    while waiting:
        for name in _names(waiting.pop()) & defined.keys() - used.keys():
            used[name] = defined[name]
            waiting.append(defined[name])
    return "\n".join(part for _, part in sorted(used.items()))


@lru_cache(maxsize=4)
def _defined(whole: str) -> dict[str, str]:
    """Return the lines that define each name at the top level of a file."""
    lines = whole.splitlines()
    defined: dict[str, str] = {}
    for node in ast.parse(whole).body:
        first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
        for name in _bound(node):
            text = "\n".join(lines[first - 1 : node.end_lineno])
            defined[name] = f"{defined.get(name, '')}{text}\n"
    return defined


def _bound(node: ast.stmt) -> set[str]:
    """Return the names that a statement at the top level gives a value."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return {node.name}
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return set()
    found = [inner for inner in ast.walk(node) if isinstance(inner, ast.Name)]
    return {name.id for name in found if isinstance(name.ctx, ast.Store)}


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
