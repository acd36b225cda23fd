"""Write values as TOML: a struct of sections with what is said of them and their keys, or a list of tables.

Written by hand, because what these files hold is shown to people: characters that can't be seen are escaped, and
strings take the form that needs the fewest escapes. tomlkit does neither.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from typing import Any, cast

import msgspec

from skillopt_sleep.kit.markdown import visible

_BARE = re.compile("[A-Za-z0-9_-]+")
_LONGEST_ARRAY = 80  # a longer one has an item a line


def to_toml(value: msgspec.Struct) -> str:
    """Return a TOML file with every key; above a section is its docstring, above a key its description.

    Fields that aren't sections must come first.
    """
    lines = _comment(value.__doc__)
    about = described(type(value))
    for name in value.__struct_fields__:
        field = getattr(value, name)
        if isinstance(field, msgspec.Struct):
            lines += ["", *_comment(field.__doc__), f"[{name}]"]
            for key, said in described(type(field)).items():
                lines += [*_comment(said), f"{key} = {written(getattr(field, key))}"]
        elif isinstance(field, Mapping):
            lines += ["", *_comment(about[name]), f"[{name}]"]
            for key, item in cast("Mapping[str, object]", field).items():
                lines.append(f"{(key if _BARE.fullmatch(key) else written(key))} = {written(item)}")
        else:
            lines += [*_comment(about[name]), f"{name} = {written(field)}"]
    return "\n".join(lines) + "\n"


def described(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Return the description of each field of a struct, from its `Meta`; "" for a field that has none."""
    found: dict[str, str] = {}
    for field in msgspec.structs.fields(kind):
        found[field.name] = ""
        for meta in getattr(field.type, "__metadata__", ()):
            if isinstance(meta, msgspec.Meta) and meta.description:
                found[field.name] = meta.description
    return found


def to_sections(sections: Mapping[str, Mapping[str, object]]) -> str:
    """Return a TOML file of [sections] with these keys and no others, without empty sections."""
    texts: list[str] = []
    for name, keys in sections.items():
        if keys:
            lines = [f"[{name}]\n"]
            lines += [f"{key} = {written(value)}\n" for key, value in keys.items()]
            texts.append("".join(lines))
    return "\n".join(texts)


def to_tables(name: str, rows: Sequence[Mapping[str, object]]) -> str:
    """Return a TOML file of [[name]] tables that is easy to edit, with unseen characters escaped."""
    texts: list[str] = []
    for row in rows:
        lines = [f"[[{name}]]\n"]
        lines += [f"{key} = {_cell(value)}\n" for key, value in row.items()]
        texts.append("".join(lines))
    return "\n".join(texts)


def _cell(value: object) -> str:
    match value:
        case str():
            return _string(value)
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case Mapping():
            fields = cast("Mapping[str, object]", value)
            pairs = ", ".join(f"{key} = {_cell(field)}" for key, field in fields.items())
            return f"{{ {pairs} }}"
        case Sequence():
            return _array(cast("Sequence[object]", value))
        case _:
            return written(value)


def _array(values: Sequence[object]) -> str:
    items = [_cell(item) for item in values]
    if sum(map(len, items)) <= _LONGEST_ARRAY:
        return f"[{', '.join(items)}]"
    lines = "".join(f"    {item},\n" for item in items)
    return f"[\n{lines}]"


def _string(text: str) -> str:
    """Return a string in the form that needs the fewest escapes."""
    if "\n" in text:
        return _multi_line_string(text)
    if visible(text) == text and "'" not in text and ("\\" in text or '"' in text):
        return f"'{text}'"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_with_unseen_escaped(escaped)}"'


def _multi_line_string(text: str) -> str:
    last = ""
    if text.endswith('"'):
        # It would end the string too early.
        text, last = text[:-1], '\\"'
    escaped = text.replace("\\", "\\\\").replace('"""', '""\\"')
    return f'"""\n{_with_unseen_escaped(escaped)}{last}"""'


def _with_unseen_escaped(text: str) -> str:
    return "".join(char if visible(char) == char else f"\\U{ord(char):08X}" for char in text)


def _comment(text: str | None) -> list[str]:
    return [f"# {line.strip()}" for line in (text or "").splitlines() if line.strip()]


def written(value: Any) -> str:
    """Return a value as it is written on one line of a TOML file."""
    match value:
        case bool():
            return "true" if value else "false"
        case Enum():
            return json.dumps(value.value)
        case str():
            return _with_unseen_escaped(json.dumps(value, ensure_ascii=False))
        case Sequence():
            items = cast("Sequence[Any]", value)
            return f"[{', '.join(written(item) for item in items)}]"
        case Mapping():
            fields = cast("Mapping[str, Any]", value)
            pairs = ", ".join(f"{written(key)} = {written(field)}" for key, field in fields.items())
            return f"{{ {pairs} }}" if pairs else "{}"
        case _:
            return str(value)
