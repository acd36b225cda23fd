"""Read the rows of a dataset file: a JSON array, JSON lines, or a table with a header."""

import ast
import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from skillopt_sleep.errors import ConfigError

SUFFIXES = frozenset({".json", ".jsonl", ".csv", ".tsv"})
# By default the csv reader refuses a cell as long as a page of text.
CELL_CHARS = 50_000_000

Row = Mapping[str, Any]


def read_rows(path: Path) -> tuple[Row, ...]:
    """Read the rows of a file (for a JSON object, its `data`); raise ConfigError naming the file and the problem."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        rows = _parse(text, path.suffix.lower())
    except RecursionError as error:
        raise ConfigError(f"{path}: it is nested too deeply", remedy="fix the file, or name another one") from error
    except (OSError, ValueError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"{path}: {reason}", remedy="fix the file, or name another one") from error
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise ConfigError(f"{path}: row {number} is not an object", remedy="write one JSON object per row")
        if "\\u" in text and _broken(cast("Row", row)):
            problem = "it holds half a surrogate pair (such as \\ud83d), which can't be sent to a model"
            raise ConfigError(f"{path}: row {number}: {problem}", remedy="write the whole character")
    return tuple(cast("list[Row]", rows))


def _parse(text: str, suffix: str) -> list[Any]:
    match suffix:
        case ".json":
            return _of_json(json.loads(text))
        case ".jsonl":
            return [_line(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        case ".csv":
            return list(_of_table(text, delimiter=","))
        case ".tsv":
            return list(_of_table(text, delimiter="\t"))
        case _:
            raise ValueError(f"only {', '.join(sorted(SUFFIXES))} can be read")


def text_of(row: Row, *names: str) -> str:
    """Return the first of these fields that isn't empty, as stripped text; raise ValueError if all are."""
    text = optional(row, *names)
    if not text:
        raise ValueError(f"it has no {' or '.join(map(repr, names))}")
    return text


def optional(row: Row, *names: str) -> str:
    """Return the first of these fields that isn't empty, as stripped text, or ""."""
    for name in names:
        value = row.get(name)
        if isinstance(value, str | int | float) and str(value).strip():
            return str(value).strip()
    return ""


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
    if not isinstance(value, str | int | float):
        raise ValueError(f"{json.dumps(value, default=str)[:80]} is neither a text nor a number")  # noqa: TRY004 - the row's value is wrong
    return str(value).strip()


def _parsed(cell: str) -> object:
    """Parse a list written in a cell; if it isn't one, return the cell as the only element."""
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(cell.strip())
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
    return [cell]


def _broken(row: Row) -> bool:
    """Return whether a text in the row can't be encoded as UTF-8."""
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _of_json(value: object) -> list[object]:
    if isinstance(value, dict):
        value = cast("dict[str, object]", value).get("data")
    if not isinstance(value, list):
        raise ValueError("neither a list of rows nor an object with a list called 'data'")  # noqa: TRY004 - the file's content is wrong
    return cast("list[object]", value)


def _line(number: int, line: str) -> object:
    try:
        return json.loads(line)
    except RecursionError as error:
        raise ValueError(f"line {number}: it is nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from error


def _of_table(text: str, *, delimiter: str) -> Iterator[dict[str, str]]:
    csv.field_size_limit(CELL_CHARS)
    for row in csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
        if None in row or None in row.values():
            raise ValueError("a row has more or fewer cells than the header")
        yield row
