"""Read a dataset from disk as items by split: from files named for their split, or divided by a ratio."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
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
    SUFFIXES,
    Row,
    Splits,
    by_ratio,
    form_of,
    is_hidden,
    read_rows,
    split_of,
    splits_in,
    visible,
)

Count = Annotated[int, Meta(ge=0)]
AtLeastOne = Annotated[int, Meta(ge=1)]

_RATIO = (2, 1, 7)
_MOST_NAMES = 12  # of columns that are said not to be used
_ROW = "fix the row, or leave it out"
_TABLE = f"{_ROW}; the first line of a table has to name its columns"


class DataEnv(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The common part of environments that read files; their fields are their options.

    `path` is a file or a folder, "" for a small sample of our own. In a folder, entries whose names contain `train`,
    `val` (`dev`, `valid`, `selection`) or `test` are those splits; otherwise all files are divided among train, val
    and test by `ratio` and `split_seed`. If train has files but val has none, train is divided into both. `limit`
    keeps the first items of each split, 0 for all. Files are read when items are first needed; a copy for a worker
    carries the options only.
    """

    name: ClassVar[str]
    path_options: ClassVar[frozenset[str]] = frozenset({"path"})
    suffixes: ClassVar[frozenset[str]] = SUFFIXES

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
        return self.loaded_test if split is Split.TEST else self.loaded[split]

    def initial_skill(self) -> str:
        """Return "": every prompt says what to do."""
        return ""

    @property
    def place(self) -> Path:
        """Return the file or folder that the items are read from."""
        return Path(self.path).expanduser() if self.path else sample_folder(self.name)

    @property
    def is_there(self) -> bool:
        """Return whether there is something to read."""
        return self.place.exists()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Say what of the files read so far was left out or done otherwise than one might expect."""
        unread = [name for name in self._columns if name not in self._read]
        if not unread:
            return tuple(self._notes)
        rest = f" and {len(unread) - _MOST_NAMES} more" if len(unread) > _MOST_NAMES else ""
        return (*self._notes, f"columns that are not used: {', '.join(unread[:_MOST_NAMES])}{rest}")

    @cached_property
    def _notes(self) -> dict[str, None]:
        return {}

    @cached_property
    def _columns(self) -> dict[str, None]:
        return {}

    @cached_property
    def _read(self) -> set[str]:
        return set()

    def remark(self, text: str) -> None:
        """Add a remark, which is made once."""
        self._notes[text] = None

    @cached_property
    def loaded(self) -> Splits:
        """Load train and val; raise ConfigError if an id occurs twice, or one of them is empty."""
        if not self.is_there:
            raise ConfigError(f"{self.place} doesn't exist", remedy="fix env.path")
        items = {split: self.assigned(split)[: self.limit or None] for split in (Split.TRAIN, Split.VAL)}
        _refuse_twice(items, where=str(self.place))
        for split, split_items in items.items():
            if not split_items:
                raise self._without(split)
        return items

    def _without(self, split: Split) -> ConfigError:
        """Return the error of a split without items, which names the files that were read for it or instead of it."""
        named = self.named_files
        own = [path.name for path in named.get(split, ())]
        if own:
            return ConfigError(f"{self.place}: no items are in {', '.join(own)}", remedy="add some to it")
        read = [f"{path.name} as {other}" for other, paths in named.items() for path in paths]
        instead = f"; it was read: {', '.join(read)}" if read else ""
        return ConfigError(
            f"{self.place}: there are no {split} items{instead}",
            remedy="add a file named for it, or name one file as env.path, which env.ratio divides",
        )

    @cached_property
    def loaded_test(self) -> tuple[Item, ...]:
        """Load test, which may be empty; raise ConfigError if an id of it occurs twice or in another split."""
        trained = self.loaded
        try:
            items = self.assigned(Split.TEST)[: self.limit or None]
        except ConfigError as error:
            raise ConfigError(error.message, remedy=f"{error.remedy}; or set evaluation.test = false") from error
        _refuse_twice({**trained, Split.TEST: items}, where=str(self.place))
        return items

    def assigned(self, split: Split) -> tuple[Item, ...]:
        """Return all items of a split: those of its own files, or its part by the ratio."""
        named = self.named_files
        if not named:
            return self._divided[split]
        if split is Split.TEST or Split.VAL in named:
            return tuple(self.read_all(named.get(split, ())))
        return self._train_divided[split]

    @cached_property
    def _divided(self) -> Splits:
        paths = self.data_files(self.place)
        if not paths:
            raise ConfigError(
                f"{self.place} holds no file that can be read",
                remedy=f"env.name = {self.name!r} reads {readable(self.suffixes)}",
            )
        return self.divided(tuple(self.read_all(paths)))

    def divided(self, items: Sequence[Item]) -> Splits:
        """Divide all items by the ratio, and say so, as nothing of them is named for a split."""
        splits = by_ratio(items, self.ratio, seed=self.split_seed)
        parts = ", ".join(f"{len(some):,} {split}" for split, some in splits.items())
        ratio = ":".join(map(str, self.ratio))
        whole = counted(len(items), "item")
        self.remark(f"no file is named for a split, so the {whole} were divided: {parts} (env.ratio {ratio})")
        return splits

    @cached_property
    def _train_divided(self) -> Splits:
        """Divide the items of train among train and val, as no file is named for val."""
        return self.parted(tuple(self.read_all(self.named_files.get(Split.TRAIN, ()))))

    def parted(self, whole: Sequence[Item]) -> Splits:
        """Divide the items of train among train and val, and say so."""
        train, val, _ = self.ratio
        items = by_ratio(whole, (train, val, 0), seed=self.split_seed)
        if whole:
            self.remark(
                f"no file is named for val, so {len(items[Split.VAL]):,} of the {len(whole):,} train items are val "
                f"(env.ratio; evaluation.val_items limits them)"
            )
        return items

    def read(self, path: Path) -> Sequence[Item]:
        """Read the items of one file; raise ConfigError naming what is unusable."""
        return self.converted(
            read_rows(path), lambda number, row: self.item(row, row_id(path, number), path), where=path
        )

    def item(self, row: Row, name: str, path: Path) -> Item:
        """Return a row as an item, called `name` if it has no id; raise ValueError saying what is wrong with it."""
        raise NotImplementedError

    def read_all(self, paths: Iterable[Path]) -> Iterable[Item]:
        """Read the items of these files."""
        for path in paths:
            yield from self.read(path)

    def converted(self, rows: Iterable[Row], make: Callable[[int, Row], Item], *, where: Path) -> tuple[Item, ...]:
        """Convert rows, numbered from 1, noting which columns are read; raise ConfigError naming an unusable row."""
        items: list[Item] = []
        for number, row in enumerate(rows, start=1):
            self._columns.update(dict.fromkeys(row))
            try:
                items.append(make(number, NotedRow(row, self._read)))
            except ValueError as error:
                is_header = number == 1 and form_of(where) in {".csv", ".tsv"}
                raise ConfigError(f"{where}: row {number}: {error}", remedy=_TABLE if is_header else _ROW) from error
        return tuple(items)

    @cached_property
    def named_files(self) -> Mapping[Split, Sequence[Path]]:
        """Return the files of each split that entries of the folder are named for; may be empty.

        Raises ConfigError if a split's only entries can't be read: it wouldn't be the split that its author made.
        """
        named: dict[Split, list[Path]] = {}
        unread: dict[Split, list[Path]] = {}
        unnamed: list[str] = []
        if not self.place.is_dir():
            return named
        for entry in visible(self._split_folder):
            split = split_of(entry.stem)
            inside = self.data_files(entry)
            if inside and len(splits_in(entry.stem)) > 1:
                self.remark(f"{entry.name} is named for several splits, and was read as {split}")
            if split is not None and inside:
                named.setdefault(split, []).extend(inside)
            elif split is not None:
                unread.setdefault(split, []).append(entry)
            elif inside and not self.is_beside(entry):
                unnamed.append(entry.name)
        if named:
            self._tell_unread(named, unread)
        if named and unnamed:
            self.remark(f"not read, as no split is in the name: {', '.join(unnamed)}")
        if Split.VAL in named and self.ratio != _RATIO:
            self.remark("env.ratio changes nothing, as files are named for their splits")
        return named

    def is_beside(self, entry: Path) -> bool:
        """Return whether an entry holds what rows refer to, and no rows itself."""
        del entry
        return False

    @cached_property
    def _split_folder(self) -> Path:
        """The folder whose entries may be named for splits; if all data is in one folder of it, that one."""
        folder = self.place
        while True:
            inside = [entry for entry in visible(folder) if self.data_files(entry)]
            if len(inside) != 1 or not inside[0].is_dir() or split_of(inside[0].stem):
                return folder
            folder = inside[0]

    def _tell_unread(self, named: Collection[Split], unread: Mapping[Split, Sequence[Path]]) -> None:
        """Say which entries are named for a split but can't be read; ConfigError if train or val has no others."""
        for split in (Split.TRAIN, Split.VAL):
            if split in unread and split not in named:
                raise ConfigError(
                    f"{unread[split][0]} is named for {split}, but can't be read",
                    remedy=f"env.name = {self.name!r} reads {readable(self.suffixes)}, in the form that it knows",
                )
        names = [entry.name for entries in unread.values() for entry in entries]
        if names:
            self.remark(f"not read, though named for a split: {', '.join(sorted(names))}")

    def data_files(self, place: Path) -> list[Path]:
        """Return the files at a place that may hold items, in order of their paths; `path` itself with any suffix.

        Hidden files aren't read.
        """
        if place.is_file() and place == self.place:
            return [place]
        paths = [place] if place.is_file() else sorted(place.rglob("*"))
        shown = [path for path in paths if not is_hidden(path.relative_to(place))]
        return [path for path in shown if path.is_file() and form_of(path) in self.suffixes]


def readable(suffixes: Collection[str]) -> str:
    """List the kinds of files with these suffixes, for a message."""
    return f"{', '.join(sorted(suffixes))}, and texts compressed as {COMPRESSED}"


def sample_folder(name: str) -> Path:
    """Return the folder of a sample that comes with the program."""
    return Path(str(files("skillopt_sleep.trainer") / "samples" / name))


def row_id(path: Path, number: int) -> str:
    """Return an id for a row that has none: its file and number."""
    return f"{path.parent.name}-{stem_of(path)}-{number}"


def stem_of(path: Path) -> str:
    """Return a file's name without what says how it is written: `x` for `x.jsonl.gz`."""
    return Path(path.name.removesuffix(COMPRESSED)).stem


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

    def __init__(self, row: Row, read: set[str]) -> None:
        super().__init__(row)
        self._read = read

    def __getitem__(self, name: str) -> Any:
        """Return a field, noting its name."""
        value = super().__getitem__(name)
        self._read.add(name)
        return value

    def get(self, name: str, default: Any = None) -> Any:
        """Return a field, noting its name, or the default if the row has none."""
        try:
            return self[name]
        except KeyError:
            return default
