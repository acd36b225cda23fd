"""Parse JSON with comments and trailing commas, keeping every position, so that it can be edited as text."""

import json
import re
from typing import Any, NamedTuple

_GAP = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_MEMBER_INDENT = re.compile(r"\n([ \t]+)[^\s]")
_DECODER = json.JSONDecoder()


class Node(NamedTuple):
    """A value and its position in the text; an object or array also lists its `parts`."""

    start: int
    end: int
    value: Any
    parts: "tuple[Part, ...]" = ()


class Part(NamedTuple):
    """A member or item: `start` is where it begins, `comma` is the end of the comma after it, or -1."""

    key: str
    start: int
    node: Node
    comma: int


class Shape(NamedTuple):
    """The format of a text; an `indent` of "" means everything on one line."""

    newline: str
    indent: str


def parse(text: str) -> Node:
    """Parse the whole text as one value; raises ValueError if it isn't one."""
    start = _skip(text, 0)
    try:
        node = _value(text, start)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if _skip(text, node.end) != len(text):
        raise ValueError(f"there is more after the end, at {_place(text, node.end)}")
    return node


def part(node: Node, key: str) -> Part | None:
    """Return the member of this name, or None; of several the last one counts, as in every JSON parser."""
    for member in reversed(node.parts):
        if member.key == key:
            return member
    return None


def shape(text: str) -> Shape:
    """Detect the text's line ends and one step of its indentation."""
    newline = "\r\n" if "\r\n" in text else "\n"
    content = text.strip()
    if len(content) > len("{}") and "\n" not in content:
        return Shape(newline, "")
    first_indent = _MEMBER_INDENT.search(text)
    if first_indent:
        return Shape(newline, first_indent[1])
    return Shape(newline, "  ")


def add_part(text: str, container: Node, value: object, *, key: str = "") -> str:
    """Add one member or item at the end of the container, formatted as the rest of the text."""
    layout = shape(text)
    inside = text[container.start + 1 : container.end - 1]
    stop = container.start + 1 + len(inside.rstrip())
    outer = _indent_at(text, container.start)
    if not container.parts:
        piece = _rendered(value, key=key, layout=layout, outer=outer, text=text)
        if inside.strip():
            # Only comments are inside.
            return f"{text[:stop]}{piece}{text[stop:]}"
        close = layout.newline + outer if layout.indent else ""
        return f"{text[: container.start + 1]}{piece}{close}{text[container.end - 1 :]}"
    gap = ""
    if "\n" not in inside:
        layout = Shape(layout.newline, "")
        gap = "" if _is_tight(text) else " "
    piece = _rendered(value, key=key, layout=layout, outer=outer, text=text)
    last = container.parts[-1]
    if last.comma < 0:
        at = last.node.end
        return f"{text[:at]},{text[at:stop]}{gap}{piece}{text[stop:]}"
    # A trailing comma stays the style of the container.
    return f"{text[:stop]}{gap}{piece},{text[stop:]}"


def remove_part(text: str, container: Node, number: int) -> str:
    """Remove one member or item, its comma, and the white space before it."""
    removed = container.parts[number]
    end = removed.comma if removed.comma >= 0 else removed.node.end
    start = len(text[: removed.start].rstrip())
    rest = text[end:]
    if number and removed.comma < 0:
        # The comma before it goes too; a comment between the two stays.
        comma = container.parts[number - 1].comma
        start -= 1
        text = text[: comma - 1] + text[comma:]
    head = text[:start]
    to_close = container.end - 1 - end
    if len(container.parts) == 1 and not (head[container.start + 1 :] + rest[:to_close]).strip():
        rest = rest[to_close:]
    elif "//" in head.rpartition("\n")[2] and not re.match(r"[ \t\r]*\n", rest):
        # Don't let a comment swallow what follows.
        rest = "\n" + rest
    return head + rest


def _skip(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    return gap.end() if gap else at


def _value(text: str, at: int) -> Node:
    opening = text[at : at + 1]
    if opening in {"{", "["}:
        return _container(text, at, close="}" if opening == "{" else "]")
    try:
        value, end = _DECODER.raw_decode(text, at)
    except ValueError as error:
        raise ValueError(f"there is no value at {_place(text, at)}") from error
    return Node(at, end, value)


def _container(text: str, at: int, *, close: str) -> Node:
    parts: list[Part] = []
    here = _skip(text, at + 1)
    while text[here : here + 1] != close:
        if parts and parts[-1].comma < 0:
            raise ValueError(f"a comma or {close} is missing at {_place(text, here)}")
        start = here
        key = ""
        if close == "}":
            key, here = _member_name(text, here)
        node = _value(text, here)
        here = _skip(text, node.end)
        comma = -1
        if text[here : here + 1] == ",":
            comma = here + 1
            here = _skip(text, comma)
        parts.append(Part(key, start, node, comma))
    value: Any
    if close == "}":
        value = {member.key: member.node.value for member in parts}
    else:
        value = [item.node.value for item in parts]
    return Node(at, here + 1, value, tuple(parts))


def _member_name(text: str, at: int) -> tuple[str, int]:
    """Return the name of an object's member, and where its value begins."""
    name = _value(text, at)
    colon = _skip(text, name.end)
    if not isinstance(name.value, str) or text[colon : colon + 1] != ":":
        raise ValueError(f"there is no name with a colon at {_place(text, at)}")
    return name.value, _skip(text, colon + 1)


def _rendered(value: object, *, key: str, layout: Shape, outer: str, text: str) -> str:
    """Return the new member or item as text, with the white space before it."""
    separators = (", ", ": ")
    if not layout.indent and _is_tight(text):
        separators = (",", ":")
    name = ""
    if key:
        name = json.dumps(key, ensure_ascii=False) + separators[1]
    if not layout.indent:
        return name + json.dumps(value, ensure_ascii=False, separators=separators)
    lines = json.dumps(value, ensure_ascii=False, indent=layout.indent).split("\n")
    start = layout.newline + outer + layout.indent
    return start + name + start.join(lines)


def _is_tight(text: str) -> bool:
    """Return whether the text has no space after its colons."""
    return '":' in text and '": ' not in text


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _place(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}"
