"""Find every mistake in a file of settings, and say in plain words what each key takes."""

import difflib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import msgspec
from msgspec import inspect

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.markdown import one_line

Kind = type[msgspec.Struct]

_HEADER = re.compile(r"\s*\[\[?\s*([^\]]+?)\s*\]")
_KEY = re.compile(r"\s*([A-Za-z0-9_\-.\"']+)\s*=")
_MULTI_LINE = re.compile(r'"""|\'\'\'')


class Fault(NamedTuple):
    """One mistake: the key as `section.key`, what is wrong with it, and the remedy."""

    key: str
    message: str
    remedy: str


def faults(
    raw: Mapping[str, Any], kind: Kind, *, remedies: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Fault]:
    """Yield every unknown key and wrong value of these tables; `remedies` holds those of some unknown keys."""
    known = sections_of(kind)
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    for name, value in raw.items():
        section = known.get(name)
        if name not in known:
            yield _unknown(name, kind, remedies, is_section=isinstance(value, dict))
        elif section is None:
            yield from wrong_value(name, value, fields[name])
        elif not isinstance(value, dict):
            yield Fault(name, f"'{name}' is a section", f"write [{name}]")
        else:
            inner = {field.name: field for field in msgspec.structs.fields(section)}
            for key, item in cast("dict[str, Any]", value).items():
                if key in inner:
                    yield from wrong_value(f"{name}.{key}", item, inner[key])
                else:
                    yield _unknown(f"{name}.{key}", kind, remedies)


def sections_of(kind: Kind) -> dict[str, Kind | None]:
    """Return the fields of a schema with the section type of each, or None for a plain value."""
    found: dict[str, Kind | None] = {}
    for field in msgspec.structs.fields(kind):
        of: Any = field.type
        found[field.name] = of if isinstance(of, type) and issubclass(of, msgspec.Struct) else None
    return found


def keys_of(kind: Kind) -> list[str]:
    """Return every key of a schema as `section.key`, or as `key` if it stands above the sections."""
    keys: list[str] = []
    for name, section in sections_of(kind).items():
        keys += [f"{name}.{key}" for key in section.__struct_fields__] if section else [name]
    return keys


def _unknown(dotted: str, kind: Kind, remedies: Mapping[str, str], *, is_section: bool = False) -> Fault:
    """Return the mistake of an unknown key, with the known one that is nearest in its section or has its name."""
    key = dotted.rpartition(".")[2]
    hint = remedies.get(key) or nearest(dotted, kind, is_section=is_section)
    return Fault(dotted, f"unknown key '{dotted}'", hint)


def nearest(dotted: str, kind: Kind, *, is_section: bool = False) -> str:
    """Return a hint at the known key that an unknown one may stand for."""
    section, _, key = dotted.rpartition(".")
    here = list(sections_of(sections_of(kind).get(section) or kind))
    near = difflib.get_close_matches(key, here, n=1)
    if near:
        return f"did you mean '{dotted[: len(dotted) - len(key)]}{near[0]}'?"
    same = [one for one in keys_of(kind) if one.rpartition(".")[2] == key]
    return f"did you mean '{same[0]}'?" if same and not is_section else f"known here: {', '.join(here)}"


def wrong_value(dotted: str, value: Any, field: Any) -> Iterator[Fault]:
    """Yield what is wrong with the value of one key, if anything is."""
    key = dotted.rpartition(".")[2]
    takes = expected(inspect.type_info(field.type))
    try:
        converted = msgspec.convert(value, field.type)
    except msgspec.ValidationError:
        is_shown = isinstance(field.default, str) and field.default
        shown = example(field.default) if is_shown or not takes.example else takes.example
        remedy = one_of(takes.choices, value) if takes.choices else f"such as: {key} = {shown}"
        yield Fault(dotted, f"{dotted} must be {takes.words}, not {example(value)}", remedy)
        return
    if not _is_finite(converted):
        yield Fault(dotted, f"{dotted}: {converted} isn't a finite number", "write one such as 0.5")


class Takes(NamedTuple):
    """The values a key takes: in words, all of them if they are a closed set, and an example."""

    words: str
    choices: tuple[str, ...] = ()
    example: str = ""


def expected(info: inspect.Type) -> Takes:
    """Return what a value of this type looks like."""
    match info:
        case inspect.Metadata(type=described):
            return expected(described)
        case inspect.BoolType():
            return Takes("true or false")
        case inspect.IntType():
            return Takes(f"a whole number{_bounds(info)}")
        case inspect.FloatType():
            return Takes(f"a number{_bounds(info)}")
        case inspect.LiteralType() | inspect.EnumType():
            values = info.values if isinstance(info, inspect.LiteralType) else [member.value for member in info.cls]
            choices = tuple(str(value) for value in values if value)
            return Takes("one of its known values", choices, f'"{choices[0]}"')
        case inspect.StrType(pattern=pattern):
            return _text(pattern or "")
        case inspect.VarTupleType(item_type=item):
            inner = expected(item)
            item_example = inner.example or '"…"'
            return Takes(f"a list, each item {inner.words}", inner.choices, f"[{item_example}]")
        case inspect.TupleType(item_types=items):
            return Takes(f"a list of {len(items)}, each {expected(items[0]).words}")
        case inspect.DictType():
            return Takes("a table", example='{ "name" = [0.20, 0.60] }')
        case _:
            return Takes("of another kind")


def _text(pattern: str) -> Takes:
    if not pattern:
        return Takes("a text in quotes")
    if ":" in pattern:
        return Takes('a time of day in quotes, as in "04:17"', example='"04:17"')
    if "/" in pattern:
        return Takes("the name of a file in quotes, without a folder", example='"answers.db"')
    return Takes("a length of time in quotes: a number with s, m, h or d", example='"30d"')


def _bounds(number: inspect.IntType | inspect.FloatType) -> str:
    least = number.ge if number.ge is not None else number.gt
    most = number.le if number.le is not None else number.lt
    if least is None:
        return ""
    above = "above" if number.ge is None else "from"
    if most is not None:
        return f" {above} {least} to {most}"
    return f", {least} or more" if number.ge is not None else f" above {least}"


def one_of(choices: Sequence[str], value: Any) -> str:
    """List the values that are known, after the one that is nearest to a wrong one."""
    for item in cast("list[Any]", value) if isinstance(value, list) else [value]:
        near = difflib.get_close_matches(str(item), choices, n=1)
        if item not in choices and near:
            return f"did you mean '{near[0]}'? one of: {', '.join(choices)}"
    return f"one of: {', '.join(choices)}"


def example(value: Any) -> str:
    """Return a value as it is written in TOML, cut if it is long."""
    from skillopt_sleep.kit.toml import written

    return one_line(written(value), limit=60)


def _is_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        value = tuple(cast("dict[str, Any]", value).values())
    return not isinstance(value, tuple) or all(map(_is_finite, cast("tuple[Any, ...]", value)))


def line_numbers(text: str) -> dict[str, int]:
    """Return the line of each section and key of a TOML file, by its dotted name."""
    lines: dict[str, int] = {}
    section, is_inside = "", False
    for number, line in enumerate(text.splitlines(), start=1):
        if not is_inside:
            header, key = _HEADER.match(line), _KEY.match(line)
            if header:
                section = f"{_unquoted(header[1])}."
                lines.setdefault(section[:-1], number)
            elif key:
                lines.setdefault(section + _unquoted(key[1]), number)
        if len(_MULTI_LINE.findall(line)) % 2:
            is_inside = not is_inside
    return lines


def _unquoted(name: str) -> str:
    return name.replace('"', "").replace("'", "").replace(" ", "")


def refused(
    found: Sequence[Fault],
    *,
    where: str = "",
    lines: Mapping[str, int] = MappingProxyType({}),
    origin: Mapping[str, str] = MappingProxyType({}),
) -> ConfigError:
    """Return one error that names every mistake, each with its line if that is known.

    `origin` says of some keys where they come from, instead of `where`.
    """
    told: list[str] = []
    for fault in found:
        line = lines.get(fault.key)
        place = origin.get(fault.key, f"{where}:{line}" if line else where)
        told.append(f"{place}: {fault.message}" if place else fault.message)
    if len(found) == 1:
        return ConfigError(told[0], remedy=found[0].remedy)
    texts = [f"{text} → {fault.remedy}" for text, fault in zip(told, found, strict=True)]
    return ConfigError(
        "\n".join([f"{len(found)} mistakes in the settings:", *texts]), remedy="fix them: skillopt-sleep config edit"
    )
