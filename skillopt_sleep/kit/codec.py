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


def schema(kind: Any) -> dict[str, Any]:
    """The JSON schema (2020-12) of a type."""
    return msgspec.json.schema(kind)
