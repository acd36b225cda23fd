"""A struct of sections as TOML, each with its docstring as a comment."""

import json
from collections.abc import Sequence
from enum import Enum
from typing import Any, cast

import msgspec


def to_toml(value: msgspec.Struct) -> str:
    """The text of a TOML file that says every key; each section's docstring is the comment above it."""
    lines = _comment(value)
    for name in value.__struct_fields__:
        inner = getattr(value, name)
        if isinstance(inner, msgspec.Struct):
            lines += ["", *_comment(inner), f"[{name}]"]
            lines += [f"{key} = {_value(getattr(inner, key))}" for key in inner.__struct_fields__]
        else:
            lines.append(f"{name} = {_value(inner)}")
    return "\n".join(lines) + "\n"


def _comment(value: msgspec.Struct) -> list[str]:
    return [f"# {line.strip()}" for line in (value.__doc__ or "").splitlines() if line.strip()]


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case Enum():
            return json.dumps(value.value)
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case Sequence():
            return f"[{', '.join(_value(item) for item in cast('Sequence[Any]', value))}]"
        case _:
            return str(value)
