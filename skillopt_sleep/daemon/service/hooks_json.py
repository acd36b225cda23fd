"""Add our hooks to a JSON file of hooks (Claude Code's or Codex's) and remove them, keeping all other bytes."""

from typing import Any, NamedTuple

from skillopt_sleep.daemon.service.hook_files import Hook, is_ours
from skillopt_sleep.daemon.service.jsonc import Node, add_part, parse, part, remove_part

_BLANK = "\ufeff \t\r\n"


class Merged(NamedTuple):
    """The text with our hooks; `made` are the events we created, with "" for the `hooks` object itself."""

    text: str
    made: tuple[str, ...]


class _OurGroup(NamedTuple):
    """A group with a handler of ours: its event, its number there, its handlers, and the number of our first one."""

    event: Node
    number: int
    handlers: Node
    handler: int


def add_hooks(text: str, hooks: tuple[Hook, ...]) -> Merged:
    """Add our hooks at the end of their events; raises ValueError if it isn't a file of hooks."""
    made: list[str] = []
    if not text.strip(_BLANK):
        # Only white space and perhaps a byte order mark, which stays.
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        text = mark + "{}\n"
    if part(_root(text), "hooks") is None:
        text = add_part(text, _root(text), {}, key="hooks")
        made.append("")
    for hook in hooks:
        events = _events(text)
        event = part(events, hook.event)
        if event is None:
            text = add_part(text, events, [hook.group], key=hook.event)
            made.append(hook.event)
        elif isinstance(event.node.value, list):
            text = add_part(text, event.node, hook.group)
        else:
            raise ValueError(f"hooks.{hook.event} isn't a list")
    return Merged(text, tuple(made))


def has(text: str, hooks: tuple[Hook, ...]) -> bool:
    """Return whether our hooks in the text are exactly these."""
    return ours(text) == [hook.group for hook in hooks]


def has_any(text: str) -> bool:
    """Return whether the text has any hook of ours."""
    return bool(ours(text))


def ours(text: str) -> list[Any]:
    """Return the groups that have a handler of ours."""
    return [found.event.parts[found.number].node.value for found in _our_groups(text)]


def remove_hooks(text: str, made: tuple[str, ...]) -> str:
    """Remove our hooks, and those of the events that `add_hooks` created (`made`) that are empty now."""
    groups = _our_groups(text)
    while groups:
        text = _without_first(text, groups[0])
        groups = _our_groups(text)
    for name in made:
        if name:
            text = _without_empty_event(text, name)
    if "" in made and text.strip():
        text = _without_empty(text, _root(text), "hooks", empty={})
    return text


def is_empty(text: str) -> bool:
    """Return whether nothing worth keeping is left in the file."""
    return text.strip(_BLANK) in {"", "{}"}


def _root(text: str) -> Node:
    root = parse(text)
    if not isinstance(root.value, dict):
        raise ValueError("it isn't an object")  # noqa: TRY004 - of the file, not of a type
    return root


def _events(text: str) -> Node:
    events = part(_root(text), "hooks")
    if events is None or not isinstance(events.node.value, dict):
        raise ValueError("hooks isn't an object")
    return events.node


def _our_groups(text: str) -> list[_OurGroup]:
    """Find every group with a handler of ours, in the order of the text."""
    if not text.strip(_BLANK):
        return []
    hooks = part(parse(text), "hooks")
    if hooks is None:
        return []
    groups: list[_OurGroup] = []
    for event in hooks.node.parts:
        for number, group in enumerate(event.node.parts):
            handlers = part(group.node, "hooks")
            if handlers is None:
                continue
            for index, handler in enumerate(handlers.node.parts):
                if is_ours(handler.node.value):
                    groups.append(_OurGroup(event.node, number, handlers.node, index))
                    break
    return groups


def _without_first(text: str, group: _OurGroup) -> str:
    """Remove the group, or only our handler if others share the group with it."""
    if len(group.handlers.parts) == 1:
        return remove_part(text, group.event, group.number)
    return remove_part(text, group.handlers, group.handler)


def _without_empty_event(text: str, name: str) -> str:
    events = part(_root(text), "hooks")
    if events is None:
        return text
    return _without_empty(text, events.node, name, empty=[])


def _without_empty(text: str, node: Node, key: str, *, empty: object) -> str:
    """Remove the last member of this name if it is empty."""
    for number in reversed(range(len(node.parts))):
        if node.parts[number].key == key:
            if node.parts[number].node.value == empty:
                return remove_part(text, node, number)
            return text
    return text
