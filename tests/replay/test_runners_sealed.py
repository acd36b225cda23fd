"""The genuine runners of four languages run in a seal without network, and are calibrated there."""

from pathlib import Path

import pytest

from skillopt_sleep.protocols.sealing import Seal
from skillopt_sleep.records import Command, NoCommand
from skillopt_sleep.replay.seals import SEALS, chosen
from tests.replay.test_calibrate import Place
from tests.runners import PYTHON, RUNNERS, RUST, SCRIPT, Runner, installed_beside

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def seal(tmp_path_factory: pytest.TempPathFactory) -> Seal:
    found = chosen(SEALS, tmp_path_factory.mktemp("probes")).seal
    if found is None:
        pytest.skip("nothing can be sealed here")
    return found


def ended(folder: Path, seal: Seal, runner: Runner, *, wrong: int = 0) -> Place:
    """A repository in which the test of one fruit failed, and so many fail now, with what its runner needs beside."""
    if runner.missing:
        pytest.skip(f"{runner.missing} is not installed")
    place = Place(folder, seal)
    place.begins({**runner.files, **runner.tested(2), runner.source: runner.prices(2, wrong=1)})
    place.ends_with({runner.source: runner.prices(2, wrong=wrong)})
    installed_beside(place.root, runner)
    return place


@pytest.mark.parametrize("runner", RUNNERS, ids=lambda runner: runner.name)
def test_a_test_command_is_calibrated_with_the_genuine_runner(tmp_path: Path, seal: Seal, runner: Runner) -> None:
    place = ended(tmp_path, seal, runner)
    _, calibration = place.calibrated(Command(argv=tuple(runner.command.split())))
    assert (calibration.refused, calibration.because) == (None, "")
    assert calibration.end == place.ends[0]


@pytest.mark.parametrize("runner", [SCRIPT, RUST], ids=lambda runner: runner.name)
def test_an_end_state_in_which_the_genuine_runner_fails_is_refused(
    tmp_path: Path, seal: Seal, runner: Runner
) -> None:
    place = ended(tmp_path, seal, runner, wrong=2)
    _, calibration = place.calibrated(Command(argv=tuple(runner.command.split())))
    assert calibration.refused is NoCommand.END_STATE_RED, calibration


@pytest.mark.parametrize("runner", [PYTHON, RUST], ids=lambda runner: runner.name)
def test_what_lies_beside_the_files_is_not_written_to(tmp_path: Path, seal: Seal, runner: Runner) -> None:
    place = ended(tmp_path, seal, runner)
    beside = place.root / (".venv" if runner is PYTHON else "target")
    before = sorted((str(path), path.lstat().st_mtime_ns) for path in beside.rglob("*"))
    place.calibrated(Command(argv=tuple(runner.command.split())))
    assert sorted((str(path), path.lstat().st_mtime_ns) for path in beside.rglob("*")) == before
