"""The folder of a run: what it was started with, every answer that was paid for, and what came of each stage.

Going on with a run is doing it again: everything but the calls is made anew, and a completed call is answered from
calls.db. So what an interrupted run ends as is what an uninterrupted one does, and no state can be half-written.
"""

import hashlib
import re
import shutil
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar, cast

import filelock
import msgspec

from skillopt_sleep.errors import ConfigError, NightLocked
from skillopt_sleep.kit.codec import from_json, map_strings, to_json
from skillopt_sleep.kit.files import PRIVATE_FILE, private_dir, write_atomic
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import Record, Split
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.env import Item

CONFIG, SUMMARY, HISTORY, SPEND, BEST = ("config.json", "summary.json", "history.json", "spend.json", "best_skill.md")
_MADE_ANEW = ("steps", "epochs", "skills", SUMMARY, HISTORY, BEST)
_SECRET = re.compile(r"(?:^|_)(?:key|token|secret|password|credentials?)s?$", re.IGNORECASE)
# These change how a run is done, never what comes of it.
_FREE = (
    "config.train.workers",
    "config.train.pool",
    "config.train.address",
    "config.train.folder",
    "config.gradient.workers",
    "config.limits.",
)


Kind = TypeVar("Kind")


class Manifest(Record, frozen=True, kw_only=True):
    """What a run was started with; digests are SHA-256."""

    config: dict[str, Any]
    env: str
    dataset: dict[str, str]
    initial_skill: str
    prompts: dict[str, str]
    models: dict[str, str]


def manifest(
    config: TrainerConfig,
    *,
    env: str,
    items: Mapping[Split, Sequence[Item]],
    initial_skill: str,
    prompts: Mapping[str, str],
    models: Mapping[str, str],
) -> Manifest:
    """What this run is; nothing in it is secret."""
    return Manifest(
        config=_without_secrets(config),
        env=env,
        dataset={split.value: _sha(to_json(list(some))) for split, some in items.items()},
        initial_skill=_sha(initial_skill.encode()),
        prompts={name: _sha(text.encode()) for name, text in sorted(prompts.items())},
        models=dict(models),
    )


def _without_secrets(config: TrainerConfig) -> dict[str, Any]:
    """The configuration without what looks like a secret, and without what an environment's option calls one."""
    told = cast("dict[str, Any]", map_strings(config, redact))
    for name, value in told["env"].items():
        if isinstance(value, str) and _SECRET.search(name):
            told["env"][name] = "[redacted]"
    return told


class RunFolder:
    """The open folder of a run: `store` has its calls, `write` keeps what came of a stage."""

    def __init__(self, path: Path, store: CallStore) -> None:
        self.path, self.store = path, store

    def write(self, name: str, value: object) -> None:
        """A text as it is, anything else as JSON; made again when the run goes on, so a loss of power may take it."""
        path = self.path / name
        private_dir(path.parent)
        data = value.encode() if isinstance(value, str) else to_json(value, pretty=True)
        write_atomic(path, data, durable=False)


@contextmanager
def open_run(
    path: Path, started_with: Manifest, *, resume: bool, clock: Callable[[], datetime]
) -> Generator[RunFolder]:
    """Begin a run in this folder, or with `resume` go on with the one that is there.

    Raises ConfigError where a run is there and shouldn't be, where none is, or where it was started with something
    else, naming the difference; NightLocked where another process works in it.
    """
    private_dir(path)
    lock = filelock.FileLock(path / "run.lock", timeout=0, mode=PRIVATE_FILE)
    try:
        lock.acquire()
    except filelock.Timeout as error:
        raise NightLocked(f"another training works in {path}", remedy="wait until it ends") from error
    with lock:
        _check(path, started_with, resume=resume)
        write_atomic(path / CONFIG, to_json(started_with, pretty=True))
        for name in _MADE_ANEW:
            _remove(path / name)
        store = CallStore(path / "calls.db", clock)
        try:
            yield RunFolder(path, store)
        finally:
            store.close()


def differences(before: Manifest, now: Manifest) -> tuple[str, ...]:
    """What a run can't go on with, each as `key: before → now`; more epochs are no difference."""
    old, new = _flat(msgspec.to_builtins(before)), _flat(msgspec.to_builtins(now))
    found: list[str] = []
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) == new.get(key) or key.startswith(_FREE):
            continue
        if key == "config.train.epochs" and new.get(key, 0) > old.get(key, 0):
            continue
        found.append(f"{key}: {_short(old.get(key))} → {_short(new.get(key))}")
    return tuple(found)


def read_manifest(path: Path) -> Manifest:
    """What the run in this folder was started with; ConfigError where there is none or it can't be read."""
    try:
        return from_json((path / CONFIG).read_bytes(), Manifest)
    except FileNotFoundError as error:
        raise ConfigError(f"{path} holds no run", remedy="name a folder that `train` wrote") from error
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise ConfigError(f"{path / CONFIG}: {error}", remedy="train in another folder") from error


def read_kept(path: Path, kind: type[Kind]) -> Kind | None:
    """What a run wrote down, None where it didn't yet; ConfigError where it can't be read."""
    try:
        return from_json(path.read_bytes(), kind)
    except FileNotFoundError:
        return None
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise ConfigError(
            f"{path}: {error}", remedy="go on with the run (train --resume): it is written anew"
        ) from error


def _check(path: Path, started_with: Manifest, *, resume: bool) -> None:
    if not (path / CONFIG).exists():
        if resume:
            raise ConfigError(f"{path} holds no run to go on with", remedy="leave out --resume to begin one")
        return
    if not resume:
        raise ConfigError(f"{path} holds a run", remedy="go on with it (--resume), or name another train.folder")
    changed = differences(read_manifest(path), started_with)
    if changed:
        raise ConfigError(
            f"the run in {path} was started with something else: {'; '.join(changed)}",
            remedy="put that back, or name another train.folder",
        )


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _flat(value: Any, prefix: str = "") -> dict[str, Any]:
    if not isinstance(value, dict):
        return {prefix.removesuffix("."): value}
    found: dict[str, Any] = {}
    for key, inner in cast("dict[str, Any]", value).items():
        found |= _flat(inner, f"{prefix}{key}.")
    return found


def _short(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text[:12] if len(text) == hashlib.sha256().digest_size * 2 else text


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
