"""Workbooks to be changed by a program, compared cell by cell; reads SpreadsheetBench's own files."""

import hashlib
import importlib
import json
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from zipfile import BadZipFile

from skillopt_sleep.errors import ConfigError, ItemError
from skillopt_sleep.kit.extras import command_for
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.dataset import ask
from skillopt_sleep.trainer.envs.datasets import AtLeastOne, DataEnv
from skillopt_sleep.trainer.envs.programs import (
    MOST_SAID,
    NO_PROGRAM,
    Ended,
    of_several,
    program_of,
    run_sealed,
    usual_seal,
    why_failed,
)
from skillopt_sleep.trainer.envs.reading import Row, optional, text_of

FORM = """\
Think as long as you need to. Then give one Python program in a code block between ``` and ```. It reads `input.xlsx`,
does what is asked, and saves the workbook as `output.xlsx`. It runs on several workbooks of the same form, with
openpyxl and Python's own library only. Write values, not formulas: they aren't calculated."""
INPUT, OUTPUT, ANSWER, PROGRAM, COMPARE = "input.xlsx", "output.xlsx", "answer.xlsx", "program.py", "compare.py"
# How the workbooks of a case are named: those of the whole benchmark, and those of its verified part.
NAMES = (("input", "answer"), ("init", "golden"))


class Case(NamedTuple):
    """The workbooks of one case, as paths below the folder of the data, and a digest of both."""

    given: str
    right: str
    digest: str


class Spreadsheets(DataEnv, frozen=True, kw_only=True, dict=True):
    """Rows with `instruction`, `spreadsheet_path` and `answer_position`, as in SpreadsheetBench.

    The target writes one program, which is run on the workbooks of each case, each time for at most so many `seconds`
    of a processor. It is shown the first `rows` rows and `columns` columns of each sheet.
    """

    name: ClassVar[str] = "spreadsheets"

    seconds: AtLeastOne = 30
    rows: AtLeastOne = 8
    columns: AtLeastOne = 20

    @property
    def beside(self) -> Collection[str]:
        """Return the folder of the workbooks."""
        return ("spreadsheet",)

    def read(self, path: Path) -> Sequence[Item]:
        """Read the tasks of one file; raise ConfigError also if they couldn't be run and compared here."""
        try:
            importlib.import_module("openpyxl")
        except ImportError as error:
            remedy = f"install it: {command_for('envs')}"
            raise ConfigError("reading workbooks needs openpyxl", remedy=remedy) from error
        usual_seal()
        return super().read(path)

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """Ask for one program; soft is the share of cases that it gets right, hard is 1 if that is all.

        Raises ItemError if it couldn't be run, or an answer of the data can't be read.
        """
        reply = ask(target, item.text, skill=skill, form=FORM, sample=sample)
        program = program_of(reply)
        if not program.strip():
            return Result(response=reply, why=NO_PROGRAM)
        cases = [Case(*case) for case in item.data["cases"]]
        faults = [self._fault(program, case, item.data["position"]) for case in cases]
        right = faults.count("")
        why = ""
        if right < len(cases):
            first = next(filter(None, faults))
            why = first if len(cases) == 1 else f"{first}; {right} of {len(cases)} workbooks are right"
            why += of_several(reply)
        return Result(hard=float(right == len(cases)), soft=right / len(cases), response=reply, why=why)

    def _fault(self, program: str, case: Case, position: str) -> str:
        """Run the program on one workbook and compare what it saved; return what is wrong with it, or ""."""
        given = (self._folder / case.given).read_bytes()
        ended = self._run(PROGRAM, {PROGRAM: program, INPUT: given})
        if ended.status != 0:
            return why_failed(ended)
        if ended.file is None:
            return f"it saved no {OUTPUT}, or one that is too large"
        right = (self._folder / case.right).read_bytes()
        compared = self._compared(right, ended.file, position)
        if compared.status == 0:
            return str(json.loads(compared.stdout))
        if self._compared(right, right, position).status != 0:
            raise ItemError(f"{case.right} can't be compared: {compared.printed[-MOST_SAID:]}")
        return f"the {OUTPUT} that it saved can't be read"

    def _compared(self, right: bytes, output: bytes, position: str) -> Ended:
        """Compare two workbooks in the seal, as one of them was written by the model's program."""
        comparing = Path(__file__).with_name("cells.py").read_bytes()
        return self._run(COMPARE, {COMPARE: comparing, ANSWER: right, OUTPUT: output}, ANSWER, OUTPUT, position)

    def _run(self, program: str, files: Mapping[str, bytes | str], *words: str) -> Ended:
        return run_sealed(
            ["python3", program, *words],
            files,
            seconds=self.seconds,
            wanted=OUTPUT,
            packages=("openpyxl", "et_xmlfile"),
        )

    @property
    def _folder(self) -> Path:
        return self.place if self.place.is_dir() else self.place.parent

    def item(self, row: Row, name: str, path: Path) -> Item:
        """Return a task with its workbooks."""
        from skillopt_sleep.trainer.envs.cells import parts_of

        position = text_of(row, "answer_position")
        sheet = optional(row, "answer_sheet")
        if sheet and "!" not in position:
            position = ",".join(f"'{sheet}'!{part.cells}" for part in parts_of(position))
        parts_of(position)
        cases = list(self._cases(path.parent / text_of(row, "spreadsheet_path")))
        shown = preview(self._folder / cases[0].given, rows=self.rows, columns=self.columns)
        return Item(
            id=optional(row, "id") or name,
            text=f"{text_of(row, 'instruction')}\n\nThe result belongs at {position}.\n\n{shown}",
            kind=optional(row, "instruction_type"),
            data={"position": position, "cases": [list(case) for case in cases]},
        )

    def _cases(self, folder: Path) -> Iterator[Case]:
        """Yield the cases in a folder in order of their names; raise ValueError if there is none, or one is half."""
        found = False
        for given, right in NAMES:
            for path in sorted(folder.glob(f"*_{given}.xlsx")):
                answer = path.with_name(path.name.replace(f"_{given}.xlsx", f"_{right}.xlsx"))
                if not answer.is_file():
                    raise ValueError(f"{path} has no {answer.name} beside it")
                digest = hashlib.blake2b(path.read_bytes() + answer.read_bytes(), digest_size=8).hexdigest()
                found = True
                yield Case(str(path.relative_to(self._folder)), str(answer.relative_to(self._folder)), digest)
        if not found:
            raise ValueError(f"there are no workbooks such as 1_…_input.xlsx in {folder}")


def preview(path: Path, *, rows: int, columns: int) -> str:
    """Show the first rows of each sheet of a workbook as JSON, one a line; raise ValueError if it can't be read."""
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        with warnings.catch_warnings(action="ignore"):  # of what openpyxl doesn't keep, such as charts
            book: Any = openpyxl.load_workbook(path, data_only=True)
    except (OSError, ValueError, KeyError, BadZipFile, InvalidFileException) as error:
        raise ValueError(f"{path} can't be read: {error}") from error
    lines: list[str] = []
    for sheet in book.worksheets:
        lines.append(f"Sheet {sheet.title!r}, used {sheet.dimensions}:")
        last_row, last_column = min(rows, sheet.max_row), min(columns, sheet.max_column)
        for row in sheet.iter_rows(max_row=last_row, max_col=last_column, values_only=True):
            lines.append(json.dumps(row, default=str, ensure_ascii=False))
    return "\n".join(lines)
