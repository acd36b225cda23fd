"""Start a training from another one with some keys changed: answers to the same questions aren't paid for again."""

import contextlib
import os
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, cast

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.files import private_dir, write_atomic
from skillopt_sleep.kit.toml import to_toml
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer.config import TrainerConfig, config_of
from skillopt_sleep.trainer.data import read_items
from skillopt_sleep.trainer.env import Env, find_env
from skillopt_sleep.trainer.given import read_skill
from skillopt_sleep.trainer.manifest import REDACTED, Manifest, changed_code, manifest
from skillopt_sleep.trainer.run import CALLS, alone, read_manifest, refuse_outdated
from skillopt_sleep.trainer.sharing import open_shared
from skillopt_sleep.trainer.source import source_of

_OTHER = "name another folder"
_PLAIN = "name it without a path, as in run-2"


class Fork(NamedTuple):
    """What was written: the new configuration, and the folder that already has the answers.

    If it `shares` its answers by `train.shared`, they are in that file, and no val answer of the other run is used.
    `backend` is the one that the configuration names, "" if it names none; if it `is_confirmed`, no flag has to name
    it. `changed` names what isn't as it was when the run began: the fork begins with what is there now.
    """

    config: Path
    folder: Path
    answers: int
    shares: bool
    backend: str
    is_confirmed: bool
    changed: tuple[str, ...] = ()


def fork(run: Path, new: str, changes: Sequence[str], *, clock: Callable[[], datetime]) -> Fork:
    """Write the configuration of `run` with these changes (`section.key=value`) and copy the run's answers.

    `new` is the folder of the new training, beside the old one; its configuration stands beside that of the old one,
    so that paths mean the same. Raises ConfigError if the run can't be forked or its answers are gone, if a change
    isn't possible, also for its environment, or if there is something of this name already.
    """
    if Path(new).name != new:
        raise ConfigError(f"the new training stands beside {run}, so {new!r} can't be its folder", remedy=_PLAIN)
    refuse_outdated(run)
    before = read_manifest(run)
    raw = before.config
    if not isinstance(raw["env"].get("name"), str):
        raise ConfigError(
            f"{run} was started in Python, so no file can describe it",
            remedy="copy its calls.db into the new folder, and train there with another TrainerConfig",
        )
    if REDACTED in str(raw):
        raise ConfigError(f"{run} was started with a secret, which isn't kept", remedy="write its configuration anew")
    named = Path(raw["train"]["folder"])
    home = _home(run, str(named))
    folder, config = home / named.parent / new, home / f"{new}.toml"
    for path in (folder, config):
        if os.path.lexists(path):
            raise ConfigError(f"{path} is there already", remedy=_OTHER)
    changed = _changed_since(before, home)
    kept = raw["train"].get("shared", "")
    source = folder.parent / kept if kept else run / CALLS
    if not source.exists():
        raise ConfigError(f"{source} is gone, which holds the answers of {run}", remedy="put it back")
    _refuse_twice(changes)
    for change in changes:
        _change(raw, change)
    raw["train"]["folder"] = str(named.parent / new)
    checked = config_of(raw, where="the fork")
    read_items(_env(checked, home), checked)
    with alone(run):
        own = private_dir(folder) / CALLS
        shared = checked.train.shared
        store = open_shared(folder.parent / shared, clock) if shared else CallStore(own, clock)
        with contextlib.closing(store):
            answers = store.take_calls(source)  # the completed ones, not what they cost and not what failed
    write_atomic(config, to_toml(checked).encode())
    return Fork(
        config,
        folder,
        answers,
        shares=bool(shared),
        backend=checked.backend.name,
        is_confirmed=checked.backend.confirmed,
        changed=changed,
    )


def _changed_since(before: Manifest, home: Path) -> tuple[str, ...]:
    """Return, in words, what of a run's items, skill and environment isn't what it began with any more."""
    config = config_of(before.config, where="the run")
    try:
        env = _env(config, home)
        items = read_items(env, config)
    except ConfigError:
        return ("its data, which can't be read any more",)
    skill = ""
    with contextlib.suppress(ConfigError):  # a file that is gone has changed, too
        skill = read_skill(home / config.skill) if config.skill else env.initial_skill()
    own = source_of(env)
    now = manifest(
        config,
        env=before.env,
        items=items,
        initial_skill=skill,
        prompts={},
        models=before.models,
        code={"env": own} if own else {},
    )
    changed = [f"the {split} items" for split, sha in now.dataset.items() if before.dataset.get(split) != sha]
    if now.initial_skill != before.initial_skill:
        changed.append("the initial skill")
    if changed_code(before, now):
        changed.append("the environment's code")
    return tuple(changed)


def _env(config: TrainerConfig, home: Path) -> Env:
    options = {key: value for key, value in config.env.items() if key != "name"}
    return find_env(config.env["name"], options, folder=home)


def _home(run: Path, named: str) -> Path:
    """Return the folder of the run's configuration file, to which its paths are relative."""
    home = run.absolute()
    for part in reversed(Path(named).parts):
        if home.name != part:
            raise ConfigError(
                f"{run} was moved, so the paths in its configuration lead nowhere", remedy="fork it where it was"
            )
        home = home.parent
    return home


def _refuse_twice(changes: Sequence[str]) -> None:
    keys = Counter(change.partition("=")[0].strip() for change in changes)
    for key, count in keys.items():
        if count > 1:
            raise ConfigError(f"{key} is set twice", remedy="leave one of them out")


def _change(raw: Mapping[str, Any], change: str) -> None:
    """Put one changed key into the tables of a configuration; whether it is known is checked with all of them."""
    key, is_set, text = change.partition("=")
    if not is_set:
        raise ConfigError(f"{change!r} changes nothing", remedy="write it as in evaluation.gate=greedy")
    if key.strip() == "train.folder":
        raise ConfigError("the folder is named beside the run, not by train.folder", remedy="leave this --set out")
    value: object = text
    with contextlib.suppress(tomllib.TOMLDecodeError):
        value = tomllib.loads(f"value = {text}")["value"]
    section, _, name = key.strip().rpartition(".")
    table: object = raw.get(section) if section else raw
    if not isinstance(table, dict):
        raise ConfigError(f"there is no key {key}", remedy="write it as in evaluation.gate=greedy")
    cast("dict[str, Any]", table)[name] = value
