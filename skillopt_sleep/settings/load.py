"""Load settings strictly: an unknown key is an error that suggests the nearest known one."""

import difflib
import os
import re
import tomllib
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import inspect
from msgspec.structs import replace

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.settings.faults import expected, faults, line_numbers, one_of, refused, section_of
from skillopt_sleep.settings.paths import PREFIX, Paths
from skillopt_sleep.settings.sections import ProjectSettings, Settings, on_this_machine

Kind = TypeVar("Kind", bound=msgspec.Struct)

SETTINGS = "skillopt-sleep config show"
PROJECT_BYTES = 64 * 1024
USER_BYTES = 1024 * 1024
_RESERVED = frozenset({PREFIX + "HOME"})


def seconds(duration: str) -> float:
    """Convert a duration such as `90s`, `10m`, `2h` or `7d` to seconds."""
    unit = {"s": 1, "m": 60, "h": 3600, "d": 86400}[duration[-1]]
    return timedelta(seconds=int(duration[:-1]) * unit).total_seconds()


def length(text: str) -> timedelta:
    """Return a length of time that a person wrote, such as 12h; ConfigError if it is none, or no time at all."""
    if not re.fullmatch("[1-9][0-9]{0,4}[smhd]", text):
        raise ConfigError(
            f"{text!r} is not a length of time", remedy="use a number with s, m, h or d, such as 12h or 7d"
        )
    return timedelta(seconds=seconds(text))


def load(
    paths: Paths, *, environ: Mapping[str, str] = os.environ, flags: Mapping[str, Any] | None = None
) -> Settings:
    """Load the settings; `flags` maps `section.key` to a value, or to None if the flag wasn't given.

    Raises ConfigError naming the file, the key and the nearest known one.
    """
    raw: dict[str, Any] = {}
    if paths.config_file.exists():
        raw = checked_file(paths.config_file)
    origin: dict[str, str] = {}
    for key, value in _from_environ(environ).items():
        _put(raw, key, value)
        origin[key] = "the environment"
    for key, value in (flags or {}).items():
        if value is not None:
            _put(raw, key, value)
            origin[key] = "the command line"
    found = list(faults(raw, Settings))
    if found:
        raise refused(found, where=str(paths.config_file), origin=origin)
    return _for_this_machine(msgspec.convert(raw, Settings), raw)


def _for_this_machine(settings: Settings, raw: Mapping[str, Mapping[str, Any]]) -> Settings:
    """Return the settings, with what isn't set fit for a model server on this machine if one is named.

    A small one reads some fifty tokens a second, writes eight, bears two calls at once, and may never end an answer.
    """
    backend: dict[str, Any] = {}
    night: dict[str, Any] = {}
    if any(on_this_machine(role.base_url) for role in (settings.backend, settings.target, settings.judge)):
        backend, night = {"timeout": "30m"}, {"workers": 2}
    if settings.backend.is_local:
        backend["max_output_tokens"] = 4096
    backend |= {key: getattr(settings.backend, key) for key in backend.keys() & raw.get("backend", {}).keys()}
    night |= {key: getattr(settings.night, key) for key in night.keys() & raw.get("night", {}).keys()}
    return replace(settings, backend=replace(settings.backend, **backend), night=replace(settings.night, **night))


def load_or_defaults(paths: Paths) -> tuple[Settings, str]:
    """Return the settings and ""; if they are invalid, the defaults and the reason, for what only reads."""
    try:
        return load(paths), ""
    except ConfigError as error:
        return Settings(), f"{error.message} → {error.remedy}"


def origins(paths: Paths, *, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return where each setting that was changed is set, by `section.key`: the file, or the name of a variable."""
    found: dict[str, str] = {}
    if paths.config_file.exists():
        for section, keys in checked_file(paths.config_file).items():
            found.update(dict.fromkeys((f"{section}.{key}" for key in keys), str(paths.config_file)))
    for key in _from_environ(environ):
        found[key] = PREFIX + key.replace(".", "_").upper()
    return found


def checked_file(path: Path) -> dict[str, Any]:
    """Read config.toml; raises ConfigError naming every mistake in it with its line."""
    try:
        data = read_plain(path, most=USER_BYTES)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}", remedy="name a file that can be read") from error
    return check_text(data, path)


def check_text(data: bytes, path: Path) -> dict[str, Any]:
    """Parse the text of config.toml; raises ConfigError naming every mistake in it with its line."""
    raw = _tables(data, path)
    found = list(faults(raw, Settings))
    if found:
        raise refused(found, where=str(path), lines=line_numbers(data.decode()))
    return raw


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
    found = list(faults(raw, ProjectSettings))
    if found:
        raise refused(found, where=str(where), lines=line_numbers(data.decode()))
    return msgspec.convert(raw, ProjectSettings)


def checked(
    raw: dict[str, Any],
    kind: type[Kind],
    *,
    where: str,
    remedies: Mapping[str, str] | None = None,
    see: str = SETTINGS,
) -> Kind:
    """Convert the tables of a file to this schema; raises ConfigError naming the file and every mistake in it.

    `remedies` holds remedies for some unknown keys; `see` is the command that lists all keys.
    """
    found = list(faults(raw, kind, remedies=remedies or {}))
    if found:
        raise refused(found, where=where)
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:  # a key that is missing
        raise ConfigError(f"{where}: {error}", remedy=f"see: {see}") from error


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
        found[field.name] = section_of(field.type)
    return found


def known_keys() -> list[str]:
    """Return every setting as `section.key`."""
    return [key for key, _ in _variables().values()]


def nearest_key(dotted: str) -> str:
    """Return a hint at the known setting that is most like this one, or at those of the section of this name."""
    keys = [key for key in known_keys() if key.startswith(f"{dotted}.")]
    if keys:
        return f"it is a section; name one of {', '.join(keys)}"
    near = difflib.get_close_matches(dotted, known_keys(), n=1)
    return f"did you mean {near[0]}?" if near else f"see: {SETTINGS}"


def _from_environ(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings in SKILLOPT_SLEEP_<SECTION>_<KEY> variables, by `section.key`."""
    known = _variables()
    values: dict[str, Any] = {}
    for name, text in environ.items():
        if not name.startswith(PREFIX) or name in _RESERVED:
            continue
        if name not in known:
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
            takes = expected(inspect.type_info(kind))
            remedy = one_of(takes.choices, value) if takes.choices else f"see: {SETTINGS}"
            raise ConfigError(f"{name} must be {takes.words}, not {text!r}", remedy=remedy) from error
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
