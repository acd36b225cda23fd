"""Put our hooks into the agents' settings, take them out, and tell what keeps them from running."""

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.daemon.service import hooks_json, hooks_toml
from skillopt_sleep.daemon.service.hook_files import Hook, hooks_folder, hooks_of
from skillopt_sleep.daemon.service.jsonc import parse
from skillopt_sleep.daemon.service.launch import service_environment
from skillopt_sleep.daemon.service.machine import Machine
from skillopt_sleep.daemon.service.manifest import Item, Kind
from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.proposals.paths import LIVE_BYTES
from skillopt_sleep.protocols.agent import SettingsFile


class HookFile(NamedTuple):
    """A file of an agent's settings, and the hooks to add to it."""

    agent: str
    path: Path
    kind: Kind
    hooks: tuple[Hook, ...]


class Edited(NamedTuple):
    """A file's new bytes (None: no file), and the events we created in it."""

    data: bytes | None
    made: tuple[str, ...] = ()


def hook_files(machine: Machine, known: tuple[Item, ...] = ()) -> tuple[HookFile, ...]:
    """Return the settings of every agent whose home exists; `known` is what an earlier install wrote to."""
    files: list[HookFile] = []
    folder = hooks_folder()
    environ, _ = service_environment(machine.environ)
    installed = {Path(item.path) for item in known}
    for agent, home in homes(machine).items():
        if not home.is_dir():
            continue
        file = _file_for_hooks(home, AGENTS[agent].hooks.files, installed)
        hooks = hooks_of(agent, folder=folder, python=machine.python, environ=environ)
        files.append(HookFile(agent, home / file.name, kind_of(file), hooks))
    return tuple(files)


def _file_for_hooks(home: Path, files: tuple[SettingsFile, ...], installed: set[Path]) -> SettingsFile:
    """Return the file of settings that gets our hooks: where an install put them, else where the user has some."""
    preferred, *others = files
    for file in others:
        if home / file.name in installed:
            return file
    path = home / preferred.name
    if path in installed or path.exists():
        return preferred
    for file in others:
        if _keeps_hooks(home / file.name):
            return file
    return preferred


def kind_of(file: SettingsFile) -> Kind:
    """Return how our hooks are written in this file."""
    return Kind.HOOKS_TOML if file.is_toml else Kind.HOOKS_JSON


def homes(machine: Machine) -> dict[str, Path]:
    """Return where each agent keeps its settings, by the agent's name."""
    homes: dict[str, Path] = {}
    for name, agent in AGENTS.items():
        homes[name] = agent.home(machine.environ, machine.home).expanduser().absolute()
    return homes


def put_in(file: HookFile, data: bytes | None) -> Edited:
    """Add our hooks to the file's bytes; raises ValueError, with the reason, if they can't be added."""
    text = _decoded(data or b"")
    if file.kind is Kind.HOOKS_TOML:
        return Edited(hooks_toml.add_hooks(text, file.hooks).encode())
    merged = hooks_json.add_hooks(text, file.hooks)
    return Edited(merged.text.encode(), merged.made)


def take_out(kind: Kind, data: bytes, *, made: tuple[str, ...], created: bool) -> bytes | None:
    """Remove our hooks from the file's bytes; return None if we created the file and nothing else is in it.

    Raises ValueError, with the reason, if they can't be removed.
    """
    text = _decoded(data)
    if kind is Kind.HOOKS_TOML:
        if hooks_toml.has_any(text):
            text = hooks_toml.remove_hooks(text)
        is_empty = not text.strip()
    else:
        if hooks_json.has_any(text):
            text = hooks_json.remove_hooks(text, made)
        is_empty = hooks_json.is_empty(text)
    if created and is_empty:
        return None
    return text.encode()


def has(file: HookFile, data: bytes | None) -> bool:
    """Return whether our hooks in the file are exactly those it should have."""
    text = _decoded(data or b"")
    if file.kind is Kind.HOOKS_TOML:
        return hooks_toml.has(text, file.hooks)
    return hooks_json.has(text, file.hooks)


def has_any(kind: Kind, data: bytes | None) -> bool:
    """Return whether the file has any hook of ours, also one of an earlier version."""
    text = _decoded(data or b"")
    if kind is Kind.HOOKS_TOML:
        return hooks_toml.has_any(text)
    return hooks_json.has_any(text)


def obstacles(machine: Machine) -> tuple[str, ...]:
    """Return the settings of the user's that keep all hooks from being run, as sentences."""
    sentences: list[str] = []
    for name, home in homes(machine).items():
        hooks = AGENTS[name].hooks
        path = home / hooks.switches.name
        settings = _toml(path) if hooks.switches.is_toml else _json(path)
        sentences += [f"{path} {obstacle}" for obstacle in hooks.obstacles(settings)]
    return tuple(sentences)


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ValueError("it isn't UTF-8") from error


def _keeps_hooks(path: Path) -> bool:
    try:
        return hooks_toml.has_hooks(_text(path))
    except (ValueError, OSError):
        return False


def _json(path: Path) -> dict[str, Any]:
    try:
        value = parse(_text(path)).value
    except (ValueError, OSError):
        return {}
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(path).removeprefix("\ufeff"))
    except (ValueError, OSError):
        return {}


def _text(path: Path) -> str:
    return read_plain(path, most=LIVE_BYTES).decode()
