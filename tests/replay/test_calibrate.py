"""Commands are tried on real repositories before a task counts on them."""

from pathlib import Path

import pytest

from skillopt_sleep.protocols.sealing import Bounds, Seal
from skillopt_sleep.records import Calibration, Command, NoCommand, Workspace
from skillopt_sleep.replay.checking import CheckRuns
from skillopt_sleep.replay.workshop import CalibrationFiles, calibrate
from skillopt_sleep.replay.workspaces import Bases
from tests.replay.plain_seal import PlainSeal
from tests.replay.workspaces.repositories import commit, repository

UNITTEST = Command(argv=("python3", "-m", "unittest", "tests.test_money"))
WRONG = "def add(a, b):\n    return a - b\n"
RIGHT = "def add(a, b):\n    return a + b\n"
TEST = """\
import unittest
from money import add
class Adds(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 2), 4)
"""
PROJECT = {"money.py": WRONG, "tests/__init__.py": "", "tests/test_money.py": TEST, "other.py": "x = 0\n"}
MAKEFILE = "lint:\n\t@! grep TODO notes.txt\n"


class Place:
    """A repository and what is made of it."""

    def __init__(self, folder: Path, seal: Seal, seconds: float = 60) -> None:
        self.folder = folder
        self.root = folder / "shop"
        bounds = Bounds(seconds=seconds, cpu_seconds=60)
        self.runs = CheckRuns(seal, Bases(folder / "bases", layers=False), folder / "bases", bounds=bounds)
        self.ends: tuple[Workspace, ...] = ()
        self.start = Workspace(root=str(self.root), commit="")

    def begins(self, files: dict[str, str]) -> None:
        self.start = Workspace(root=str(self.root), commit=repository(self.root, dict(files)))

    def ends_with(self, files: dict[str, str]) -> None:
        self.ends = (*self.ends, Workspace(root=str(self.root), commit=commit(self.root, dict(files))))

    def calibrated(
        self, command: Command, *, whole: Command | None = None, kept: CalibrationFiles | None = None
    ) -> tuple[Command, Calibration]:
        return calibrate(command, self.start, self.ends, self.runs, whole=whole, kept=kept)

    def refused(self, command: Command, *, whole: Command | None = None) -> NoCommand | None:
        return self.calibrated(command, whole=whole)[1].refused


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, PlainSeal())


def test_a_command_that_fails_before_and_passes_after_is_calibrated(place: Place) -> None:
    place.begins(PROJECT)
    place.ends_with({"money.py": RIGHT})
    command, calibration = place.calibrated(UNITTEST)
    assert command == UNITTEST
    assert calibration.refused is None
    assert calibration.end == place.ends[0]


def test_the_first_end_state_with_which_it_passes_is_taken(place: Place) -> None:
    place.begins(PROJECT)
    place.ends_with({"other.py": "x = 2\n"})
    place.ends_with({"money.py": RIGHT})
    assert place.calibrated(UNITTEST)[1].end == place.ends[1]


def test_a_linter_of_a_makefile_is_calibrated_as_well(place: Place) -> None:
    place.begins({"Makefile": MAKEFILE, "notes.txt": "TODO\n"})
    place.ends_with({"notes.txt": "done\n"})
    assert place.refused(Command(argv=("make", "lint"))) is None


def test_a_command_that_passes_although_nothing_was_done_is_refused(place: Place) -> None:
    place.begins(PROJECT | {"money.py": RIGHT})
    place.ends_with({"other.py": "x = 2\n"})
    assert place.refused(UNITTEST) is NoCommand.ALWAYS_GREEN


def test_a_command_that_fails_at_the_end_is_refused_with_the_last_line_it_printed(place: Place) -> None:
    place.begins(PROJECT)
    place.ends_with({"other.py": "x = 2\n"})
    calibration = place.calibrated(UNITTEST)[1]
    assert (calibration.refused, calibration.because) == (NoCommand.END_STATE_RED, "FAILED (failures=1)")


@pytest.mark.parametrize("argv", [("no-such-program",), ("python3", "-m", "no_such_module")])
def test_a_command_that_is_not_there_is_refused(place: Place, argv: tuple[str, ...]) -> None:
    place.begins(PROJECT)
    place.ends_with({"money.py": RIGHT})
    assert place.refused(Command(argv=argv)) is NoCommand.NOT_RUN


def test_without_an_end_state_nothing_can_be_told(place: Place) -> None:
    place.begins(PROJECT)
    assert place.refused(UNITTEST) is NoCommand.NO_END_STATE
    gone = Workspace(root=str(place.root), commit="0" * 40)
    assert calibrate(UNITTEST, place.start, (gone,), place.runs)[1].refused is NoCommand.NO_END_STATE


def test_a_command_that_answers_otherwise_the_second_time_is_refused(place: Place) -> None:
    # It counts its runs in a file beside the copies: it fails, passes, and then fails no more.
    count = place.folder / "count"
    script = f"""\
import pathlib, sys
path = pathlib.Path({str(count)!r})
path.write_text((path.read_text() if path.exists() else "") + ".")
sys.exit(len(path.read_text()) == 1)
"""
    place.begins({"flip.py": script})
    place.ends_with({"other.py": "x = 2\n"})
    assert place.refused(Command(argv=("python3", "flip.py"))) is NoCommand.FLAKY


def test_other_tests_that_fail_at_the_end_refuse_a_narrowed_command(place: Place) -> None:
    counts = "import other\nprint(f'{2 - other.x} passed, {other.x} failed')\n"
    place.begins(PROJECT | {"counts.py": counts})
    place.ends_with({"money.py": RIGHT, "other.py": "x = 1\n"})
    whole = Command(argv=("python3", "counts.py"))
    assert place.refused(UNITTEST, whole=whole) is NoCommand.BREAKS_OTHERS
    assert place.refused(UNITTEST) is None


def test_a_command_that_takes_too_long_is_refused(tmp_path: Path) -> None:
    place = Place(tmp_path, PlainSeal(), seconds=0.3)
    place.begins({"slow.py": "import time; time.sleep(30)\n"})
    place.ends_with({"slow.py": "pass\n"})
    assert place.refused(Command(argv=("python3", "slow.py"))) is NoCommand.TOO_SLOW


def test_tests_that_the_session_wrote_are_put_there_for_the_check(place: Place) -> None:
    place.begins({"money.py": WRONG, "tests/__init__.py": ""})
    place.ends_with({"money.py": RIGHT, "tests/test_money.py": TEST})
    given = Command(argv=UNITTEST.argv, given=("tests/test_money.py",))
    command, calibration = place.calibrated(given)
    assert calibration.refused is None
    assert command.given_from == place.ends[0]
    checked, _ = place.runs.on(command, place.start)
    assert checked.status == 1
    assert "FAILED (failures=1)" in checked.output


def test_a_later_night_runs_nothing_again(place: Place) -> None:
    seal = PlainSeal()
    place.runs = CheckRuns(seal, place.runs.bases, place.folder / "bases")
    place.begins(PROJECT)
    place.ends_with({"money.py": RIGHT})
    kept = CalibrationFiles(place.folder / "kept")
    first = place.calibrated(UNITTEST, kept=kept)
    count = len(seal.ran)
    assert count == 4
    assert place.calibrated(UNITTEST, kept=kept) == first
    assert len(seal.ran) == count
    place.ends_with({"other.py": "x = 3\n"})
    place.calibrated(UNITTEST, kept=kept)
    assert len(seal.ran) > count


def test_what_time_may_mend_is_not_kept(place: Place) -> None:
    kept = CalibrationFiles(place.folder / "kept")
    place.begins(PROJECT)
    assert place.calibrated(UNITTEST, kept=kept)[1].refused is NoCommand.NO_END_STATE
    place.ends_with({"money.py": RIGHT})
    assert place.calibrated(Command(argv=("gone",)), kept=kept)[1].refused is NoCommand.NOT_RUN
    assert not (place.folder / "kept").exists()
