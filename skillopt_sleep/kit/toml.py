"""Values as TOML: a struct of sections, each with its docstring as a comment, and a list of tables."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from typing import Any, cast

import msgspec

from skillopt_sleep.kit.markdown import visible

_LONG = 80


def to_toml(value: msgspec.Struct) -> str:
    """The text of a TOML file that says every key; each section's docstring is the comment above it.

    Plain values come before sections.
    """
    lines = _comment(value)
    for name in value.__struct_fields__:
        inner = getattr(value, name)
        if isinstance(inner, msgspec.Struct):
            lines += ["", *_comment(inner), f"[{name}]"]
            lines += [f"{key} = {_value(getattr(inner, key))}" for key in inner.__struct_fields__]
        elif isinstance(inner, Mapping):
            free = cast("Mapping[str, object]", inner)
            lines += ["", f"[{name}]", *(f"{key} = {_value(value)}" for key, value in free.items())]
        else:
            lines.append(f"{name} = {_value(inner)}")
    return "\n".join(lines) + "\n"


def to_sections(sections: Mapping[str, Mapping[str, object]]) -> str:
    """The text of a TOML file of [sections] with these keys and no others; an empty section isn't told."""
    return "\n".join(
        "".join((f"[{name}]\n", *(f"{key} = {_value(value)}\n" for key, value in keys.items())))
        for name, keys in sections.items()
        if keys
    )


def to_tables(name: str, rows: Sequence[Mapping[str, object]]) -> str:
    """The text of a TOML file of [[name]] tables: easy to edit, and what can't be seen is written out."""
    return "\n".join(
        "".join((f"[[{name}]]\n", *(f"{key} = {_cell(value)}\n" for key, value in row.items()))) for row in rows
    )


def _cell(value: object) -> str:
    match value:
        case str():
            return _text(value)
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case Mapping():
            fields = cast("Mapping[str, object]", value)
            return f"{{ {', '.join(f'{key} = {_cell(inner)}' for key, inner in fields.items())} }}"
        case Sequence():
            items = [_cell(item) for item in cast("Sequence[object]", value)]
            if sum(map(len, items)) <= _LONG:
                return f"[{', '.join(items)}]"
            return "".join(("[\n", *(f"    {item},\n" for item in items), "]"))
        case _:
            return _value(value)


def _text(text: str) -> str:
    """A string in the form that needs the fewest escapes."""
    if "\n" in text:
        inside, last = (text[:-1], '\\"') if text.endswith('"') else (text, "")
        plain = inside.replace("\\", "\\\\").replace('"""', '""\\"')
        return f'"""\n{_seen(plain)}{last}"""'
    if visible(text) == text and "'" not in text and ("\\" in text or '"' in text):
        return f"'{text}'"
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_seen(plain)}"'


def _seen(text: str) -> str:
    return "".join(char if visible(char) == char else f"\\U{ord(char):08X}" for char in text)


def _comment(value: msgspec.Struct) -> list[str]:
    return [f"# {line.strip()}" for line in (value.__doc__ or "").splitlines() if line.strip()]


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case Enum():
            return json.dumps(value.value)
        case str():
            return _seen(json.dumps(value, ensure_ascii=False))
        case Sequence():
            return f"[{', '.join(_value(item) for item in cast('Sequence[Any]', value))}]"
        case _:
            return str(value)
