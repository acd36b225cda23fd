"""Repositories as they were, and commands tried in copies of them."""

from datetime import timedelta
from pathlib import Path

from skillopt_sleep.records import NoCommand, NoWorkspace, Workspace
from skillopt_sleep.replay.workshop import SealedWorkshop
from skillopt_sleep.replay.workspaces import Bases
from tests.fakes import NOON
from tests.replay.plain_seal import PlainSeal
from tests.replay.test_calibrate import PROJECT, RIGHT, UNITTEST
from tests.replay.workspaces.repositories import commit, repository


def workshop(folder: Path, *, seal: PlainSeal | None) -> SealedWorkshop:
    return SealedWorkshop(lambda: (seal, "no seal holds"), Bases(folder / "b", layers=False), folder / "b")


def test_a_command_is_tried_on_what_was_committed_after_the_session(tmp_path: Path) -> None:
    start = Workspace(root=str(tmp_path / "shop"), commit=repository(tmp_path / "shop", dict(PROJECT)))
    later = (NOON + timedelta(hours=1)).isoformat()
    end = commit(tmp_path / "shop", {"money.py": RIGHT}, GIT_COMMITTER_DATE=later)
    seal = PlainSeal()
    command, calibration = workshop(tmp_path, seal=seal).calibrated(UNITTEST, start, NOON)
    assert command == UNITTEST
    assert calibration.end is not None
    assert calibration.end.commit == end
    count = len(seal.ran)
    workshop(tmp_path, seal=seal).calibrated(UNITTEST, start, NOON)
    assert len(seal.ran) == count


def test_without_a_seal_nothing_is_run(tmp_path: Path) -> None:
    start = Workspace(root=str(tmp_path / "shop"), commit=repository(tmp_path / "shop", dict(PROJECT)))
    shop = workshop(tmp_path, seal=None)
    assert shop.why_not == "no seal holds"
    calibration = shop.calibrated(UNITTEST, start, NOON)[1]
    assert (calibration.refused, calibration.because) == (NoCommand.NO_SEAL, "no seal holds")


def test_files_that_cannot_be_had_say_why(tmp_path: Path) -> None:
    commit_name = repository(tmp_path / "shop", dict(PROJECT))
    shop = workshop(tmp_path, seal=PlainSeal())
    tree = shop.files(Workspace(root=str(tmp_path / "shop"), commit=commit_name))
    assert isinstance(tree, Path)
    assert (tree / "money.py").is_file()
    assert shop.files(Workspace(root=str(tmp_path / "gone"), commit=commit_name)) is NoWorkspace.GONE
    assert shop.files(Workspace(root=str(tmp_path / "shop"), commit="0" * 40)) is NoWorkspace.NO_COMMIT
