"""Compare cells of workbooks by SpreadsheetBench's rules (Ma et al. 2024, https://arxiv.org/abs/2406.14991).

This file is also run as a program in a seal: a workbook that a model's program wrote is read nowhere else. Only
openpyxl is there then.
"""

import json
import re
import sys
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from typing import Any, NamedTuple

import openpyxl
from openpyxl.utils import get_column_letter, range_boundaries

_OUTSIDE_QUOTES = re.compile(r",(?=(?:[^']*'[^']*')*[^']*$)")
_FIRST_DAY = datetime(1899, 12, 30)  # noqa: DTZ001 - workbooks know no time zones
_MOST_SHOWN = 3


class Part(NamedTuple):
    """A range of cells of one sheet, "" for the first one."""

    sheet: str
    cells: str


def parts_of(position: str) -> list[Part]:
    """Return the ranges of a position such as `'Sheet1'!A1:B5,D2`; raise ValueError if it isn't one."""
    pieces = position.split(",") if position.count("'") % 2 else _OUTSIDE_QUOTES.split(position)
    parts: list[Part] = []
    for piece in filter(None, map(str.strip, pieces)):
        sheet, _, cells = piece.rpartition("!")
        cells = cells.strip().strip("'").upper()
        if not _is_range(cells):
            raise ValueError(f"{piece!r} is not a range of cells")
        parts.append(Part(sheet.strip().strip("'"), cells))
    if not parts:
        raise ValueError("it names no cells")
    return parts


def _is_range(cells: str) -> bool:
    try:
        return any(range_boundaries(cells))
    except (ValueError, TypeError):
        return False


def why_different(answer: str, output: str, position: str) -> str:
    """Say how the cells at this position of an output differ from those of the answer, without their values."""
    right = openpyxl.load_workbook(answer, data_only=True)
    given = openpyxl.load_workbook(output, data_only=True)
    written = openpyxl.load_workbook(output)
    wrong: list[str] = []
    formulas = total = 0
    for part in parts_of(position):
        sheet = part.sheet or right.sheetnames[0]
        if sheet not in given.sheetnames:
            return f"there is no sheet {sheet!r}"
        for cell in _cells(part.cells, right[sheet], given[sheet]):
            total += 1
            if not same(right[sheet][cell].value, given[sheet][cell].value):
                wrong.append(cell)
                formulas += str(written[sheet][cell].value).startswith("=")
    if not wrong:
        return ""
    shown = ", ".join(wrong[:_MOST_SHOWN]) + (" …" if len(wrong) > _MOST_SHOWN else "")
    hint = "; formulas aren't calculated: write values" if formulas else ""
    return f"{len(wrong)} of {total} cells are wrong ({shown}){hint}"


def same(first: object, second: object) -> bool:
    """Return whether two values count as equal: numbers to two places, also in texts; empty is empty."""
    one, other = _plain(first), _plain(second)
    if one in ("", None) and other in ("", None):
        return True
    return type(one) is type(other) and one == other


def _plain(value: object) -> object:
    if isinstance(value, int | float):
        return round(float(value), 2)
    if isinstance(value, time):
        return str(value)[:-3]
    if isinstance(value, datetime):
        return float(round((value - _FIRST_DAY) / timedelta(days=1)))
    if isinstance(value, str):
        try:
            return round(float(value), 2)
        except ValueError:
            return value
    return value


def _cells(cells: str, *sheets: Any) -> Iterator[str]:
    """Yield the names of the cells in a range; of whole columns or rows those that a sheet uses."""
    left, top, right, bottom = range_boundaries(cells)
    for row in range(top or 1, (bottom or max(sheet.max_row for sheet in sheets)) + 1):
        for column in range(left or 1, (right or max(sheet.max_column for sheet in sheets)) + 1):
            yield f"{get_column_letter(column)}{row}"


if __name__ == "__main__":
    print(json.dumps(why_different(*sys.argv[1:4])))  # noqa: T201 - the answer of the program
