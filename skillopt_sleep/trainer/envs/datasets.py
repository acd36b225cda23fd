"""A dataset on disk to items by split: files named for their split, or any files cut by ratio."""

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Annotated, ClassVar, TypeVar

import msgspec
from msgspec import Meta

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.env import Item
from skillopt_sleep.trainer.envs.rows import SUFFIXES, Row, read_rows

Count = Annotated[int, Meta(ge=0)]
AtLeastOne = Annotated[int, Meta(ge=1)]
Items = Mapping[Split, tuple[Item, ...]]
Made = TypeVar("Made")

# Looked for in this order, so that `valid_unseen` is test and `valid_seen` is val.
_WORDS = {
    Split.TEST: frozenset({"test", "unseen"}),
    Split.TRAIN: frozenset({"train", "training"}),
    Split.VAL: frozenset({"val", "valid", "validation", "dev", "selection"}),
}


class DataEnv(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What environments that read files share; their fields are their options.

    `path` is a file or a folder, and a small sample of our own where it is empty. A folder's entries whose names hold
    `train`, `val` (`dev`, `valid`, `selection`) or `test` are those splits, else all its files are cut by `ratio` of
    train, val and test, by `split_seed`. `limit` keeps the first of each split, 0 all. Files are read when items are
    first asked for; a copy for a worker carries the options only.
    """

    name: ClassVar[str]
    path_options: ClassVar[frozenset[str]] = frozenset({"path"})
    suffixes: ClassVar[frozenset[str]] = SUFFIXES

    path: str = ""
    ratio: tuple[Count, Count, Count] = (2, 1, 7)
    split_seed: int = 42
    limit: Count = 0

    def __post_init__(self) -> None:
        """Raise ConfigError for an option of the wrong type or out of its range."""
        for field in msgspec.structs.fields(self):
            try:
                value: object = msgspec.convert(getattr(self, field.name), field.type)
            except msgspec.ValidationError as error:
                raise ConfigError(f"env.{field.name}: {error}", remedy="mend it in [env]") from error
            msgspec.structs.force_setattr(self, field.name, value)

    def items(self, split: Split) -> Sequence[Item]:
        """The items of a split, in the order of the files; raises ConfigError where the files can't be used."""
        return self.found[split]

    def initial_skill(self) -> str:
        """Nothing: what to do is said in every prompt."""
        return ""

    @property
    def place(self) -> Path:
        """The file or folder that the items are read from."""
        return Path(self.path).expanduser() if self.path else sample_folder(self.name)

    @cached_property
    def found(self) -> Items:
        """The items of each split; ConfigError where an id is there twice, or train or val is empty."""
        if not self.place.exists():
            raise ConfigError(f"there is no {self.place}", remedy="mend env.path")
        found = self.assigned()
        kept = {split: items[: self.limit or None] for split, items in found.items()}
        _check(kept, where=str(self.place))
        return kept

    def assigned(self) -> Items:
        """Every item on its side."""
        named = self.named_files()
        if named:
            return {split: tuple(self.read_all(named.get(split, ()))) for split in Split}
        return by_ratio(tuple(self.read_all(self.data_files(self.place))), self.ratio, seed=self.split_seed)

    def read(self, path: Path) -> Sequence[Item]:
        """The items of one file; raises ConfigError naming what can't be used."""
        raise NotImplementedError

    def read_all(self, paths: Iterable[Path]) -> Iterable[Item]:
        """The items of these files."""
        for path in paths:
            yield from self.read(path)

    def named_files(self) -> Mapping[Split, Sequence[Path]]:
        """The files of each split that a folder's entries are named for; nothing where none is, or it is a file."""
        named: dict[Split, list[Path]] = {}
        for entry in sorted(self.place.iterdir()) if self.place.is_dir() else ():
            words = set(re.split(r"[^a-z]+", entry.stem.lower()))
            split = next((side for side, names in _WORDS.items() if names & words), None)
            inside = self.data_files(entry)
            if split is not None and inside:
                named.setdefault(split, []).extend(inside)
        return named

    def data_files(self, place: Path) -> list[Path]:
        """The files at a place that could hold items, in order of their paths; a named file as it is."""
        if place.is_file() and place == self.place:
            return [place]
        paths = [place] if place.is_file() else sorted(place.rglob("*"))
        return [path for path in paths if path.is_file() and path.suffix.lower() in self.suffixes]


def sample_folder(name: str) -> Path:
    """The folder of a sample that comes with the program."""
    return Path(str(files("skillopt_sleep.trainer") / "samples" / name))


def items_of(path: Path, make: Callable[[int, Row], Item]) -> tuple[Item, ...]:
    """The items of a file's rows; ConfigError names the file, the row and what is wrong with it."""
    return made_of(read_rows(path), make, where=str(path))


def made_of(rows: Iterable[Row], make: Callable[[int, Row], Made], *, where: str) -> tuple[Made, ...]:
    """What is made of these rows, numbered from 1; ConfigError names the row and what is wrong with it."""
    items: list[Made] = []
    for number, row in enumerate(rows, start=1):
        try:
            items.append(make(number, row))
        except ValueError as error:
            raise ConfigError(f"{where}: row {number}: {error}", remedy="mend the row, or leave it out") from error
    return tuple(items)


def by_ratio(items: Sequence[Item], ratio: tuple[int, int, int], *, seed: int) -> Items:
    """The items cut by this ratio of train, val and test; equal texts stay on one side, each side in file order.

    What doesn't divide goes to the sides with the largest remainders.
    """
    if not sum(ratio):
        raise ConfigError("env.ratio is nothing but zeros", remedy="write it as [2, 1, 7]")
    groups: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        groups.setdefault(item.text, []).append(place)
    shuffled = list(groups.values())
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - a seeded cut, not a secret
    sides: dict[Split, tuple[Item, ...]] = {}
    at = 0
    for split, count in zip(Split, _counts(len(shuffled), ratio), strict=True):
        places = sorted(place for group in shuffled[at : at + count] for place in group)
        sides[split] = tuple(items[place] for place in places)
        at += count
    return sides


def row_id(path: Path, number: int) -> str:
    """An id for a row that names none: where it stands."""
    return f"{path.parent.name}-{path.stem}-{number}"


def _check(found: Items, *, where: str) -> None:
    ids: dict[str, Split] = {}
    for split, items in found.items():
        for item in items:
            if item.id in ids:
                sides = split if ids[item.id] is split else f"{ids[item.id]} and {split}"
                raise ConfigError(f"{where}: the id '{item.id}' is there twice ({sides})", remedy="give each its own")
            ids[item.id] = split
    for split in (Split.TRAIN, Split.VAL):
        if not found[split]:
            raise ConfigError(
                f"{where}: nothing is on {split}", remedy="name its file, or set env.ratio for one file"
            )


def _counts(total: int, ratio: Sequence[int]) -> list[int]:
    exact = [total * part / sum(ratio) for part in ratio]
    counts = [int(one) for one in exact]
    largest = sorted(range(len(ratio)), key=lambda side: (counts[side] - exact[side], side))
    for side in largest[: total - sum(counts)]:
        counts[side] += 1
    return counts
