"""Read the rows of a dataset: JSON, JSON lines or a table, perhaps compressed; all else by the library `datasets`.

Also: which split a file's name says, and how items are divided if none does.
"""

import ast
import csv
import gzip
import importlib
import io
import json
import math
import random
import re
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.extras import command_for
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.env import Item

TEXTS = frozenset({".json", ".jsonl", ".csv", ".tsv"})
TABLES = frozenset({".parquet"})
COMPRESSED = ".gz"
SUFFIXES = TEXTS | TABLES
SAVED = ("dataset_dict.json", "state.json")  # what save_to_disk writes into a folder
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)  # the time a task was written must not change the dataset
# By default the csv reader refuses a cell as long as a page of text.
CELL_CHARS = 50_000_000
# Checked in this order, so that `valid_unseen` is test and `valid_seen` is val.
_WORDS = {
    Split.TEST: frozenset({"test", "unseen"}),
    Split.TRAIN: frozenset({"train", "training"}),
    Split.VAL: frozenset({"val", "valid", "validation", "dev", "selection"}),
}
Splits = Mapping[Split, tuple[Item, ...]]
Row = Mapping[str, Any]
# Given the first line of a table, returns the names of its columns if that line is no header, else nothing.
Columns = Callable[[Sequence[str]], Sequence[str]]


def form_of(path: Path) -> str:
    """Return the suffix that says how a file is written: for `x.jsonl.gz` it is `.jsonl`."""
    name = path.name.lower().removesuffix(COMPRESSED)
    return Path(name).suffix


def with_header(_first: Sequence[str]) -> Sequence[str]:
    """Return nothing: the first line of the table is its header."""
    return ()


def read_rows(path: Path, *, columns: Columns = with_header) -> tuple[Row, ...]:
    """Read the rows of a file, for a JSON object those of its only list; ConfigError names file and problem.

    A first line of MRQA's files, which says what they hold, is no row.
    """
    if form_of(path) in TABLES:
        return tuple(_of_library(path))
    try:
        text = _decoded(path)
        rows = _parse(text, form_of(path), columns)
    except RecursionError as error:
        raise ConfigError(f"{path}: it is nested too deeply", remedy="fix the file, or name another one") from error
    except (OSError, ValueError, EOFError, csv.Error, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"{path}: {reason}", remedy="fix the file, or name another one") from error
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise ConfigError(f"{path}: row {number} is not an object", remedy="write one JSON object per row")
    return tuple(cast("list[Row]", rows))


def library() -> Any:
    """Import the library that reads what isn't text; raise ConfigError if it isn't installed."""
    try:
        return importlib.import_module("datasets")
    except ImportError as error:
        raise ConfigError("reading this needs the library datasets", remedy=command_for("envs")) from error


def saved_splits(place: Path) -> dict[str, list[Row]]:
    """Return the rows of a folder that save_to_disk wrote, by the names of its splits, "" if it has none."""
    with _library_errors(place):
        found: Any = library().load_from_disk(str(place))
        return {name: list(rows) for name, rows in found.items()} if hasattr(found, "items") else {"": list(found)}


def hub_splits(name: str, subset: str) -> dict[str, list[Row]]:
    """Return the rows of a dataset of the Hugging Face Hub by the names of its splits."""
    with _library_errors(name):
        found: Any = library().load_dataset(name, subset or None)
        return {split: list(rows) for split, rows in found.items()}


@contextmanager
def _library_errors(what: object) -> Generator[None]:
    """Say what the library couldn't read."""
    try:
        yield
    except (OSError, ValueError, RuntimeError, KeyError, EOFError) as error:
        problem = str(error).partition("\n")[0]
        raise ConfigError(f"{what}: {problem}", remedy="check the name, or download it again") from error


def _of_library(path: Path) -> Iterator[Row]:
    library()
    with _library_errors(path):
        yield from importlib.import_module("pyarrow.parquet").read_table(str(path)).to_pylist()


def _decoded(path: Path) -> str:
    data = path.read_bytes()
    if path.name.lower().endswith(COMPRESSED):
        data = gzip.decompress(data)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ValueError(f"line {line} is not UTF-8: {error.reason}") from error


def _parse(text: str, form: str, columns: Columns) -> list[Any]:
    match form:
        case ".json":
            return _of_json(json.loads(text, object_pairs_hook=_object))
        case ".jsonl":
            rows = [_line(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
            return rows[1:] if rows and _is_mrqa_header(rows[0]) else rows
        case ".csv":
            head = text.partition("\n")[0]
            delimiter = ";" if head.count(";") > head.count(",") else ","
            return list(_of_table(text, delimiter=delimiter, columns=columns))
        case ".tsv":
            return list(_of_table(text, delimiter="\t", columns=columns))
        case _:
            raise ValueError(f"only {', '.join(sorted(SUFFIXES))} can be read, and texts compressed as {COMPRESSED}")


def _is_mrqa_header(row: object) -> bool:
    return isinstance(row, dict) and list(cast("dict[str, object]", row)) == ["header"]


def text_of(row: Row, *names: str) -> str:
    """Return the first of these fields that isn't empty, as stripped text; raise ValueError if all are."""
    text = optional(row, *names)
    if not text:
        raise ValueError(f"it has no {' or '.join(map(repr, names))}")
    return text


def optional(row: Row, *names: str) -> str:
    """Return the first of these fields that isn't empty, as stripped text, or "".

    Raises ValueError for a list or an object: leaving it out would make another question of it.
    """
    for name in names:
        value: object = row.get(name)
        if _is_missing(value):
            continue
        if isinstance(value, str | int | float):
            if str(value).strip():
                return str(value).strip()
        elif value:
            raise ValueError(f"its {name!r} is {_shape(value)}, not a text")
    return ""


def kind_of_row(row: Row, *names: str) -> str:
    """Return the first text of the first of these fields that has any, or ""."""
    for name in names:
        value: Any = row.get(name)
        values = cast("list[Any]", value) if isinstance(value, list) else [value]
        for one in values:
            if isinstance(one, str | int | float) and str(one).strip() and not _is_missing(one):
                return str(one).strip()
    return ""


def _is_missing(value: object) -> bool:
    """Return whether this is NaN, as pandas writes what is missing."""
    return isinstance(value, float) and math.isnan(value)


def _shape(value: object) -> str:
    if isinstance(value, Mapping):
        return f"an object with {', '.join(map(repr, list(cast('Mapping[str, object]', value))[:4]))}"
    return "a list" if isinstance(value, Sequence) else f"a {type(value).__name__}"


def texts_of(value: object) -> tuple[str, ...]:
    """Convert a value to texts: a list, a list written as JSON or Python in one cell, or a single text.

    Of objects their `text` is used, as in SQuAD's answers. Raises ValueError for anything but texts and numbers.
    """
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _parsed(value)
    if isinstance(value, Mapping) and "text" in value:
        return texts_of(cast("Mapping[str, object]", value)["text"])
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(as_text(element) for element in cast("Sequence[object]", value))
    if value is None:
        return ()
    return (as_text(cast("object", value)),)


def as_text(value: object) -> str:
    """Convert a text, a number or an object's `text` to stripped text; raise ValueError for anything else."""
    if isinstance(value, Mapping) and "text" in value:
        value = cast("Mapping[str, object]", value)["text"]
    if not isinstance(value, str | int | float) or _is_missing(value):
        raise ValueError(f"{json.dumps(value, default=str)[:80]} is neither a text nor a number")
    return str(value).strip()


def _parsed(cell: str) -> object:
    """Parse a list written in a cell; if it isn't one, return the cell as the only element."""
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(cell.strip())
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
    return [cell]


def _of_json(value: object) -> list[object]:
    if isinstance(value, dict):
        every = list(cast("dict[str, object]", value).values())
        lists = [cast("list[object]", inner) for inner in every if isinstance(inner, list)]
        value = lists[0] if len(lists) == 1 else None
    if not isinstance(value, list):
        raise ValueError("neither a list of rows nor an object with one list of them")  # noqa: TRY004 - the file's content is wrong
    return cast("list[object]", value)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the object of these pairs; raise ValueError for a name that occurs twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"an object has {_twice([name for name, _ in pairs])!r} twice")
    return found


def _twice(names: Sequence[str]) -> str:
    """Return the first name that occurs twice, or ""."""
    return next((name for place, name in enumerate(names) if name in names[:place]), "")


def _line(number: int, line: str) -> object:
    try:
        return json.loads(line, object_pairs_hook=_object)
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from error


def _of_table(text: str, *, delimiter: str, columns: Columns) -> Iterator[dict[str, str]]:
    csv.field_size_limit(CELL_CHARS)
    first = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), list[str]())
    names = columns(first) or None
    if names is None and _twice(first):
        raise ValueError(f"two columns are called {_twice(first)!r}")
    table = csv.DictReader(io.StringIO(text, newline=""), names, delimiter=delimiter, strict=True)
    number = 0
    try:
        for number, row in enumerate(table, start=1):
            if None in row or None in row.values():
                which = "header" if names is None else "first line"
                raise ValueError(f"row {number} has more or fewer cells than the {which}")
            yield row
    except csv.Error as error:
        raise ValueError(f"row {number + 1}: {error}") from error


def split_of(name: str) -> Split | None:
    """Return the split that a file's or folder's name contains, if any; of several the first in our order."""
    return next(iter(splits_in(name)), None)


def splits_in(name: str) -> Sequence[Split]:
    """Return all splits that a name contains; `valid_unseen` is test, as ALFWorld calls it."""
    words = set(re.split(r"[^a-z]+", name.lower()))
    if "unseen" in words:
        return (Split.TEST,)
    return [split for split, names in _WORDS.items() if names & words]


def visible(folder: Path) -> list[Path]:
    """Return what is in a folder, but for hidden entries."""
    return [entry for entry in sorted(folder.iterdir()) if not is_hidden(Path(entry.name))]


def is_hidden(path: Path) -> bool:
    """Return whether a file, or a folder that it is in, is hidden."""
    return any(part.startswith(".") for part in path.parts)


def by_ratio(items: Sequence[Item], ratio: tuple[int, int, int], *, seed: int) -> Splits:
    """Divide items by the ratio of train, val and test; equal texts stay together, each split keeps the file order.

    What is left over by the division goes to the splits with the largest remainders.
    """
    if not sum(ratio):
        raise ConfigError("env.ratio has only zeros", remedy="write it as [2, 1, 7]")
    groups: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        groups.setdefault(item.text, []).append(place)
    shuffled = list(groups.values())
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - a seeded split, not a secret
    splits: dict[Split, tuple[Item, ...]] = {}
    at = 0
    for split, count in zip(Split, _counts(len(shuffled), ratio), strict=True):
        places: list[int] = []
        for group in shuffled[at : at + count]:
            places += group
        splits[split] = tuple(items[place] for place in sorted(places))
        at += count
    return splits


def _counts(total: int, ratio: Sequence[int]) -> list[int]:
    exact = [total * part / sum(ratio) for part in ratio]
    counts = [int(share) for share in exact]
    by_remainder = sorted(range(len(ratio)), key=lambda place: (counts[place] - exact[place], place))
    for place in by_remainder[: total - sum(counts)]:
        counts[place] += 1
    return counts
