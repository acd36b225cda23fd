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
import string
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.extras import command_for
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.env import Item, kind_of

PARQUET = ".parquet"
COMPRESSED = ".gz"
SUFFIXES = frozenset({".json", ".jsonl", ".csv", ".tsv", PARQUET})
READABLE = f"{', '.join(sorted(SUFFIXES))}, and texts compressed as {COMPRESSED}"
SAVED = ("dataset_dict.json", "state.json")  # what save_to_disk writes into a folder
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)  # the time a task was written must not change the dataset
# By default the csv reader refuses a cell as long as a page of text.
CELL_CHARS = 50_000_000
_WORDS = {
    Split.TRAIN: frozenset({"train", "training"}),
    Split.VAL: frozenset({"val", "valid", "validation", "dev", "selection"}),
    Split.TEST: frozenset({"test"}),
}
LABELS = string.ascii_uppercase
FEWEST = 2
# The columns of a table of MMLU's, which has no header.
QUESTION, ANSWER = "question", "answer"
Splits = Mapping[Split, tuple[Item, ...]]
Row = Mapping[str, Any]


def form_of(path: Path) -> str:
    """Return the suffix that says how a file is written: for `x.jsonl.gz` it is `.jsonl`."""
    return Path(path.name.lower().removesuffix(COMPRESSED)).suffix


def read_rows(path: Path) -> Sequence[Row]:
    """Read the rows of a file, for a JSON object those of its only list; ConfigError names file and problem."""
    if form_of(path) == PARQUET:
        tables = from_library(path, lambda _: importlib.import_module("pyarrow.parquet").read_table(path).to_pylist())
        return tuple(tables[""])
    try:
        data = path.read_bytes()
        text = _decoded(gzip.decompress(data) if path.name.lower().endswith(COMPRESSED) else data)
        rows = _parse(text, form_of(path))
    except (OSError, ValueError, RecursionError, EOFError, csv.Error, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"{path}: {reason}", remedy="fix the file, or name another one") from error
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise ConfigError(f"{path}: row {number} is not an object", remedy="write one JSON object per row")
    return tuple(cast("list[Row]", rows))


def from_library(what: object, load: Callable[[Any], Any]) -> Mapping[str, Sequence[Row]]:
    """Return the rows that the library `datasets` loads, by the names of their splits, "" if there are none.

    Raises ConfigError if the library isn't installed or can't read this.
    """
    try:
        library = importlib.import_module("datasets")
    except ImportError as error:
        raise ConfigError("reading this needs the library datasets", remedy=command_for("envs")) from error
    try:
        found = load(library)
        return {name: list(rows) for name, rows in found.items()} if hasattr(found, "items") else {"": list(found)}
    except (OSError, ValueError, RuntimeError, KeyError, EOFError) as error:
        problem = str(error).partition("\n")[0]
        raise ConfigError(f"{what}: {problem}", remedy="check the name, or download it again") from error


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ValueError(f"line {line} is not UTF-8: {error.reason}") from error


def _parse(text: str, form: str) -> Sequence[object]:
    match form:
        case ".json":
            return _only_list(_from_json(text))
        case ".jsonl":
            return [_line(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        case ".csv":
            head = text.partition("\n")[0]
            return list(_table(text, delimiter=";" if head.count(";") > head.count(",") else ","))
        case ".tsv":
            return list(_table(text, delimiter="\t"))
        case _:
            raise ValueError(f"only {READABLE} can be read")


def _from_json(text: str) -> object:
    """Parse JSON, with NaN, which Python writes for what is missing, as null."""
    return json.loads(text, parse_constant=lambda _: None)


def _line(number: int, line: str) -> object:
    try:
        return _from_json(line)
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from error


def _only_list(value: object) -> Sequence[object]:
    if isinstance(value, dict):
        every = list(cast("dict[str, object]", value).values())
        lists = [cast("object", inner) for inner in every if isinstance(inner, list)]
        value = lists[0] if len(lists) == 1 else None
    if not isinstance(value, list):
        raise ValueError("neither a list of rows nor an object with one list of them")  # noqa: TRY004 - the file's content is wrong
    return cast("list[object]", value)


def _table(text: str, *, delimiter: str) -> Iterator[dict[str, str]]:
    csv.field_size_limit(CELL_CHARS)
    first = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), list[str]())
    names = mmlu_columns(first) or None
    twice = [name for name in first if first.count(name) > 1]
    if twice and not names:
        raise ValueError(f"two columns are called {twice[0]!r}")
    number = 0
    try:
        table = csv.DictReader(io.StringIO(text, newline=""), names, delimiter=delimiter, strict=True)
        for number, row in enumerate(table, start=1):
            if None in row or None in row.values():
                raise ValueError(f"row {number} has more or fewer cells than the first line")
            yield row
    except csv.Error as error:
        raise ValueError(f"row {number + 1}: {error}") from error


def mmlu_columns(first: Sequence[str]) -> Sequence[str]:
    """Return the names of the columns if this first line of a table is a question, its choices and a letter.

    MMLU's tables have no header.
    """
    labels = LABELS[: max(len(first) - 2, 0)]
    is_header = any(cell.strip().lower() in {QUESTION, ANSWER} for cell in first)
    if is_header or len(labels) < FEWEST or first[-1].strip().upper() not in set(labels):
        return ()
    return (QUESTION, *labels, ANSWER)


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
        text = _plain(value)
        if text:
            return text
        if text is None and value:
            raise ValueError(f"its {name!r} is {kind_of(value)}, not a text")
    return ""


def kind_of_row(row: Row, *names: str) -> str:
    """Return the first text of the first of these fields that has any, or ""."""
    for name in names:
        value: Any = row.get(name)
        for one in cast("list[Any]", value) if isinstance(value, list) else [value]:
            if text := _plain(one):
                return text
    return ""


def _plain(value: object) -> str | None:
    """Return a text or a number as stripped text, "" for NaN, None for anything else."""
    if not isinstance(value, str | int | float):
        return None
    return "" if isinstance(value, float) and math.isnan(value) else str(value).strip()


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
    return () if value is None else (as_text(cast("object", value)),)


def as_text(value: object) -> str:
    """Convert a text, a number or an object's `text` to stripped text; raise ValueError for anything else."""
    if isinstance(value, Mapping) and "text" in value:
        value = cast("Mapping[str, object]", value)["text"]
    text = _plain(cast("object", value))
    if text is None or (not text and isinstance(value, float)):
        raise ValueError(f"{json.dumps(value, default=str)[:80]} is neither a text nor a number")
    return text


def _parsed(cell: str) -> object:
    """Parse a list written in a cell; if it isn't one, return the cell as the only element."""
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(cell.strip())
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
    return [cell]


def split_of(name: str) -> Split | None:
    """Return the split that a name contains as a word, None if none or several; ALFWorld's `valid_unseen` is test."""
    words = set(re.split(r"[^a-z]+", name.lower()))
    if "unseen" in words:
        return Split.TEST
    found = [split for split, names in _WORDS.items() if names & words]
    return found[0] if len(found) == 1 else None


def by_ratio(items: Sequence[Item], ratio: tuple[int, int, int], *, seed: int) -> Splits:
    """Divide items by the ratio of train, val and test; equal texts stay together, splits keep the file order."""
    if not sum(ratio):
        raise ConfigError("env.ratio has only zeros", remedy="write it as [2, 1, 7]")
    groups: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        groups.setdefault(item.text, []).append(place)
    shuffled = list(groups.values())
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - a seeded split, not a secret
    ends = [math.floor(len(shuffled) * sum(ratio[:part]) / sum(ratio) + 0.5) for part in range(len(ratio) + 1)]
    splits: dict[Split, tuple[Item, ...]] = {}
    for split, (start, end) in zip(Split, pairwise(ends), strict=True):
        places = sorted(place for group in shuffled[start:end] for place in group)
        splits[split] = tuple(items[place] for place in places)
    return splits
