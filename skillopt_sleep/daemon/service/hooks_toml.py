"""Add our hooks as tables at the end of Codex's config.toml, and find them again by the command they run."""

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from skillopt_sleep.daemon.service.hook_files import Hook, is_ours

NOTE = "# skillopt-sleep: `skillopt-sleep uninstall` takes this out again"

_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_GROUP_HEADER = re.compile(r"[ \t]*\[\[\s*hooks\s*\.\s*\w+\s*\]\]")
_HANDLER_HEADER = re.compile(r"[ \t]*\[\[\s*hooks\s*\.\s*\w+\s*\.\s*hooks\s*\]\]")
_NOTE_AT_END = re.compile(r"(?:\r?\n)?" + re.escape(NOTE) + r"\r?\n\Z")


def add_hooks(text: str, hooks: tuple[Hook, ...]) -> str:
    """Add our tables at the end; raises ValueError if the file's hooks aren't written as tables."""
    newline = "\r\n" if "\r\n" in text else "\n"
    result = text
    if text and not text.endswith("\n"):
        result += newline
    for hook in hooks:
        result += newline.join(("", NOTE, *_lines(hook), ""))
    events = _events(result)
    wanted = dict(_events(text))
    for hook in hooks:
        wanted[hook.event] = [*wanted.get(hook.event, []), hook.group]
    if events != wanted:
        raise ValueError("its hooks are written in a way that can't be added to")
    return result


def has(text: str, hooks: tuple[Hook, ...]) -> bool:
    """Return whether our hooks in the text are exactly these."""
    return _our_groups(text) == [(hook.event, hook.group) for hook in hooks]


def has_any(text: str) -> bool:
    """Return whether the text has any hook of ours."""
    return bool(_our_groups(text))


def ours(text: str) -> list[Any]:
    """Return the groups that have a handler of ours."""
    return [group for _, group in _our_groups(text)]


def has_hooks(text: str) -> bool:
    """Return whether the file defines hooks; what Codex itself records about hooks doesn't count."""
    return bool(_lists(text))


def remove_hooks(text: str) -> str:
    """Remove our tables, wherever they were moved; raises ValueError if they can't be separated from others'."""
    for _, group in _our_groups(text):
        if not all(is_ours(handler) for handler in group["hooks"]):
            raise ValueError("a hook of somebody else's was put into an entry of ours")
    starts = [header.start() for header in _HEADER.finditer(text)]
    tables = [text[start:stop] for start, stop in zip(starts, [*starts[1:], len(text)], strict=True)]
    result = text[: starts[0]] if starts else text
    at = 0
    while at < len(tables):
        size = _size_of_our_entry(tables, at)
        if size:
            result = _NOTE_AT_END.sub("", result)
            result += _after_table("".join(tables[at : at + size]))
            at += size
        else:
            result += tables[at]
            at += 1
    if _others(result) != _others(text) or _our_groups(result):
        raise ValueError("our hooks are written in a way that can't be taken out")
    return result


def _lines(hook: Hook) -> list[str]:
    plain = {key: value for key, value in hook.group.items() if key != "hooks"}
    lines = [f"[[hooks.{hook.event}]]", *_pairs(plain)]
    for handler in hook.group["hooks"]:
        lines += [f"[[hooks.{hook.event}.hooks]]", *_pairs(handler)]
    return lines


def _pairs(values: Mapping[str, Any]) -> list[str]:
    # Strings, numbers and booleans are written the same in JSON and TOML, except DEL, which TOML wants escaped.
    return [f"{key} = {json.dumps(value).replace(chr(127), chr(92) + 'u007F')}" for key, value in values.items()]


def _events(text: str) -> dict[str, Any]:
    hooks = tomllib.loads(text.removeprefix("\ufeff")).get("hooks", {})
    if not isinstance(hooks, dict):
        raise ValueError("hooks isn't a table")  # noqa: TRY004 - of the file, not of a type
    return hooks  # pyright: ignore[reportUnknownVariableType] - as tomllib says


def _lists(text: str) -> dict[str, list[Any]]:
    return {event: groups for event, groups in _events(text).items() if isinstance(groups, list)}


def _is_ours(group: Any) -> bool:
    return isinstance(group, dict) and any(is_ours(handler) for handler in group.get("hooks", []))  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def _our_groups(text: str) -> list[tuple[str, Any]]:
    groups: list[tuple[str, Any]] = []
    for event, of_event in _lists(text).items():
        groups += [(event, group) for group in of_event if _is_ours(group)]
    return groups


def _others(text: str) -> dict[str, list[Any]]:
    """Return the groups of each event that aren't ours, without events that have none."""
    others: dict[str, list[Any]] = {}
    for event, of_event in _lists(text).items():
        rest = [group for group in of_event if not _is_ours(group)]
        if rest:
            others[event] = rest
    return others


def _size_of_our_entry(tables: list[str], at: int) -> int:
    """Return how many tables, from here on, make up one entry of ours; 0 if none begins here."""
    if not _GROUP_HEADER.match(tables[at]):
        return 0
    size = 1
    while at + size < len(tables) and _HANDLER_HEADER.match(tables[at + size]):
        size += 1
    try:
        found = _our_groups("".join(tables[at : at + size]))
    except ValueError:
        return 0
    return size if found else 0


def _after_table(text: str) -> str:
    """Return the comments and empty lines at a table's end: they belong to what follows."""
    lines = text.splitlines(keepends=True)
    at = len(lines)
    while at and (not lines[at - 1].strip() or lines[at - 1].lstrip().startswith("#")):
        at -= 1
    return "".join(lines[at:])
