"""Load settings strictly: an unknown key is an error that suggests the nearest known one."""

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
from typing import Any, TypeVar, cast, get_args

import msgspec

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.settings.paths import PREFIX, Paths
from skillopt_sleep.settings.removed import REMOVED
from skillopt_sleep.settings.sections import ProjectSettings, Settings

Kind = TypeVar("Kind", bound=msgspec.Struct)

SETTINGS = "skillopt-sleep config show"
PROJECT_BYTES = 64 * 1024
USER_BYTES = 1024 * 1024
_RESERVED = frozenset({PREFIX + "HOME"})


def seconds(duration: str) -> float:
    """Convert a duration such as `90s`, `10m`, `2h` or `7d` to seconds."""
    unit = {"s": 1, "m": 60, "h": 3600, "d": 86400}[duration[-1]]
    return timedelta(seconds=int(duration[:-1]) * unit).total_seconds()


def load(
    paths: Paths, *, environ: Mapping[str, str] = os.environ, flags: Mapping[str, Any] | None = None
) -> Settings:
    """Load the settings; `flags` maps `section.key` to a value, or to None if the flag wasn't given.

    Raises ConfigError naming the file, the key and the nearest known one.
    """
    raw: dict[str, Any] = {}
    if paths.config_file.exists():
        raw = read_toml(paths.config_file)
    _refuse_unknown(raw, Settings, where=str(paths.config_file))
    origin: dict[str, str] = {}
    for key, value in _from_environ(environ).items():
        _put(raw, key, value)
        origin[key] = "the environment"
    for key, value in (flags or {}).items():
        if value is not None:
            _put(raw, key, value)
            origin[key] = "the command line"
    return _convert(raw, Settings, where=str(paths.config_file), origin=origin)


def project_file(folder: Path) -> Path:
    """Return the file in which a project restricts what is done with it."""
    return folder / ".skillopt-sleep" / "project.toml"


def load_project(folder: Path) -> ProjectSettings:
    """Load a project's own settings, or the defaults if it has none."""
    return parse_project(read_project_file(folder), where=project_file(folder))


def read_project_file(folder: Path) -> bytes:
    """Read a project's own settings file, or b"" if there is none; raises ConfigError if it can't be read.

    The file is written by whoever wrote the repository: no link out of the project is followed, and a pipe, a device
    or an endless file can't block the night.
    """
    path = project_file(folder)
    try:
        return read_plain(path, most=PROJECT_BYTES, inside=folder)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise ConfigError(
            f"{path} can't be read: {error.strerror or error}",
            remedy="fix the file, or add the project to projects.exclude",
        ) from error


def parse_project(data: bytes, *, where: Path) -> ProjectSettings:
    """Parse a project's own settings; raises ConfigError naming the file, the key and the nearest known one."""
    raw = _tables(data, where)
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
    """Convert the tables of a file to this schema; raises ConfigError naming the file, the key and a remedy.

    `remedies` holds remedies for some unknown keys; `see` is the command that lists all keys.
    """
    _refuse_unknown(raw, kind, where=where, remedies=remedies or {})
    return _convert(raw, kind, where=where, see=see)


def read_preferences(path: Path) -> str:
    """Read the user's house rules, or "" if there are none."""
    if not path.exists():
        return ""
    try:
        return read_plain(path, most=USER_BYTES).decode()
    except (UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{path}: {error}", remedy="house rules are a UTF-8 text file") from error


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; raises ConfigError with the line if it isn't valid."""
    try:
        return _tables(read_plain(path, most=USER_BYTES), path)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}", remedy="name a file that can be read") from error


def _tables(data: bytes, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:  # a number with too many digits raises a plain ValueError
        raise ConfigError(f"{path}: {error}", remedy="fix the file") from error


def sections(kind: type[msgspec.Struct] = Settings) -> dict[str, type[msgspec.Struct] | None]:
    """Return the fields of a schema with the section type of each, or None for a plain value."""
    found: dict[str, type[msgspec.Struct] | None] = {}
    for field in msgspec.structs.fields(kind):
        inner: Any = field.type
        is_section = isinstance(inner, type) and issubclass(inner, msgspec.Struct)
        found[field.name] = inner if is_section else None
    return found


def _refuse_unknown(
    raw: Mapping[str, Any],
    kind: type[msgspec.Struct],
    *,
    where: str,
    prefix: str = "",
    remedies: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Raise ConfigError for the first key that isn't in the schema; `prefix` is the section, as in `step.`."""
    known = sections(kind)
    for key, value in raw.items():
        if key not in known:
            _refuse_removed(f"{prefix}{key}", where=where)
            hint = remedies.get(key) or _hint(key, known, prefix)
            raise ConfigError(f"{where}: unknown key '{prefix}{key}'", remedy=hint)
        inner = known[key]
        if inner is None:
            continue
        if not isinstance(value, dict):
            raise ConfigError(f"{where}: '{prefix}{key}' is a section", remedy=f"write [{prefix}{key}]")
        section = cast("dict[str, Any]", value)
        _refuse_unknown(section, inner, where=where, prefix=f"{prefix}{key}.", remedies=remedies)


def _refuse_removed(dotted: str, *, where: str, remedy: str = "delete the line") -> None:
    """Raise ConfigError if this key was a setting in an earlier version."""
    if dotted in REMOVED:
        raise ConfigError(f"{where}: {dotted} is no longer a setting ({REMOVED[dotted]})", remedy=remedy)


def _hint(key: str, known: Mapping[str, object], prefix: str) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    if near:
        return f"did you mean '{prefix}{near[0]}'?"
    return f"known here: {', '.join(known)}"


def _from_environ(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings in SKILLOPT_SLEEP_<SECTION>_<KEY> variables, by `section.key`."""
    known = _variables()
    values: dict[str, Any] = {}
    for name, text in environ.items():
        if not name.startswith(PREFIX) or name in _RESERVED:
            continue
        if name not in known:
            dotted = name.removeprefix(PREFIX).lower().replace("_", ".", 1)
            _refuse_removed(dotted, where=name, remedy="unset it")
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else "unset it"
            raise ConfigError(f"unknown environment variable {name}", remedy=hint)
        key, kind = known[name]
        value: str | list[str] = text
        if str(kind).startswith("tuple"):
            value = re.split(r"\s*,\s*", text)
        try:
            values[key] = msgspec.convert(value, kind, strict=False)
        except msgspec.ValidationError as error:
            raise ConfigError(f"{name}: {error}", remedy=f"see: {SETTINGS}") from error
    return values


def _variables() -> dict[str, tuple[str, Any]]:
    """Return each environment variable's setting, as `section.key`, and its type."""
    variables: dict[str, tuple[str, Any]] = {}
    for section, kind in sections().items():
        if kind is None:
            continue
        for field in msgspec.structs.fields(kind):
            name = f"{PREFIX}{section}_{field.name}".upper()
            variables[name] = (f"{section}.{field.name}", field.type)
    return variables


def _put(raw: dict[str, Any], dotted: str, value: Any) -> None:
    section, key = dotted.split(".")
    raw.setdefault(section, {})[key] = value


def _convert(
    raw: dict[str, Any],
    kind: type[Kind],
    *,
    where: str,
    origin: Mapping[str, str] = MappingProxyType({}),
    see: str = SETTINGS,
) -> Kind:
    """Convert tables to the schema; `origin` says of some keys where they come from, instead of `where`."""
    try:
        converted = msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        reason, _, location = str(error).partition(" - at `$.")
        key = location.rstrip("`").partition("[")[0]
        if "matching regex" in reason and key == "daemon.at":
            reason = "a time of day is written as 04:17"
        elif "matching regex" in reason:
            reason = "a length of time is a number with s, m, h or d, such as 90s, 10m or 7d"
        message = f"{origin.get(key, where)}: "
        if key:
            message += f"{key}: "
        raise ConfigError(message + reason, remedy=_choices(kind, key) or f"see: {see}") from error
    for key, value in _not_finite(converted):
        raise ConfigError(
            f"{origin.get(key, where)}: {key}: {value} isn't a finite number", remedy="write one such as 0.5"
        )
    return converted


def _not_finite(struct: msgspec.Struct, prefix: str = "") -> Iterator[tuple[str, float]]:
    """Yield the keys that are inf or nan, which no report could hold: JSON has neither."""
    for name in struct.__struct_fields__:
        value = getattr(struct, name)
        if isinstance(value, msgspec.Struct):
            yield from _not_finite(value, f"{prefix}{name}.")
        elif isinstance(value, float) and not math.isfinite(value):
            yield f"{prefix}{name}", value


def _choices(kind: type[msgspec.Struct], dotted: str) -> str:
    """List the values of a key with a closed set of them, or return ""."""
    inner: Any = kind
    for name in dotted.split("."):
        types = {field.name: field.type for field in msgspec.structs.fields(inner)}
        if name not in types:
            return ""
        inner = types[name]
    values = [value for value in _literals(inner) if value]
    if not values:
        return ""
    return f"one of: {', '.join(dict.fromkeys(values))}"


def _literals(kind: Any) -> list[str]:
    """Return the strings of an enum or a Literal, also inside a union or a tuple."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [str(member.value) for member in kind]
    values: list[str] = []
    parts: list[Any] = [kind, *get_args(kind)]
    for part in parts:
        values += [value for value in get_args(part) if isinstance(value, str)]
    return values
