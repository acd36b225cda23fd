"""Structs to bytes and back, strictly."""

from typing import Any, TypeVar

import msgspec

Kind = TypeVar("Kind")


def to_json(value: object, *, pretty: bool = False) -> bytes:
    """The value as JSON; pretty is indented and ends with a newline."""
    data = msgspec.json.encode(value)
    return msgspec.json.format(data, indent=2) + b"\n" if pretty else data


def from_json(data: bytes | str, kind: type[Kind]) -> Kind:
    """Decode JSON; msgspec.ValidationError or DecodeError where it isn't of this type."""
    return msgspec.json.decode(data, type=kind)


def schema(kind: Any) -> dict[str, Any]:
    """The JSON schema (2020-12) of a type."""
    return msgspec.json.schema(kind)
