"""Find trainings, read them from their folders, and lay out several that differ in a few keys."""

import copy
import itertools
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import to_builtins

from skillopt_sleep.errors import ConfigError, StoreError
from skillopt_sleep.kit.words import counted
from skillopt_sleep.protocols.models import SpendTally
from skillopt_sleep.trainer.manifest import Manifest, settings
from skillopt_sleep.trainer.run import CALLS, CONFIG, HISTORY, SUMMARY, read_kept, read_manifest, read_paid
from skillopt_sleep.trainer.summary import History, Reported, Summary

DEPTH = 3


class Run(NamedTuple):
    """A training as its folder holds it; what isn't written yet is None."""

    folder: Path
    manifest: Manifest
    summary: Summary | None
    history: History | None
    paid: SpendTally | None

    @property
    def reported(self) -> Reported | None:
        """What may be said of its best skill, None if that isn't known."""
        return self.summary.reported if self.summary else None

    def state(self) -> str:
        """Say how far it is: finished, or after how many steps, and what ended it."""
        if self.summary and not self.summary.stopped:
            return "finished"
        if self.summary:
            return f"{self.summary.steps} of {self.summary.planned} steps: {self.summary.stopped}"
        done = counted(len(self.history.steps), "step") if self.history else "no step"
        return f"{done} so far"

    def row(self) -> dict[str, Any]:
        """Return the training as data."""
        return {
            "folder": str(self.folder),
            "started_with": self.manifest,
            "state": self.state(),
            "paid": paid_row(self.paid),
            "summary": self.summary,
        }


def paid_row(paid: SpendTally | None) -> dict[str, Any] | None:
    """Return what was paid for as data; the dollars are None if no price is known at all."""
    if paid is None:
        return None
    dollars = None if paid.unpriced and not paid.dollars else paid.dollars
    row: dict[str, Any] = {"calls": paid.calls, **paid._asdict(), "dollars": dollars}
    return row | {"usage": to_builtins(paid.usage)}


def find(folder: Path, depth: int = DEPTH) -> Iterator[Path]:
    """Yield the folders of trainings in this folder or below it, also of one whose calls are gone."""
    if (folder / CONFIG).is_file() and any((folder / name).is_file() for name in (CALLS, HISTORY)):
        yield folder
    elif depth and folder.is_dir():
        for inner in sorted(folder.iterdir()):
            if inner.is_dir() and not inner.is_symlink():
                yield from find(inner, depth - 1)


def read(path: Path) -> Run:
    """Return the training in a folder; ConfigError if there is none, or it can't be read."""
    try:
        return Run(
            folder=path,
            manifest=read_manifest(path),
            summary=read_kept(path / SUMMARY, Summary),
            history=read_kept(path / HISTORY, History),
            paid=read_paid(path),
        )
    except OSError as error:
        raise ConfigError(
            f"{error.filename or path}: {error.strerror or error}", remedy="make it readable"
        ) from error
    except StoreError as error:
        raise ConfigError(error.message, remedy=error.remedy) from error


def by_score(runs: Iterable[Run]) -> list[Run]:
    """Return the trainings with the best score first, those without one at the end."""
    return sorted(runs, key=lambda run: (-run.reported.mean if run.reported else 1.0, str(run.folder)))


def differing(runs: Sequence[Run]) -> dict[Path, dict[str, str]]:
    """Return, of each training, its value of every setting in which not all of them agree.

    What changes no result, such as the folder or the limits, isn't a difference.
    """
    every = {run.folder: settings(run.manifest) for run in runs}
    keys = dict.fromkeys(key for own in every.values() for key in own)
    varying = [key for key in keys if len({own.get(key, "") for own in every.values()}) > 1]
    return {folder: {key: own.get(key, "") for key in varying} for folder, own in every.items()}


def variants(raw: Mapping[str, Any], changes: Sequence[str], seeds: int) -> list[dict[str, Any]]:
    """Return the tables of a configuration once for each combination of the changes and each of so many seeds.

    A change is written as `section.key=value` or `section.key=one,other`. Unless it is set, the folder of each is
    named for what it has of its own. Raises ConfigError for a change of another form.
    """
    values: dict[str, list[str]] = {}
    for change in changes:
        key, is_set, text = change.partition("=")
        if not is_set or not text:
            raise ConfigError(f"--set {change} names no value", remedy="write it as in train.epochs=3,5")
        if key.strip() in values:
            raise ConfigError(f"--set {key.strip()} is given twice", remedy=f"write {key.strip()}=one,other")
        values[key.strip()] = text.split(",")
    first = raw.get("train", {}).get("seed", 42)
    if seeds > 1 and "train.seed" not in values:
        values["train.seed"] = [str(first + number) for number in range(seeds)]
    found: list[dict[str, Any]] = []
    for combination in itertools.product(*values.values()):
        tables = copy.deepcopy(dict(raw))
        named: list[str] = []
        for key, text in zip(values, combination, strict=True):
            section, _, name = key.rpartition(".")
            table = tables.setdefault(section, {}) if section else tables
            table[name] = _value(text)
            if len(values[key]) > 1 or "train.folder" not in values:
                named.append(f"{name}={text}".replace("/", "_"))
        train = tables.setdefault("train", {})
        train["folder"] = "-".join([train.get("folder", "run"), *named])
        found.append(tables)
    return found


def _value(text: str) -> object:
    """Return a value as TOML has it; what isn't TOML is a text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
