"""A command of a project's own, run on a copy."""

import gc
from pathlib import Path

import pytest

from skillopt_sleep.protocols.sealing import Bounds
from skillopt_sleep.records import Command, CommandRun, Workspace
from skillopt_sleep.replay.checking import MOST_OUTPUT, CheckRuns, end_of
from skillopt_sleep.replay.workspaces import Bases
from tests.replay.plain_seal import PlainSeal
from tests.replay.workspaces.repositories import repository

SHOW = "import os, pathlib\nprint(sorted(os.environ), os.environ['HOME'], pathlib.Path.cwd().name)\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    files = {"show.py": SHOW, "sub/show.py": SHOW, "slow.py": "import time; time.sleep(30)\n"}
    return Workspace(root=str(tmp_path / "shop"), commit=repository(tmp_path / "shop", dict(files)))


def checked(folder: Path, workspace: Workspace, command: Command, *, seconds: float = 60) -> CommandRun:
    runs = CheckRuns(PlainSeal(), Bases(folder / "b", layers=False), folder / "b", bounds=Bounds(seconds=seconds))
    return runs.on(command, workspace)[0]


def test_it_runs_in_its_folder_with_an_environment_of_its_own(tmp_path: Path, workspace: Workspace) -> None:
    run = checked(tmp_path, workspace, Command(argv=("python3", "show.py"), folder="sub"))
    assert (run.text, run.status) == ("python3 show.py", 0)
    assert run.output.strip().endswith(" sub")
    assert "'PATH'" in run.output
    assert "KEY" not in run.output
    assert str(Path.home()) not in run.output.split("]")[1]


def test_nothing_of_it_is_left(tmp_path: Path, workspace: Workspace) -> None:
    checked(tmp_path, workspace, Command(argv=("touch", "made")))
    gc.collect()
    assert list((tmp_path / "b").iterdir()) == []


def test_a_command_that_had_to_be_ended_has_no_status(tmp_path: Path, workspace: Workspace) -> None:
    assert checked(tmp_path, workspace, Command(argv=("python3", "slow.py")), seconds=0.3).status is None


def test_given_tests_come_from_the_state_that_they_were_calibrated_with(tmp_path: Path, workspace: Workspace) -> None:
    given = Command(argv=("cat", "test_new.py"), given=("test_new.py", "gone.py"), given_from=workspace)
    assert checked(tmp_path, workspace, given).status == 1
    other = Workspace(root=str(tmp_path / "other"), commit=repository(tmp_path / "other", {"test_new.py": "new\n"}))
    given = Command(argv=("cat", "test_new.py"), given=("test_new.py",), given_from=other)
    assert checked(tmp_path, workspace, given).output == "new\n"


def test_what_is_kept_of_the_output_is_its_end_redacted_and_harmless() -> None:
    key = "sk-ant-api03-" + "Ab3" * 30
    assert end_of("\x1b[31mred\x07") == "[31mred"
    assert key not in end_of(f"token {key}")
    long = end_of("x" * 100_000 + "\n3 passed")
    assert len(long) <= MOST_OUTPUT
    assert long.endswith("3 passed")
