"""Which of the agents' settings get our hooks, and what stands in the way of their being run."""

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from skillopt_sleep.daemon.service import hooks_json, hooks_toml
from skillopt_sleep.daemon.service.hook_files import Hook, hooks_folder, hooks_of
from skillopt_sleep.daemon.service.jsonc import parse
from skillopt_sleep.daemon.service.launch import captured
from skillopt_sleep.daemon.service.machine import Machine
from skillopt_sleep.daemon.service.manifest import Item, Kind
from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.proposals.paths import LIVE_BYTES


class HookFile(NamedTuple):
    """A file of settings and the hooks it is to have."""

    agent: str
    path: Path
    kind: Kind
    hooks: tuple[Hook, ...]


class Edited(NamedTuple):
    """A file's new bytes, None for no file, and the events we began in it."""

    data: bytes | None
    made: tuple[str, ...] = ()


def hook_files(machine: Machine, known: tuple[Item, ...] = ()) -> tuple[HookFile, ...]:
    """The settings of every agent whose folder is there; `known` is what an earlier install wrote to."""
    found: list[HookFile] = []
    folder = hooks_folder()
    environ, _ = captured(machine.environ)
    for agent, home in homes(machine).items():
        if not home.is_dir():
            continue
        hooks = hooks_of(agent, folder=folder, python=machine.python, environ=environ)
        path, kind = home / "settings.json", Kind.HOOKS_JSON
        if agent == "codex":
            before = {Path(item.path): item.kind for item in known}
            path, kind = home / "hooks.json", Kind.HOOKS_JSON
            inline = home / "config.toml"
            # Codex complains at every start where both files have hooks.
            if inline in before or (path not in before and not path.exists() and _keeps_hooks(inline)):
                path, kind = inline, Kind.HOOKS_TOML
        found.append(HookFile(agent, path, kind, hooks))
    return tuple(found)


def homes(machine: Machine) -> dict[str, Path]:
    """Where each agent keeps its settings."""
    environ = machine.environ
    return {
        "claude": Path(environ.get("CLAUDE_CONFIG_DIR") or machine.home / ".claude").expanduser().absolute(),
        "codex": Path(environ.get("CODEX_HOME") or machine.home / ".codex").expanduser().absolute(),
    }


def put_in(file: HookFile, data: bytes | None) -> Edited:
    """The file with our hooks; ValueError says why it can't have them."""
    text = _decoded(data or b"")
    if file.kind is Kind.HOOKS_TOML:
        return Edited(hooks_toml.merged(text, file.hooks).encode())
    merged = hooks_json.merged(text, file.hooks)
    return Edited(merged.text.encode(), merged.made)


def take_out(kind: Kind, data: bytes, *, made: tuple[str, ...], created: bool) -> bytes | None:
    """The file without our hooks, None where nothing is left of one we made; ValueError where it can't be done."""
    text = _decoded(data)
    if kind is Kind.HOOKS_TOML:
        rest = hooks_toml.stripped(text) if hooks_toml.has_any(text) else text
        return None if created and not rest.strip() else rest.encode()
    rest = hooks_json.stripped(text, made) if hooks_json.has_any(text) else text
    return None if created and hooks_json.is_empty(rest) else rest.encode()


def has(file: HookFile, data: bytes | None) -> bool:
    """Whether exactly our hooks are there."""
    text = _decoded(data or b"")
    return hooks_toml.has(text, file.hooks) if file.kind is Kind.HOOKS_TOML else hooks_json.has(text, file.hooks)


def has_any(kind: Kind, data: bytes | None) -> bool:
    """Whether any hook of ours is there, also one of an earlier version."""
    text = _decoded(data or b"")
    return hooks_toml.has_any(text) if kind is Kind.HOOKS_TOML else hooks_json.has_any(text)


def obstacles(machine: Machine) -> tuple[str, ...]:
    """Settings of the user's that keep all hooks from being run."""
    found: list[str] = []
    homes_of = homes(machine)
    claude, codex = homes_of["claude"] / "settings.json", homes_of["codex"] / "config.toml"
    settings, config = _json(claude), _toml(codex)
    found += [
        f"{claude} says {name}, so Claude Code runs no hook of ours"
        for name in ("disableAllHooks", "allowManagedHooksOnly")
        if settings.get(name) is True
    ]
    features = config.get("features")
    switches: dict[str, Any] = features if isinstance(features, dict) else {}  # pyright: ignore[reportUnknownVariableType]
    if switches.get("hooks", switches.get("codex_hooks")) is False:
        found.append(f"{codex} switches hooks off, so Codex runs none of ours")
    return tuple(found)


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
