"""The strict loader: an unknown key is an error that names the nearest known one."""

import difflib
import math
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import timedelta
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, get_args

import msgspec

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.settings.paths import PREFIX, Paths
from skillopt_sleep.settings.sections import ProjectSettings, Settings

Kind = TypeVar("Kind", bound=msgspec.Struct)

SETTINGS = "skillopt-sleep config show"
PROJECT_BYTES = 64 * 1024
USER_BYTES = 1024 * 1024


def seconds(duration: str) -> float:
    """The length of a duration such as `90s`, `10m`, `2h` or `7d`."""
    unit = {"s": 1, "m": 60, "h": 3600, "d": 86400}[duration[-1]]
    return timedelta(seconds=int(duration[:-1]) * unit).total_seconds()


def load(
    paths: Paths, *, environ: Mapping[str, str] = os.environ, flags: Mapping[str, Any] | None = None
) -> Settings:
    """The settings in force; `flags` maps `section.key` to a value, None meaning not given.

    Raises ConfigError naming the file, the key and the nearest known one.
    """
    raw = read_toml(paths.config_file) if paths.config_file.exists() else {}
    _refuse_unknown(raw, Settings, where=str(paths.config_file))
    given = {key: value for key, value in (flags or {}).items() if value is not None}
    from_environ = _from_environ(environ)
    for key, value in (from_environ | given).items():
        _put(raw, key, value)
    origin = dict.fromkeys(from_environ, "the environment") | dict.fromkeys(given, "the command line")
    return _convert(raw, Settings, where=str(paths.config_file), origin=origin)


def project_file(folder: Path) -> Path:
    """Where a project narrows what is done with it."""
    return folder / ".skillopt-sleep" / "project.toml"


def load_project(folder: Path) -> ProjectSettings:
    """Read a project's own narrowing, or the defaults where it has none."""
    return project_settings(project_said(folder), where=project_file(folder))


def project_said(folder: Path) -> bytes:
    """Read what a project's own file says, nothing where it has none; ConfigError where it can't be used.

    Whoever wrote the repository wrote the file: no link out of the project is followed, and a pipe, a device or a
    file without end holds nobody up.
    """
    path = project_file(folder)
    try:
        return read_plain(path, most=PROJECT_BYTES, inside=folder)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise ConfigError(
            f"{path} can't be read: {error.strerror or error}",
            remedy="mend the file, or name the project in projects.exclude",
        ) from error


def project_settings(said: bytes, *, where: Path) -> ProjectSettings:
    """Understand what a project's own file says; ConfigError names the file, the key and the nearest known one."""
    raw = _tables(said, where)
    _refuse_unknown(raw, ProjectSettings, where=str(where))
    return _convert(raw, ProjectSettings, where=str(where))


def checked(
    raw: dict[str, Any],
    kind: type[Kind],
    *,
    where: str,
    remedies: Mapping[str, str] | None = None,
    see: str = SETTINGS,
) -> Kind:
    """The tables of a file as this schema; ConfigError names the file, the key and the nearest known one.

    `remedies` says of some keys that aren't known what to do instead, `see` where all keys are told.
    """
    _refuse_unknown(raw, kind, where=where, remedies=remedies or {})
    return _convert(raw, kind, where=where, see=see)


def read_preferences(path: Path) -> str:
    """Read the user's house rules, or nothing."""
    try:
        return read_plain(path, most=USER_BYTES).decode() if path.exists() else ""
    except (UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{path}: {error}", remedy="house rules are a UTF-8 text file") from error


def read_toml(path: Path) -> dict[str, Any]:
    """Read the file's tables; ConfigError with the line where it isn't TOML."""
    try:
        return _tables(read_plain(path, most=USER_BYTES), path)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}", remedy="name a file that can be read") from error


def _tables(data: bytes, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:  # a number of too many digits is only a ValueError
        raise ConfigError(f"{path}: {error}", remedy="mend the file") from error


def sections(kind: type[msgspec.Struct] = Settings) -> dict[str, type[msgspec.Struct] | None]:
    """The fields of a schema with the section type behind each, or None for a plain value."""
    found: dict[str, type[msgspec.Struct] | None] = {}
    for field in msgspec.structs.fields(kind):
        inner: Any = field.type
        found[field.name] = inner if isinstance(inner, type) and issubclass(inner, msgspec.Struct) else None
    return found


def _refuse_unknown(
    raw: Mapping[str, Any],
    kind: type[msgspec.Struct],
    *,
    where: str,
    prefix: str = "",
    remedies: Mapping[str, str] = MappingProxyType({}),
) -> None:
    known = sections(kind)
    for key, value in raw.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean '{prefix}{near[0]}'?" if near else f"known here: {', '.join(known)}"
            raise ConfigError(f"{where}: unknown key '{prefix}{key}'", remedy=remedies.get(key, hint))
        inner = known[key]
        if inner is not None:
            if not isinstance(value, dict):
                raise ConfigError(f"{where}: '{prefix}{key}' is a section", remedy=f"write [{prefix}{key}]")
            below = f"{prefix}{key}."
            _refuse_unknown(value, inner, where=where, prefix=below, remedies=remedies)  # pyright: ignore[reportUnknownArgumentType]


def _from_environ(environ: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    reserved = {PREFIX + "HOME"}
    names = {
        f"{PREFIX}{section}_{field.name}".upper(): (f"{section}.{field.name}", field.type)
        for section, kind in sections().items()
        if kind is not None
        for field in msgspec.structs.fields(kind)
    }
    for name, text in environ.items():
        if not name.startswith(PREFIX) or name in reserved:
            continue
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"did you mean {near[0]}?" if near else "unset it"
            raise ConfigError(f"unknown environment variable {name}", remedy=hint)
        key, kind = names[name]
        try:
            is_list = str(kind).startswith("tuple")
            values[key] = msgspec.convert(re.split(r"\s*,\s*", text) if is_list else text, kind, strict=False)
        except msgspec.ValidationError as error:
            raise ConfigError(f"{name}: {error}", remedy=f"see: {SETTINGS}") from error
    return values


def _put(raw: dict[str, Any], dotted: str, value: Any) -> None:
    section, key = dotted.split(".")
    raw.setdefault(section, {})[key] = value


def _convert(
    raw: dict[str, Any],
    kind: type[Kind],
    *,
    where: str,
    origin: Mapping[str, str] | None = None,
    see: str = SETTINGS,
) -> Kind:
    try:
        made = msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        said, _, at = str(error).partition(" - at `$.")
        key = at.rstrip("`").partition("[")[0]
        if "matching regex" in said:
            said = "a length of time is a number with s, m, h or d, such as 90s, 10m or 7d"
            if key == "daemon.at":
                said = "a time of day is written as 04:17"
        place = (origin or {}).get(key, where)
        raise ConfigError(
            f"{place}: {key}: {said}" if key else f"{place}: {said}", remedy=_choices(kind, key) or f"see: {see}"
        ) from error
    for key, value in _endless(made):
        place = (origin or {}).get(key, where)
        raise ConfigError(f"{place}: {key}: {value} isn't a finite number", remedy="write one such as 0.5")
    return made


def _endless(made: msgspec.Struct, prefix: str = "") -> Iterator[tuple[str, float]]:
    """The keys that are inf or nan, which no report could hold: JSON has neither."""
    for name in made.__struct_fields__:
        value = getattr(made, name)
        if isinstance(value, msgspec.Struct):
            yield from _endless(value, f"{prefix}{name}.")
        elif isinstance(value, float) and not math.isfinite(value):
            yield f"{prefix}{name}", value


def _choices(kind: type[msgspec.Struct], dotted: str) -> str:
    """What may be said for a key of a closed set, or nothing."""
    inner: Any = kind
    for name in dotted.split("."):
        fields = {field.name: field.type for field in msgspec.structs.fields(inner)}
        if name not in fields:
            return ""
        inner = fields[name]
    known = [str(value) for part in (inner, *get_args(inner)) for value in get_args(part) if isinstance(value, str)]
    known += [member.value for member in inner] if isinstance(inner, type) and issubclass(inner, Enum) else []
    return f"one of: {', '.join(value for value in dict.fromkeys(known) if value)}" if known else ""
