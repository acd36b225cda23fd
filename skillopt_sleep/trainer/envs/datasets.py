"""Read a dataset from disk as items by split: from files named for their split, or divided by a ratio."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.words import counted
from skillopt_sleep.records import Split
from skillopt_sleep.settings import wrong_value
from skillopt_sleep.trainer.env import Item
from skillopt_sleep.trainer.envs.reading import (
    COMPRESSED,
    READABLE,
    SUFFIXES,
    Row,
    Splits,
    by_ratio,
    form_of,
    read_rows,
    split_of,
)

Count = Annotated[int, Meta(ge=0)]
AtLeastOne = Annotated[int, Meta(ge=1)]

_RATIO = (2, 1, 7)
_MOST_NAMES = 12  # of columns and files that are said not to be used
_ROW = "fix the row, or leave it out"


class DataEnv(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The common part of environments that read files; their fields are their options.

    `path` is a file or a folder, "" for a small sample of our own. In a folder, the first folder or file of a path
    whose name contains `train`, `val` (`dev`, `valid`, `selection`) or `test` says its split. If there is none, all
    files are divided among train, val and test by `ratio` and `split_seed`; if train has files but val has none,
    train is divided into both. `limit` keeps the first items of each split, 0 for all. Files are read when items are
    first needed; a copy for a worker carries the options only.
    """

    name: ClassVar[str]
    path_options: ClassVar[frozenset[str]] = frozenset({"path"})
    suffixes: ClassVar[frozenset[str]] = SUFFIXES
    wanted: ClassVar[str] = f"set env.path to data as {READABLE}"

    path: str = ""
    ratio: tuple[Count, Count, Count] = _RATIO
    split_seed: int = 42
    limit: Count = 0

    def __post_init__(self) -> None:
        """Raise ConfigError for an option with a wrong type or out of range."""
        for field in msgspec.structs.fields(self):
            value: object = getattr(self, field.name)
            for fault in wrong_value(f"env.{field.name}", value, field):
                raise ConfigError(fault.message, remedy=fault.remedy)
            msgspec.structs.force_setattr(self, field.name, msgspec.convert(value, field.type))

    def items(self, split: Split) -> Sequence[Item]:
        """Return the items of a split, in the order of the files; raise ConfigError if the files are unusable.

        A test split in files of its own is only read if it is asked for, as it may come without answers.
        """
        return self._test if split is Split.TEST else self._trained[split]

    def initial_skill(self) -> str:
        """Return "": every prompt says what to do."""
        return ""

    def item(self, row: Row, name: str, path: Path) -> Item:
        """Return a row as an item, called `name` if it has no id; raise ValueError saying what is wrong with it."""
        raise NotImplementedError

    @property
    def place(self) -> Path:
        """Return the file or folder that the items are read from."""
        return Path(self.path).expanduser() if self.path else sample_folder(self.name)

    @property
    def beside(self) -> Collection[str]:
        """Return the names of folders and files that hold what rows refer to, and no rows themselves."""
        return ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Say what of the files read so far was left out or done otherwise than one might expect."""
        unread = [name for name, is_read in self._columns.items() if not is_read]
        return (*self._notes, *([f"columns that are not used: {_listed(unread)}"] if unread else []))

    @cached_property
    def _notes(self) -> dict[str, None]:
        return {}

    @cached_property
    def _columns(self) -> dict[str, bool]:
        """Hold the names of all columns, and whether each was read."""
        return {}

    @cached_property
    def _trained(self) -> Splits:
        """Load train and val; raise ConfigError if an id occurs twice, or one of them is empty."""
        items = {split: self.assigned(split)[: self.limit or None] for split in (Split.TRAIN, Split.VAL)}
        _refuse_twice(items, where=str(self.place))
        for split, split_items in items.items():
            if split_items:
                continue
            problem, rows = f"{self.place}: there are no {split} items", sum(map(len, self._divided.values()))
            if 0 < rows < sum(self.ratio):
                ratio = ":".join(map(str, self.ratio))
                raise ConfigError(f"{problem}, as {rows} rows are too few for env.ratio {ratio}", remedy="add rows")
            raise ConfigError(
                problem, remedy="add a file named for it, or name one file as env.path, which env.ratio divides"
            )
        return items

    @cached_property
    def _test(self) -> tuple[Item, ...]:
        """Load test, which may be empty; raise ConfigError if an id of it occurs twice or in another split."""
        trained = self._trained
        try:
            items = self.assigned(Split.TEST)[: self.limit or None]
        except ConfigError as error:
            raise ConfigError(error.message, remedy=f"{error.remedy}; or set evaluation.test = false") from error
        _refuse_twice({**trained, Split.TEST: items}, where=str(self.place))
        return items

    def assigned(self, split: Split) -> tuple[Item, ...]:
        """Return all items of a split: those of its own files, or its part by the ratio."""
        if None not in self.files and (split is Split.TEST or Split.VAL in self.files):
            return self._all(self.files.get(split, ()))
        return self._divided[split]

    @cached_property
    def _divided(self) -> Splits:
        """Divide the items of files that are named for no split, or those of train, as none is named for val."""
        if None in self.files:
            return self.divided(self._all(self.files[None]))
        whole = self._all(self.files.get(Split.TRAIN, ()))
        items = by_ratio(whole, (*self.ratio[:2], 0), seed=self.split_seed)
        self._notes[
            f"no file is named for val, so {len(items[Split.VAL]):,} of the {len(whole):,} train items are val "
            f"(env.ratio; evaluation.val_items limits them)"
        ] = None
        return items

    def divided(self, items: Sequence[Item]) -> Splits:
        """Divide all items by the ratio, and say so, as nothing of them is named for a split."""
        splits = by_ratio(items, self.ratio, seed=self.split_seed)
        parts = ", ".join(f"{len(some):,} {split}" for split, some in splits.items())
        by = f"{parts} (env.ratio = {list(self.ratio)})"
        self._notes[f"no file is named for a split, so the {counted(len(items), 'item')} were divided: {by}"] = None
        return splits

    @cached_property
    def files(self) -> Mapping[Split | None, Sequence[Path]]:
        """Return the files to read by the split they are for, all of them under None if nothing names a split.

        Raises ConfigError if a split's only files can't be read: it wouldn't be the split that its author made.
        """
        if self.place.is_file():
            return {None: [self.place]}
        named: dict[Split | None, list[Path]] = {}
        unread: dict[Split | None, list[Path]] = {}
        for path in sorted(self.place.rglob("*")):
            parts = path.relative_to(self.place).parts
            if path.is_dir() or any(part.startswith(".") or part in self.beside for part in parts):
                continue
            split = next(filter(None, map(split_of, parts)), None)
            (named if form_of(path) in self.suffixes else unread).setdefault(split, []).append(path)
        if not named:
            problem = "holds no file that can be read" if self.place.is_dir() else "doesn't exist"
            raise ConfigError(f"{self.place} {problem}", remedy=self.wanted)
        for split in (Split.TRAIN, Split.VAL):
            if split in unread and split not in named:
                problem = f"{unread[split][0]} is named for {split}, but can't be read"
                raise ConfigError(problem, remedy=self.wanted)
        unread.pop(None, None)
        if len(named) > 1 or None not in named:
            unread[None] = named.pop(None, [])
        self.leave_out([path.relative_to(self.place) for paths in unread.values() for path in paths])
        if Split.VAL in named and self.ratio != _RATIO:
            self._notes["env.ratio changes nothing, as files are named for their splits"] = None
        return named

    def leave_out(self, paths: Sequence[Path]) -> None:
        """Say which files are not read, if any."""
        if paths:
            names = _listed([path.as_posix() for path in paths])
            self._notes[f"not read, as no split is in the name or the form isn't known: {names}"] = None

    def read(self, path: Path) -> Sequence[Item]:
        """Read the items of one file; raise ConfigError naming what is unusable."""
        return self.converted(read_rows(path), path)

    def _all(self, paths: Iterable[Path]) -> tuple[Item, ...]:
        return tuple(item for path in paths for item in self.read(path))

    def converted(self, rows: Iterable[Row], path: Path) -> Sequence[Item]:
        """Convert rows, numbered from 1, noting which columns are read; raise ConfigError naming an unusable row."""
        items: list[Item] = []
        for number, row in enumerate(rows, start=1):
            for column in row:
                self._columns.setdefault(column, False)
            try:
                items.append(self.item(NotedRow(row, self._columns), _row_id(path, number), path))
            except ValueError as error:
                said, remedy = (*error.args, _ROW)[:2]
                raise ConfigError(f"{path}: row {number}: {said}", remedy=remedy) from error
        return items


def sample_folder(name: str) -> Path:
    """Return the folder of a sample that comes with the program."""
    return Path(str(resources.files("skillopt_sleep.trainer") / "samples" / name))


def stem_of(path: Path) -> str:
    """Return a file's name without what says how it is written: `x` for `x.jsonl.gz`."""
    return Path(path.name.removesuffix(COMPRESSED)).stem


def _row_id(path: Path, number: int) -> str:
    """Return an id for a row that has none: its file and number."""
    return "-".join([*filter(None, [path.parent.name]), stem_of(path), str(number)])


def _listed(names: Sequence[str]) -> str:
    rest = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{', '.join(names[:_MOST_NAMES])}{rest}"


def _refuse_twice(items_by_split: Splits, *, where: str) -> None:
    seen: dict[str, Split] = {}
    for split, items in items_by_split.items():
        for item in items:
            if item.id in seen:
                first = seen[item.id]
                places = split if first is split else f"{first} and {split}"
                raise ConfigError(f"{where}: the id '{item.id}' occurs twice ({places})", remedy="make it unique")
            seen[item.id] = split


class NotedRow(dict[str, Any]):
    """A row that notes the names of the fields that are read; to look whether it has one is not to read it."""

    def __init__(self, row: Row, read: dict[str, bool]) -> None:
        super().__init__(row)
        self._read = read

    def __getitem__(self, name: str) -> Any:
        """Return a field, noting its name."""
        value = super().__getitem__(name)
        self._read[name] = True
        return value

    def get(self, name: str, default: Any = None) -> Any:
        """Return a field, noting its name, or the default if the row has none."""
        try:
            return self[name]
        except KeyError:
            return default
