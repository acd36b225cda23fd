import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from skillopt_sleep.errors import ConfigError, ItemError
from skillopt_sleep.records import Purpose, Split
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.spreadsheets import Spreadsheets, preview
from tests.fakes import FakeBackend
from tests.sealing import seal_or_skip

pytestmark = pytest.mark.seal

DOUBLED = """
import openpyxl
book = openpyxl.load_workbook("input.xlsx")
sheet = book.active
for row in range(1, 3):
    sheet.cell(row, 2).value = VALUE
book.save("output.xlsx")
"""


def book(path: Path, rows: list[list[Any]]) -> None:
    made = openpyxl.Workbook()
    sheet: Any = made.active
    for row in rows:
        sheet.append(row)
    path.parent.mkdir(parents=True, exist_ok=True)
    made.save(path)


def dataset(folder: Path, names: tuple[str, str] = ("input", "answer"), **changed: Any) -> Path:
    """Lay out one task for train and one for val, of two cases each: column B is twice column A."""
    for split in ("train", "val"):
        for case in (1, 2):
            values = [case, 10 * case]
            place = folder / "spreadsheet" / split
            book(place / f"{case}_{split}_{names[0]}.xlsx", [[value] for value in values])
            book(place / f"{case}_{split}_{names[1]}.xlsx", [[value, 2 * value] for value in values])
        row = {
            "id": split,
            "instruction": "Double it.",
            "spreadsheet_path": f"spreadsheet/{split}",
            "instruction_type": "Cell-Level Manipulation",
            "answer_position": "B1:B2",
        }
        (folder / f"{split}.json").write_text(json.dumps([row | changed]), encoding="utf-8")
    return folder


def item_of(folder: Path) -> Item:
    seal_or_skip()
    return Spreadsheets(path=str(folder)).items(Split.TRAIN)[0]


def answered(folder: Path, item: Item, program: str) -> Result:
    target = FakeBackend({Purpose.ROLLOUT: f"So:\n```python\n{program}\n```"})
    return Spreadsheets(path=str(folder)).rollout_one(item, "", target, sample=0)


@pytest.mark.parametrize("names", [("input", "answer"), ("init", "golden")])
@pytest.mark.slow
def test_a_program_is_run_on_every_workbook_and_its_cells_are_compared(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    item = item_of(dataset(tmp_path, names))
    assert (item.id, item.kind, len(item.data["cases"])) == ("train", "Cell-Level Manipulation", 2)
    right = answered(tmp_path, item, DOUBLED.replace("VALUE", "2 * sheet.cell(row, 1).value"))
    assert (right.hard, right.soft, right.why) == (1, 1, "")
    fixed = answered(tmp_path, item, DOUBLED.replace("VALUE", "{1: 2, 2: 20}[row]"))
    assert (fixed.hard, fixed.soft) == (0, 0.5)
    assert fixed.why == "2 of 2 cells are wrong (B1, B2); 1 of 2 workbooks are right"
    formula = answered(tmp_path, item, DOUBLED.replace("VALUE", "f'=2*A{row}'"))
    assert "write values" in formula.why


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("nothing()", "it failed with NameError: name 'nothing' is not defined"),
        ("assert False", "an assertion failed"),
        ("raise SystemExit(3)", "it ended with status 3"),
        ("x = 1", "it saved no output.xlsx"),
        ("open('output.xlsx', 'w').write('no workbook')", "the output.xlsx that it saved can't be read"),
        ("import os; os.symlink('/etc/passwd', 'output.xlsx')", "it saved no output.xlsx"),
    ],
)
def test_a_program_that_saves_no_workbook_is_wrong_and_told_why(tmp_path: Path, program: str, why: str) -> None:
    result = answered(tmp_path, item_of(dataset(tmp_path)), program)
    assert (result.hard, result.soft) == (0, 0)
    assert why in result.why


def test_the_answer_is_not_there_when_the_program_runs(tmp_path: Path) -> None:
    program = "import os\nraise ValueError(sorted(os.listdir()))"
    why = answered(tmp_path, item_of(dataset(tmp_path)), program).why
    assert "input.xlsx" in why
    assert "answer" not in why


def test_an_answer_of_the_data_that_can_not_be_read_is_no_fault_of_the_program(tmp_path: Path) -> None:
    item = item_of(dataset(tmp_path))
    (tmp_path / "spreadsheet" / "train" / "1_train_answer.xlsx").write_text("broken", encoding="utf-8")
    with pytest.raises(ItemError, match="1_train_answer"):
        answered(tmp_path, item, DOUBLED.replace("VALUE", "1"))


def test_another_workbook_is_another_dataset(tmp_path: Path) -> None:
    before = item_of(dataset(tmp_path))
    book(tmp_path / "spreadsheet" / "train" / "1_train_answer.xlsx", [[1, 3]])
    assert item_of(tmp_path).data != before.data


def test_the_target_is_shown_the_sheets_and_where_the_result_belongs(tmp_path: Path) -> None:
    item = item_of(dataset(tmp_path, answer_sheet="Sheet"))
    assert item.text == (
        "Double it.\n\nThe result belongs at 'Sheet'!B1:B2.\n\nSheet 'Sheet', used A1:A2:\n[1]\n[10]"
    )


def test_of_a_large_sheet_the_first_cells_are_shown(tmp_path: Path) -> None:
    book(tmp_path / "x.xlsx", [[row * 100 + column for column in range(9)] for row in range(9)])
    assert preview(tmp_path / "x.xlsx", rows=2, columns=3) == "Sheet 'Sheet', used A1:I9:\n[0, 1, 2]\n[100, 101, 102]"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"answer_position": "somewhere"}, "not a range of cells"),
        ({"spreadsheet_path": "spreadsheet/gone"}, "no workbooks such as"),
        ({"instruction": ""}, "'instruction'"),
    ],
)
def test_a_row_that_can_not_be_used_is_refused_by_name(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=rf"train\.json: row 1: .*{said}"):
        item_of(dataset(tmp_path, **changed))


def test_a_workbook_without_its_answer_or_that_is_none_is_refused_by_name(tmp_path: Path) -> None:
    dataset(tmp_path)
    (tmp_path / "spreadsheet" / "train" / "2_train_answer.xlsx").unlink()
    with pytest.raises(ConfigError, match=r"has no 2_train_answer\.xlsx beside it"):
        item_of(tmp_path)
    dataset(tmp_path)
    (tmp_path / "spreadsheet" / "train" / "1_train_input.xlsx").write_text("broken", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"1_train_input\.xlsx can't be read"):
        item_of(tmp_path)


def test_without_the_library_the_command_that_installs_it_is_named() -> None:
    script = (
        "import sys\nsys.modules['openpyxl'] = None\n"
        "from pathlib import Path\nfrom skillopt_sleep.errors import ConfigError\n"
        "from skillopt_sleep.trainer.envs.spreadsheets import Spreadsheets\n"
        "try:\n    Spreadsheets().read(Path('x.json'))\n"
        "except ConfigError as error:\n    print(error.message, error.remedy)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert "openpyxl" in done.stdout
    assert "pip install" in done.stdout
