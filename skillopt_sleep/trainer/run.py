"""Keep a run in a folder: its manifest, every paid answer, and the results of each stage.

Resuming a run means running it again from the start, with completed calls answered from calls.db. So an interrupted
run ends exactly like an uninterrupted one, and no half-written state can survive.
"""

import os
import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import filelock
import msgspec

from skillopt_sleep.errors import ConfigError, NightLocked
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import PRIVATE_FILE, private_dir, write_atomic
from skillopt_sleep.records import Record, Usage
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer.manifest import Manifest, changed_code, hindrances, is_outdated

CONFIG = "config.json"
CALLS = "calls.db"
SUMMARY = "summary.json"
HISTORY = "history.json"
SPEND = "spend.json"
BEST = "best_skill.md"
END = "end.json"
_RESULTS = ("steps", "epochs", "skills", "answers", "removal", "rules.json", END, SUMMARY, HISTORY, BEST)
# The results of a finished run while it is resumed; the file "whole" says that all of them were moved there.
_EARLIER = ".earlier"
_WHOLE = "whole"
Kind = TypeVar("Kind")


class RunFolder:
    """The open folder of a run: `store` holds its calls, `write` saves the result of a stage."""

    def __init__(self, path: Path, store: CallStore) -> None:
        self.path = path
        self.store = store

    def write(self, name: str, value: object) -> None:
        """Write a text as it is, anything else as JSON; not synced to disk, because a resumed run writes it again."""
        path = self.path / name
        private_dir(path.parent)
        data = value.encode() if isinstance(value, str) else to_json(value, pretty=True)
        write_atomic(path, data, durable=False)


class Paid(Record, frozen=True, kw_only=True):
    """The calls that were paid for in a run's folder: by the run over all resumes, and to score skills there.

    Answers that were taken from elsewhere aren't among them. `unnamed` calls reported no tokens: `tokens` and
    `dollars`, which count against a limit, estimate them. The price of the `unpriced` ones isn't known; if no price
    is known at all, `dollars` is None.
    """

    purposes: dict[str, int]
    usage: Usage = Usage()
    usd: float | None = 0.0
    unnamed: int = 0
    tokens: int = 0
    dollars: float | None = 0.0
    unpriced: int = 0
    repairs: int = 0
    odd_events: int = 0

    @property
    def calls(self) -> int:
        """The number of all calls."""
        return sum(self.purposes.values())


class Spending(Record, frozen=True, kw_only=True):
    """The spending of a run over all resumes: calls and their cost, and seconds by stage.

    `ended` says what ended it before it was finished, "" if nothing did or it was killed.
    """

    paid: Paid
    seconds: dict[str, float]
    ended: str = ""


def read_spending(path: Path) -> Spending | None:
    """Return what the run in this folder spent, None if that isn't written yet; ConfigError if it can't be read."""
    return read_kept(path / SPEND, Spending)


def seconds_before(path: Path) -> dict[str, float]:
    """Return the seconds a run has taken so far by stage; empty if there is no run or they can't be read."""
    try:
        spending = read_spending(path)
    except ConfigError:
        return {}
    return spending.seconds if spending else {}


@contextmanager
def open_run(
    path: Path, started_with: Manifest, *, resume: bool, clock: Callable[[], datetime]
) -> Generator[RunFolder]:
    """Start a run in this folder, or with `resume` continue the one that is there.

    If a finished run is resumed and doesn't finish again, its results stay as they were. Raises ConfigError if there
    is already a run, if there is none to resume, if a foreign file would be overwritten, or if the run was started
    with something else, naming the difference; NightLocked if another process is using the folder.
    """
    _refuse_wrong_folder(path, resume=resume)
    with alone(path):
        _restore(path)
        if resume:
            check_resumable(path, started_with)
        with _fresh_results(path):
            store = CallStore(path / CALLS, clock)
            try:
                if not resume:
                    store.take_over()  # before there is a run: whoever is killed here starts again, not resumes
                write_atomic(path / CONFIG, to_json(started_with, pretty=True))
                yield RunFolder(path, store)
            finally:
                store.close()


@contextmanager
def alone(path: Path) -> Generator[None]:
    """Lock the folder: limits hold only if one process counts. Raise NightLocked if another process has it."""
    lock = filelock.FileLock(private_dir(path) / "run.lock", timeout=0, mode=PRIVATE_FILE)
    try:
        lock.acquire()
    except filelock.Timeout as error:
        raise NightLocked(f"another training is running in {path}", remedy="wait until it ends") from error
    with lock:
        yield


def read_manifest(path: Path) -> Manifest:
    """Read what the run in this folder was started with; raise ConfigError if there is none or it is unreadable."""
    try:
        return from_json((path / CONFIG).read_bytes(), Manifest)
    except FileNotFoundError as error:
        raise ConfigError(f"{path} holds no run", remedy="name the folder of a training") from error
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise ConfigError(f"{path / CONFIG}: {error}", remedy="train in another folder") from error


def read_kept(path: Path, kind: type[Kind]) -> Kind | None:
    """Read a file that a run wrote, None if it doesn't exist yet; raise ConfigError if it can't be read."""
    try:
        return from_json(path.read_bytes(), kind)
    except FileNotFoundError:
        return None
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise ConfigError(
            f"{path}: {error}", remedy="resume the run (train --resume): it is written again"
        ) from error


def _refuse_wrong_folder(path: Path, *, resume: bool) -> None:
    """Raise ConfigError if a run can't be started here, or there is none to resume."""
    if (path / CONFIG).exists():
        refuse_outdated(path)
        if resume:
            return
        raise ConfigError(
            f"{path} already contains a training",
            remedy="continue it with --resume (in Python train(resume=True)), or name another train.folder",
        )
    if resume:
        raise ConfigError(f"{path} holds no run to resume", remedy="leave out --resume to start one")
    for name in (*_RESULTS, SPEND):
        if os.path.lexists(path / name):
            raise ConfigError(
                f"{path} holds no run, but {name}, which a run would overwrite", remedy="name another train.folder"
            )


def refuse_outdated(path: Path) -> None:
    """Raise ConfigError if an older version began the run in this folder: then it can't go on."""
    if is_outdated(read_manifest(path)):
        raise ConfigError(
            f"an older version began the run in {path}, so it can't go on",
            remedy="name another train.folder to start anew",
        )


def check_answers_kept(path: Path, shared: str) -> None:
    """Raise ConfigError if the answers that the run in this folder has had are gone, or aren't in `shared`."""
    before = read_manifest(path).config["train"].get("shared", "")
    if shared != before:
        raise ConfigError(
            f"the run in {path} keeps its answers in {before or 'its own calls.db'}",
            remedy="leave train.shared as it was; only a fork takes them elsewhere (runs fork --set train.shared=…)",
        )
    kept = [path / CALLS]
    if shared and (path / SPEND).exists():
        kept.append(path.absolute().parent / shared)
    for file in kept:
        if not file.exists():
            raise ConfigError(
                f"{file} is gone, which holds the answers that the run in {path} has had",
                remedy="put it back; to pay for all answers again, name another train.folder",
            )


def check_resumable(path: Path, started_with: Manifest) -> None:
    """Raise ConfigError if no run is in this folder, or one that began with something else or lost its answers.

    Without these all would be paid for again, and limits would count from nothing.
    """
    _refuse_wrong_folder(path, resume=True)
    before = read_manifest(path)
    check_answers_kept(path, started_with.config["train"]["shared"])
    changed = hindrances(before, started_with)
    if not changed:
        return
    remedy = "change that back, or name another train.folder"
    if changed_code(before, started_with):
        remedy = "change that back, or go on in a new folder with a copy of calls.db, as runs fork makes one"
    raise ConfigError(f"the run in {path} was started with something else: {'; '.join(changed)}", remedy=remedy)


@contextmanager
def _fresh_results(path: Path) -> Generator[None]:
    """Start the block without results; if it doesn't finish the run, restore those of an earlier finished run."""
    if (path / SUMMARY).exists():
        _set_aside(path)
    else:
        _clear(path)
    try:
        yield
    finally:
        _restore(path)


def _set_aside(path: Path) -> None:
    aside = private_dir(path / _EARLIER)
    write_atomic(aside / CONFIG, (path / CONFIG).read_bytes())
    for name in _RESULTS:
        if os.path.lexists(path / name):
            (path / name).rename(aside / name)
    write_atomic(aside / _WHOLE, b"")


def _restore(path: Path) -> None:
    """Move results that were set aside back in place, unless there are new ones; safe to be killed at any point."""
    aside = path / _EARLIER
    whole = aside / _WHOLE
    if whole.exists() and (path / SUMMARY).exists():
        _remove(aside)
    if not aside.is_dir():
        return
    if whole.exists():
        _clear(path)
        whole.unlink()
    for name in (CONFIG, *_RESULTS):
        if os.path.lexists(aside / name):
            (aside / name).replace(path / name)
    _remove(aside)


def _clear(path: Path) -> None:
    for name in _RESULTS:
        _remove(path / name)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
