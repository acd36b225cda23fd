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
    raw: Mapping[str, Any],
    kind: Kind,
    *,
    remedies: Mapping[str, str] = MappingProxyType({}),
    prefix: str = "",
    whole: Kind | None = None,
) -> Iterator[Fault]:
    """Yield every unknown key and wrong value of these tables; `prefix` is the section, as in `step.`.

    `remedies` holds remedies for some unknown keys. A section is part of the `whole`, where its unknown keys may
    belong to another one.
    """
    whole = whole or kind
    known = {field.name: field for field in msgspec.structs.fields(kind)}
    for key, value in raw.items():
        dotted = f"{prefix}{key}"
        if key not in known:
            others = () if isinstance(value, dict) else tuple(_places(key, whole))
            yield _unknown(key, known, prefix=prefix, remedies=remedies, others=others)
            continue
        inner = section_of(known[key].type)
        if inner is None:
            yield from wrong_value(dotted, value, known[key])
        elif isinstance(value, dict):
            tables = cast("dict[str, Any]", value)
            yield from faults(tables, inner, remedies=remedies, prefix=f"{dotted}.", whole=whole)
        else:
            yield Fault(dotted, f"'{dotted}' is a section", f"write [{dotted}]")


def section_of(kind: Any) -> Kind | None:
    """Return the type of a section, or None for that of a plain value."""
    return kind if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else None


def wrong_value(dotted: str, value: Any, field: Any) -> Iterator[Fault]:
    """Yield what is wrong with the value of one key, if anything is."""
    key = dotted.rpartition(".")[2]
    takes = expected(inspect.type_info(field.type))
    try:
        converted = msgspec.convert(value, field.type)
    except msgspec.ValidationError:
        is_shown = isinstance(field.default, str) and field.default
        shown = example(field.default) if is_shown or not takes.example else takes.example
        remedy = f"such as: {key} = {shown}"
        if takes.choices:
            remedy = one_of(takes.choices, value)
        yield Fault(dotted, f"{dotted} must be {takes.words}, not {example(value)}", remedy)
        return
    if not _is_finite(converted):
        yield Fault(dotted, f"{dotted}: {converted} isn't a finite number", "write one such as 0.5")


class Takes(NamedTuple):
    """The values a key takes: in words, the list if they are a closed set, and an example if the default is none."""

    words: str
    choices: str = ""
    example: str = ""


def expected(info: inspect.Type) -> Takes:
    """Return what a value of this type looks like."""
    match info:
        case inspect.BoolType():
            return Takes("true or false")
        case inspect.IntType():
            return Takes(f"a whole number{_bounds(info)}")
        case inspect.FloatType():
            return Takes(f"a number{_bounds(info)}")
        case inspect.LiteralType() | inspect.EnumType():
            values = _choices(info)
            return Takes("one of its known values", choices=", ".join(values), example=f'"{values[0]}"')
        case inspect.StrType(pattern=pattern):
            return _text(pattern or "")
        case inspect.VarTupleType(item_type=item):
            inner = expected(item)
            item_example = inner.example or '"…"'
            return Takes(f"a list, each item {inner.words}", inner.choices, f"[{item_example}]")
        case inspect.TupleType(item_types=items):
            inner = expected(items[0])
            return Takes(f"a list of {len(items)}, each {inner.words}", inner.choices)
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
    above = "above" if number.ge is None else "from"
    if least is not None and most is not None:
        return f" {above} {least} to {most}"
    if least is not None:
        return f", {least} or more" if number.ge is not None else f" above {least}"
    return ""


def _choices(info: inspect.LiteralType | inspect.EnumType) -> list[str]:
    if isinstance(info, inspect.EnumType):
        return [str(member.value) for member in info.cls]
    return [str(value) for value in info.values if value]


def one_of(choices: str, value: Any) -> str:
    """List the values that are known, after the one that is nearest to a wrong one."""
    known = choices.split(", ")
    for item in cast("list[Any]", value) if isinstance(value, list) else [value]:
        near = difflib.get_close_matches(str(item), known, n=1)
        if item not in known and near:
            return f"did you mean '{near[0]}'? one of: {choices}"
    return f"one of: {choices}"


def example(value: Any) -> str:
    """Return a value as it is written in TOML, cut if it is long."""
    from skillopt_sleep.kit.markdown import one_line
    from skillopt_sleep.kit.toml import written

    return one_line(written(value), limit=60)


def _is_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_is_finite, cast("dict[str, Any]", value).values()))
    if isinstance(value, tuple):
        return all(map(_is_finite, cast("tuple[Any, ...]", value)))
    return True


def _unknown(
    key: str, known: Mapping[str, object], *, prefix: str, remedies: Mapping[str, str], others: Sequence[str]
) -> Fault:
    """Return the mistake of an unknown key, which is known under the `others`."""
    dotted = f"{prefix}{key}"
    near = difflib.get_close_matches(key, known, n=1)
    hint = f"known here: {', '.join(known)}"
    if near:
        hint = f"did you mean '{prefix}{near[0]}'?"
    elif others:
        hint = " or ".join(map(_belongs, others))
    return Fault(dotted, f"unknown key '{dotted}'", remedies.get(key) or hint)


def _places(key: str, kind: Kind, prefix: str = "") -> Iterator[str]:
    """Yield the prefixes under which this key is known."""
    for field in msgspec.structs.fields(kind):
        inner = section_of(field.type)
        if inner is not None:
            yield from _places(key, inner, f"{prefix}{field.name}.")
        elif field.name == key:
            yield prefix


def _belongs(place: str) -> str:
    if not place:
        return "write it above the first section"
    return f"write it in [{place.removesuffix('.')}]"


def line_numbers(text: str) -> dict[str, int]:
    """Return the line of each section and key of a TOML file, by its dotted name."""
    lines: dict[str, int] = {}
    section, is_inside = "", False
    for number, line in enumerate(text.splitlines(), start=1):
        if not is_inside:
            header, key = _HEADER.match(line), _KEY.match(line)
            if header:
                section = _unquoted(header[1])
                lines.setdefault(section, number)
            elif key:
                name = _unquoted(key[1])
                lines.setdefault(f"{section}.{name}" if section else name, number)
        if len(_MULTI_LINE.findall(line)) % 2:
            is_inside = not is_inside
    return lines


def _unquoted(name: str) -> str:
    return name.replace('"', "").replace("'", "").replace(" ", "")


def refused(
    found: list[Fault],
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
