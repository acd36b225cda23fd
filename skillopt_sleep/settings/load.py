"""Load settings strictly: an unknown key is an error that suggests the nearest known one."""

import difflib
import os
import re
import tomllib
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.settings.faults import faults, keys_of, line_numbers, nearest, refused
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
    raw = _user_file(paths)
    given = _from_environ(environ)
    origin = {key: _variable(key) for key in given}
    for key, value in (flags or {}).items():
        if value is not None:
            given[key] = value
            origin[key] = "the command line"
    for key, value in given.items():
        section, _, name = key.partition(".")
        raw.setdefault(section, {})[name] = value
    found = list(faults(raw, Settings))
    if found:
        raise refused(found, where=str(paths.config_file), origin=origin)
    return _for_this_machine(msgspec.convert(raw, Settings), raw)


def _for_this_machine(settings: Settings, raw: dict[str, dict[str, Any]]) -> Settings:
    """Return the settings, with what isn't set fit for a model server on this machine if one is named.

    A small one reads some fifty tokens a second, writes eight, bears two calls at once, and may never end an answer.
    """
    backend = raw.setdefault("backend", {})
    if any(on_this_machine(role.base_url) for role in (settings.backend, settings.target, settings.judge)):
        backend.setdefault("timeout", "30m")
        raw.setdefault("night", {}).setdefault("workers", 2)
    if settings.backend.is_local:
        backend.setdefault("max_output_tokens", 4096)
    return msgspec.convert(raw, Settings)


def load_or_defaults(paths: Paths) -> tuple[Settings, str]:
    """Return the settings and ""; if they are invalid, the defaults and the reason, for what only reads."""
    try:
        return load(paths), ""
    except ConfigError as error:
        return Settings(), f"{error.message} → {error.remedy}"


def origins(paths: Paths, *, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return where each setting that was changed is set, by `section.key`: the file, or the name of a variable."""
    found: dict[str, str] = {}
    for section, keys in _user_file(paths).items():
        found.update(dict.fromkeys((f"{section}.{key}" for key in keys), str(paths.config_file)))
    for key in _from_environ(environ):
        found[key] = _variable(key)
    return found


def _user_file(paths: Paths) -> dict[str, Any]:
    """Read config.toml, if there is one; raises ConfigError naming every mistake in it with its line."""
    path = paths.config_file
    if not path.exists():
        return {}
    return check_text(_read(path), path)


def _read(path: Path) -> bytes:
    try:
        return read_plain(path, most=USER_BYTES)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}", remedy="name a file that can be read") from error


def check_text(data: bytes, path: Path, kind: type[msgspec.Struct] = Settings) -> dict[str, Any]:
    """Parse the text of a file of settings; raises ConfigError naming every mistake in it with its line."""
    raw = tables(data, path)
    found = list(faults(raw, kind))
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
    return msgspec.convert(check_text(data, where, ProjectSettings), ProjectSettings)


def checked(
    raw: dict[str, Any],
    kind: type[Kind],
    *,
    where: str,
    remedies: Mapping[str, str] = MappingProxyType({}),
    see: str = SETTINGS,
) -> Kind:
    """Convert the tables of a file to this schema; raises ConfigError naming the file and every mistake in it.

    `remedies` holds remedies for some unknown keys; `see` is the command that lists all keys.
    """
    found = list(faults(raw, kind, remedies=remedies))
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
        return _read(path).decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: {error}", remedy="house rules are a UTF-8 text file") from error


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; raises ConfigError with the line if it isn't valid."""
    return tables(_read(path), path)


def tables(data: bytes, path: Path) -> dict[str, Any]:
    """Parse a TOML file; raises ConfigError with the line if it isn't valid."""
    try:
        return tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:  # a number with too many digits raises a plain ValueError
        raise ConfigError(f"{path}: {error}", remedy="fix the file") from error


def known_keys() -> list[str]:
    """Return every setting as `section.key`; those of [prices] are the names of models."""
    return [key for key in keys_of(Settings) if "." in key]


def nearest_key(dotted: str) -> str:
    """Return a hint at the known setting that is most like this one, or at those of the section of this name."""
    keys = [key for key in known_keys() if key.startswith(f"{dotted}.")]
    return f"it is a section; name one of {', '.join(keys)}" if keys else nearest(dotted, Settings)


def typed(key: str, text: str) -> Any:
    """Return what was typed for a setting: the text itself, the items of a list, else a TOML value."""
    section, _, name = key.partition(".")
    default = getattr(getattr(Settings(), section), name, None)
    if isinstance(default, str):
        return text
    if isinstance(default, tuple) and not text.lstrip().startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except ValueError:
        return text


def _from_environ(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings in SKILLOPT_SLEEP_<SECTION>_<KEY> variables, by `section.key`."""
    known = {_variable(key): key for key in known_keys()}
    values: dict[str, Any] = {}
    for name, text in environ.items():
        if name in known:
            values[known[name]] = typed(known[name], text)
        elif name.startswith(PREFIX) and name not in _RESERVED:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else "unset it"
            raise ConfigError(f"unknown environment variable {name}", remedy=hint)
    return values


def _variable(key: str) -> str:
    return PREFIX + key.replace(".", "_").upper()
