"""The folder of a run: what it was started with, every answer that was paid for, and what came of each stage.

Going on with a run is doing it again: everything but the calls is made anew, and a completed call is answered from
calls.db. So what an interrupted run ends as is what an uninterrupted one does, and no state can be half-written.
"""

import os
import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import filelock
import msgspec

from skillopt_sleep.errors import ConfigError, NightLocked
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import PRIVATE_FILE, private_dir, write_atomic
from skillopt_sleep.records import Record
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer.manifest import Manifest, hindrances

CONFIG, SUMMARY, HISTORY, SPEND, BEST = ("config.json", "summary.json", "history.json", "spend.json", "best_skill.md")
_MADE_ANEW = ("steps", "epochs", "skills", SUMMARY, HISTORY, BEST)
_EARLIER, _WHOLE = ".earlier", "whole"
Kind = TypeVar("Kind")


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


class Spending(Record, frozen=True, kw_only=True):
    """What a run took by all its lives: calls and what they cost, and seconds by stage."""

    paid: dict[str, Any]
    seconds: dict[str, float]


def seconds_before(path: Path) -> dict[str, float]:
    """The seconds of a run's lives so far; none where there is no run or they can't be read."""
    try:
        kept = read_kept(path / SPEND, Spending)
    except ConfigError:
        return {}
    return kept.seconds if kept else {}


@contextmanager
def open_run(
    path: Path, started_with: Manifest, *, resume: bool, clock: Callable[[], datetime]
) -> Generator[RunFolder]:
    """Begin a run in this folder, or with `resume` go on with the one that is there.

    A finished run that is gone on with and doesn't come to an end again stays as it was. Raises ConfigError where a
    run is there and shouldn't be, where none is, where a file of somebody else would be lost, or where it was started
    with something else, naming the difference; NightLocked where another process works in it.
    """
    _look(path, resume=resume)
    with alone(path):
        _put_back(path)
        if resume:
            _compare(path, started_with)
        with _anew(path):
            write_atomic(path / CONFIG, to_json(started_with, pretty=True))
            store = CallStore(path / "calls.db", clock)
            try:
                yield RunFolder(path, store)
            finally:
                store.close()


@contextmanager
def alone(path: Path) -> Generator[None]:
    """The folder for oneself, as a limit holds only where one process counts; NightLocked where another is in it."""
    lock = filelock.FileLock(private_dir(path) / "run.lock", timeout=0, mode=PRIVATE_FILE)
    try:
        lock.acquire()
    except filelock.Timeout as error:
        raise NightLocked(f"another training works in {path}", remedy="wait until it ends") from error
    with lock:
        yield


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


def _look(path: Path, *, resume: bool) -> None:
    """Raise ConfigError where a run can't be begun here, or none can be gone on with."""
    there = (path / CONFIG).exists()
    if resume and not there:
        raise ConfigError(f"{path} holds no run to go on with", remedy="leave out --resume to begin one")
    if there and not resume:
        raise ConfigError(
            f"{path} holds a run",
            remedy="go on with it (--resume; in Python train(resume=True)), or name another train.folder",
        )
    taken = [name for name in (*_MADE_ANEW, SPEND) if not there and os.path.lexists(path / name)]
    if taken:
        raise ConfigError(
            f"{path} holds no run, but {taken[0]}, which a run would write over", remedy="name another train.folder"
        )


def _compare(path: Path, started_with: Manifest) -> None:
    changed = hindrances(read_manifest(path), started_with)
    if changed:
        raise ConfigError(
            f"the run in {path} was started with something else: {'; '.join(changed)}",
            remedy="put that back, or name another train.folder",
        )


@contextmanager
def _anew(path: Path) -> Generator[None]:
    """A block in which results are made anew; those of a finished run come back where it makes none."""
    if (path / SUMMARY).exists():
        _set_aside(path)
    else:
        _clear(path)
    try:
        yield
    finally:
        _put_back(path)


def _set_aside(path: Path) -> None:
    aside = private_dir(path / _EARLIER)
    write_atomic(aside / CONFIG, (path / CONFIG).read_bytes())
    for name in _MADE_ANEW:
        if os.path.lexists(path / name):
            (path / name).rename(aside / name)
    write_atomic(aside / _WHOLE, b"")


def _put_back(path: Path) -> None:
    """The results that were set aside in their place again, unless new ones stand; to be killed here loses none."""
    aside, whole = path / _EARLIER, path / _EARLIER / _WHOLE
    if whole.exists() and (path / SUMMARY).exists():
        _remove(aside)
    if not aside.is_dir():
        return
    if whole.exists():
        _clear(path)
        whole.unlink()
    for name in (CONFIG, *_MADE_ANEW):
        if os.path.lexists(aside / name):
            (aside / name).replace(path / name)
    _remove(aside)


def _clear(path: Path) -> None:
    for name in _MADE_ANEW:
        _remove(path / name)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
