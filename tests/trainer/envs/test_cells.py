from datetime import datetime, time
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from skillopt_sleep.trainer.envs.cells import Part, parts_of, same, why_different


def book(path: Path, rows: list[list[Any]], title: str = "Sheet1") -> str:
    made = openpyxl.Workbook()
    sheet: Any = made.active
    sheet.title = title
    for row in rows:
        sheet.append(row)
    made.save(path)
    return str(path)


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        (1, 1.004, True),
        (1, 1.01, False),
        ("2.5", 2.5, True),
        ("", None, True),
        (None, 0, False),
        ("a", "A", False),
        ("1,000", 1000, False),
        (datetime(2026, 1, 2, 3), 46024.0, True),  # noqa: DTZ001 - as workbooks have it
        (time(8, 30, 1), time(8, 30, 59), True),
        (time(8, 30), time(8, 31), False),
        (True, 1, True),
    ],
)
def test_values_are_compared_as_spreadsheetbench_does(first: object, second: object, *, equal: bool) -> None:
    assert same(first, second) is equal
    assert same(second, first) is equal


@pytest.mark.parametrize(
    ("position", "parts"),
    [
        ("H3", [Part("", "H3")]),
        ("A1:B5,D2", [Part("", "A1:B5"), Part("", "D2")]),
        ("'Sheet1'!A1:B5", [Part("Sheet1", "A1:B5")]),
        ("'a, b'!A1,'c'!b2:c3", [Part("a, b", "A1"), Part("c", "B2:C3")]),
        ("'Sheet1'!'A1:B5'", [Part("Sheet1", "A1:B5")]),
        ("Sheet1'!A1:B5", [Part("Sheet1", "A1:B5")]),
        ("C:C", [Part("", "C:C")]),
    ],
)
def test_a_position_is_ranges_of_sheets(position: str, parts: list[Part]) -> None:
    assert parts_of(position) == parts


@pytest.mark.parametrize("position", ["", " , ", "somewhere", "'Sheet1'!", "5A"])
def test_what_is_no_position_is_refused(position: str) -> None:
    with pytest.raises(ValueError, match=r"no cells|not a range"):
        parts_of(position)


def test_only_the_cells_of_the_answer_count_and_their_values_are_not_told(tmp_path: Path) -> None:
    answer = book(tmp_path / "a.xlsx", [["n", 1], ["zebra", 2], ["x", 3]])
    output = book(tmp_path / "o.xlsx", [["other", 1], ["y", 2], ["x", "=1+2"]])
    assert why_different(answer, output, "B1:B2") == ""
    assert why_different(answer, output, "A2:A3") == "1 of 2 cells are wrong (A2)"
    assert (
        why_different(answer, output, "B3") == "1 of 1 cells are wrong (B3); formulas aren't calculated: write values"
    )
    assert "zebra" not in why_different(answer, output, "A1:B3")


def test_a_whole_column_is_as_long_as_either_sheet_uses_it(tmp_path: Path) -> None:
    answer = book(tmp_path / "a.xlsx", [[1], [2]])
    longer = book(tmp_path / "o.xlsx", [[1], [2], [3]])
    assert why_different(answer, answer, "A:A") == ""
    assert why_different(answer, longer, "A:A") == "1 of 3 cells are wrong (A3)"


def test_a_sheet_that_is_missing_is_named(tmp_path: Path) -> None:
    answer = book(tmp_path / "a.xlsx", [[1]], title="Sums")
    output = book(tmp_path / "o.xlsx", [[1]])
    assert why_different(answer, output, "A1") == "there is no sheet 'Sums'"
    assert why_different(answer, answer, "A1") == ""
