"""Change config.toml and keep everything else in it: the user's comments, their order, their blank lines."""

import shlex
import tomllib
from pathlib import Path
from typing import Any

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.files import private_dir, write_atomic
from skillopt_sleep.settings import Settings, check_text, known_keys, nearest_key
from skillopt_sleep.settings.faults import Fault, faults, line_numbers, refused

_HEAD = "# The settings of skillopt-sleep that you chose. To see every key: skillopt-sleep config show\n"


def split_key(dotted: str) -> tuple[str, str, str]:
    """Return section, key and the entry of a table, as in prices.models.gpt-5.4; ConfigError if it isn't known."""
    section, _, rest = dotted.partition(".")
    key, _, entry = rest.partition(".")
    is_table = isinstance(getattr(getattr(Settings(), section, None), key, None), dict)
    if f"{section}.{key}" not in known_keys() or (entry and not is_table):
        raise ConfigError(f"there is no setting {dotted!r}", remedy=nearest_key(dotted))
    return section, key, entry


def value_of(text: str, *, is_list: bool) -> Any:
    """Return what was typed as a TOML value: a number, true, a list, else the text itself."""
    try:
        value: Any = tomllib.loads(f"value = {text}")["value"]
    except ValueError:
        value = text
    if is_list and str(value) == value:
        return [part.strip() for part in str(value).split(",") if part.strip()]
    return value


def changed(text: str, dotted: str, typed: str, *, path: Path) -> str:
    """Return the text of config.toml with this value; ConfigError if the key or the value is wrong."""
    import tomlkit

    section, key, entry = split_key(dotted)
    value = value_of(typed, is_list=isinstance(getattr(getattr(Settings(), section), key), tuple))
    if isinstance(getattr(getattr(Settings(), section), key), str) and not isinstance(value, str):
        value = typed
    raw: Any = {section: {key: {entry: value} if entry else value}}
    wrong = list(faults(raw, Settings))
    if wrong:
        raise refused([_as_command(fault, dotted, is_entry=bool(entry)) for fault in wrong])
    check_syntax(text, path)
    document: Any = tomlkit.parse(text or _HEAD)
    if section not in document:
        document[section] = tomlkit.table()
    if not entry:
        document[section][key] = value
    else:
        if key not in document[section]:
            document[section][key] = tomlkit.inline_table()
        document[section][key][entry] = value
    return tomlkit.dumps(document)


def _as_command(fault: Fault, dotted: str, *, is_entry: bool) -> Fault:
    """Return the fault with its example, if it has one, as the command that sets it."""
    is_example, _, example = fault.remedy.partition(" = ")
    if not is_example.startswith("such as: "):
        return fault
    value = value_of(example, is_list=False)
    if is_entry:
        (example,) = map(str, value.values())
    typed = shlex.quote(value if isinstance(value, str) else example)
    return fault._replace(remedy=f"such as: skillopt-sleep config set {dotted} {typed}")


def check_syntax(text: str, path: Path) -> None:
    """Raise ConfigError with the line if the text isn't TOML."""
    try:
        tomllib.loads(text)
    except ValueError as error:
        raise ConfigError(f"{path}: {error}", remedy="fix it first: skillopt-sleep config edit") from error


def remaining(text: str, path: Path) -> ConfigError | None:
    """Return what is still wrong with config.toml, or None."""
    found = list(faults(tomllib.loads(text), Settings))
    return refused(found, where=str(path), lines=line_numbers(text)) if found else None


def replace_file(path: Path, text: str, *, check: bool) -> None:
    """Write config.toml in one step, through a link if it is one; with `check`, only if it is right."""
    if check:
        check_text(text.encode(), path)
    private_dir(path.parent)
    write_atomic(path.resolve(), text.encode())
