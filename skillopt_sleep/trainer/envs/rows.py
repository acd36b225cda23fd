"""The files that datasets come in: rows of a JSON array, of JSON lines, or of a table with a header."""

import ast
import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from skillopt_sleep.errors import ConfigError

SUFFIXES = frozenset({".json", ".jsonl", ".csv", ".tsv"})
# A page of text in one cell is more than the reader takes by itself.
CELL_CHARS = 50_000_000

Row = Mapping[str, Any]


def read_rows(path: Path) -> tuple[Row, ...]:
    """The rows of a file, those of an object being its `data`; ConfigError names the file and what can't be read."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        match path.suffix.lower():
            case ".json":
                rows = _of_json(json.loads(text))
            case ".jsonl":
                rows = [_line(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
            case ".csv" | ".tsv":
                rows = list(_of_table(text, delimiter="," if path.suffix.lower() == ".csv" else "\t"))
            case _:
                raise ValueError(f"only {', '.join(sorted(SUFFIXES))} can be read")  # noqa: TRY301 - told with the path
    except RecursionError as error:
        raise ConfigError(f"{path}: it is nested too deeply", remedy="mend the file, or name another one") from error
    except (OSError, ValueError, csv.Error) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise ConfigError(f"{path}: {said}", remedy="mend the file, or name another one") from error
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise ConfigError(f"{path}: row {number} is not an object", remedy="write one JSON object a row")
        if "\\u" in text and _broken(cast("Row", row)):
            said = "it holds half a surrogate pair (such as \\ud83d), which no model can be sent"
            raise ConfigError(f"{path}: row {number}: {said}", remedy="write the whole character")
    return tuple(cast("list[Row]", rows))


def text_of(row: Row, *names: str) -> str:
    """The first of these fields that says something, as text without space around it; ValueError where none does."""
    found = optional(row, *names)
    if not found:
        raise ValueError(f"it has no {' or '.join(repr(name) for name in names)}")
    return found


def optional(row: Row, *names: str) -> str:
    """The first of these fields that says something, as text without space around it, or ""."""
    for name in names:
        value = row.get(name)
        if isinstance(value, str | int | float) and str(value).strip():
            return str(value).strip()
    return ""


def texts_of(value: object) -> tuple[str, ...]:
    """A list of texts, however it was written: a list, one as JSON or Python writes it in a cell, or one text.

    Of objects their `text` counts, as in SQuAD's answers; ValueError where something is neither text nor number.
    """
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _written(value)
    if isinstance(value, Mapping) and "text" in value:
        return texts_of(cast("Mapping[str, object]", value)["text"])
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(as_text(one) for one in cast("Sequence[object]", value))
    return () if value is None else (as_text(cast("object", value)),)


def as_text(value: object) -> str:
    """A text, a number or an object's `text`, without space around it; ValueError for anything else."""
    if isinstance(value, Mapping) and "text" in value:
        value = cast("Mapping[str, object]", value)["text"]
    if not isinstance(value, str | int | float):
        raise ValueError(f"{json.dumps(value, default=str)[:80]} is neither a text nor a number")  # noqa: TRY004 - of the row
    return str(value).strip()


def _written(cell: str) -> object:
    for read in (json.loads, ast.literal_eval):
        try:
            return read(cell.strip())
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
    return [cell]


def _broken(row: Row) -> bool:
    """Whether a text in it can't be written as UTF-8."""
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _of_json(value: object) -> list[object]:
    if isinstance(value, dict):
        value = cast("dict[str, object]", value).get("data")
    if not isinstance(value, list):
        raise ValueError("neither a list of rows nor an object with a list called 'data'")  # noqa: TRY004 - of the file
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
