"""Structs to bytes and back, strictly."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import msgspec

Kind = TypeVar("Kind")


def to_json(value: object, *, pretty: bool = False) -> bytes:
    """The value as JSON; pretty is indented and ends with a newline."""
    data = msgspec.json.encode(value)
    return msgspec.json.format(data, indent=2) + b"\n" if pretty else data


def from_json(data: bytes | str, kind: type[Kind]) -> Kind:
    """Decode JSON; msgspec.ValidationError or DecodeError where it isn't of this type."""
    return msgspec.json.decode(data, type=kind)


def map_strings(value: object, change: Callable[[str], str]) -> object:
    """The value as plain dicts, lists and scalars, every string in it changed."""
    return _mapped(msgspec.to_builtins(value), change)


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        fields = cast("dict[Any, Any]", value)
        return {key: _mapped(item, change) for key, item in fields.items()}
    if isinstance(value, list | tuple):
        return [_mapped(item, change) for item in cast("Sequence[Any]", value)]
    return value


def schema(*kinds: Any) -> dict[str, Any]:
    """The JSON schema (2020-12) of a type, or of any one of several."""
    if len(kinds) == 1:
        return msgspec.json.schema(kinds[0])
    any_of, known = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    return {"anyOf": list(any_of), "$defs": known}


def strict_schema(kind: Any) -> dict[str, Any]:
    """The JSON schema of a struct as strict structured outputs want it: what may be left out is required too."""
    return _strict(root_schema(kind))


def root_schema(kind: Any) -> dict[str, Any]:
    """The JSON schema of a struct, with an object at its root."""
    whole = msgspec.json.schema(kind)
    known = whole.pop("$defs", {})
    root = known.pop(whole["$ref"].rpartition("/")[2]) if "$ref" in whole else whole
    return {**root, "$defs": known} if known else root


def _strict(value: Any) -> Any:
    if isinstance(value, list):
        return [_strict(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    fields = {key: _strict(item) for key, item in cast("dict[str, Any]", value).items() if key != "default"}
    if "enum" in fields and all(isinstance(item, str) for item in fields["enum"]):
        fields["type"] = "string"
    if "properties" in fields:
        fields |= {"additionalProperties": False, "required": list(fields["properties"])}
    return fields
