"""What doctor says of the commands of our name in PATH."""

import os
import sys
from pathlib import Path

from skillopt_sleep.doctor.findings import FindingState
from skillopt_sleep.doctor.folders import look_at_installs
from tests.doctor.machine import script


def test_our_own_command_behind_a_link_is_fine(tmp_path: Path) -> None:
    ours = script(tmp_path / "venv" / "skillopt-sleep", "")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "skillopt-sleep").symlink_to(ours)
    path = os.pathsep.join([str(tmp_path / "bin"), "", str(ours.parent)])
    (found,) = look_at_installs(path, scripts=(str(ours.parent),))
    assert found.state is FindingState.FINE
    assert str(tmp_path / "bin" / "skillopt-sleep") in found.says


def test_another_command_of_our_name_is_a_problem_with_both_paths(tmp_path: Path) -> None:
    ours = script(tmp_path / "ours" / "skillopt-sleep", "")
    other = script(tmp_path / "other" / "skillopt-sleep", "")
    for folders, first in (((other, ours), other), ((ours, other), ours)):
        path = os.pathsep.join(str(command.parent) for command in folders)
        (found,) = look_at_installs(path, scripts=(str(ours.parent),))
        assert found.state is FindingState.PROBLEM
        assert str(other) in found.says
        assert str(ours) in found.says + found.remedy
        assert f"a shell runs{' ours,' if first == ours else ''} {first}" in found.says


def test_a_lone_command_that_is_not_ours_is_a_problem(tmp_path: Path) -> None:
    other = script(tmp_path / "other" / "skillopt-sleep", "")
    (found,) = look_at_installs(str(other.parent), scripts=(str(tmp_path / "none"),))
    assert found.state is FindingState.PROBLEM
    assert "-m skillopt_sleep" in found.remedy


def test_the_command_of_this_environment_is_taken_for_ours() -> None:
    (found,) = look_at_installs(str(Path(sys.executable).parent))
    assert found.state is FindingState.FINE
