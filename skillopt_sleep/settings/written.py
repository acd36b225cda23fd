"""Change config.toml and keep everything else in it: the user's comments, their order, their blank lines."""

import shlex
import tomllib
from pathlib import Path
from typing import Any, cast

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.files import private_dir, write_atomic
from skillopt_sleep.settings import Settings, check_text, known_keys, nearest_key
from skillopt_sleep.settings.faults import Fault, faults, line_numbers, refused
from skillopt_sleep.settings.load import tables, typed

_HEAD = "# The settings of skillopt-sleep that you chose. To see every key: skillopt-sleep config show\n"
_PRICES = "prices"


def split_key(dotted: str) -> tuple[str, str]:
    """Return section and key, in [prices] a model's name, as in prices.gpt-5.4; ConfigError if it isn't known."""
    section, _, key = dotted.partition(".")
    if dotted not in known_keys() and not (section == _PRICES and key):
        raise ConfigError(f"there is no setting {dotted!r}", remedy=nearest_key(dotted))
    return section, key


def changed(text: str, dotted: str, value_typed: str, *, path: Path) -> str:
    """Return the text of config.toml with this value; ConfigError if the key or the value is wrong."""
    import tomlkit

    section, key = split_key(dotted)
    value = typed(dotted, value_typed)
    wrong = list(faults({section: {key: value}}, Settings))
    if wrong:
        raise refused([_as_command(fault, dotted) for fault in wrong])
    tables(text.encode(), path)  # an error with its line if this isn't TOML
    document: Any = tomlkit.parse(text or _HEAD)
    if section not in document:
        document[section] = tomlkit.table()
    document[section][key] = value
    return tomlkit.dumps(document)


def _as_command(fault: Fault, dotted: str) -> Fault:
    """Return the fault with its example, if it has one, as the command that sets it."""
    is_example, _, example = fault.remedy.partition(" = ")
    if not is_example.startswith("such as: "):
        return fault
    value = tomllib.loads(f"value = {example}")["value"]
    if isinstance(value, dict):
        (example,) = map(str, cast("dict[str, Any]", value).values())
    typed_example = shlex.quote(value if isinstance(value, str) else example)
    return fault._replace(remedy=f"such as: skillopt-sleep config set {dotted} {typed_example}")


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
