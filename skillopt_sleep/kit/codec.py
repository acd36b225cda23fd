"""Encode structs as JSON and decode them strictly; find the JSON in a model's reply; describe structs as schemas."""

import json
import re
from collections.abc import Callable, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

Kind = TypeVar("Kind")


def to_json(value: object, *, pretty: bool = False) -> bytes:
    """Encode the value as JSON; `pretty` indents it and ends it with a newline."""
    data = msgspec.json.encode(value)
    if pretty:
        return msgspec.json.format(data, indent=2) + b"\n"
    return data


def from_json(data: bytes | str, kind: type[Kind]) -> Kind:
    """Decode JSON of this type; raise msgspec.ValidationError or msgspec.DecodeError if it isn't."""
    return msgspec.json.decode(data, type=kind)


def another_format(error: msgspec.ValidationError, place: Path, log: Path | str) -> tuple[str, str]:
    """Say that another version wrote what is kept at a place, and what to do; the traceback is in this log."""
    remedy = f"use the version that wrote it, or move the file elsewhere; the traceback is in {log}"
    return f"what is kept in {place} isn't in this version's format: {error}", remedy


def map_strings(value: object, change: Callable[[str], str]) -> object:
    """Return the value as plain dicts, lists and scalars, with every string except keys changed."""
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
    """Return the JSON schema (2020-12) of a type, or of any one of several."""
    references, definitions = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    for definition in definitions.values():
        # Versions of msgspec differ in how they indent a docstring.
        if "description" in definition:
            definition["description"] = cleandoc(definition["description"])
    one_of = references[0] if len(kinds) == 1 else {"anyOf": list(references)}
    return {**one_of, "$defs": definitions} if definitions else one_of


def root_schema(kind: Any) -> dict[str, Any]:
    """Return the JSON schema of a struct, with an object at its root instead of a reference."""
    whole = schema(kind)
    definitions = whole.pop("$defs", {})
    root = whole
    if "$ref" in whole:
        name = whole["$ref"].rpartition("/")[2]
        root = definitions.pop(name)
    if definitions:
        return {**root, "$defs": definitions}
    return root


def strict_schema(kind: Any) -> dict[str, Any]:
    """Return the JSON schema of a struct as strict structured outputs want it: optional fields are required too."""
    return _strict(root_schema(kind))


def _strict(value: Any) -> Any:
    if isinstance(value, list):
        return [_strict(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    fields: dict[str, Any] = {}
    for key, item in cast("dict[str, Any]", value).items():
        if key != "default":
            fields[key] = _strict(item)
    if "enum" in fields and all(isinstance(item, str) for item in fields["enum"]):
        fields["type"] = "string"
    if "properties" in fields:
        fields |= {"additionalProperties": False, "required": list(fields["properties"])}
    return fields


MOST_TRIES = 100

_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)


def find_object(text: str) -> str | None:
    """Return the text of the first whole JSON object, or None if there is none."""
    candidates = [text.strip()]
    candidates += [block.strip() for block in _FENCED.findall(text)]
    for candidate in candidates:
        if candidate.startswith("{") and is_json(candidate):
            return candidate
    return _object_within(text)


def _object_within(text: str) -> str | None:
    """Return the first JSON object that begins at one of the first `MOST_TRIES` braces."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    for _ in range(MOST_TRIES):
        if start == -1:
            break
        try:
            _, end = decoder.raw_decode(text, start)
        except RecursionError:
            return None
        except ValueError:
            start = text.find("{", start + 1)
        else:
            return text[start:end]
    return None


def is_json(text: str) -> bool:
    """Tell whether the whole text is one JSON value."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
