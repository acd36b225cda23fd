"""What doctor says of our files and folders, on a machine in a folder."""

import os
import shlex
import subprocess

import pytest

from skillopt_sleep.doctor.findings import Topic
from tests.doctor.machine import SIMULATED, Machine


def test_what_others_may_read_is_a_problem_with_the_command_that_mends_it(machine: Machine) -> None:
    machine.configured(SIMULATED)
    machine.paths.config.chmod(0o755)
    machine.paths.config_file.chmod(0o644)
    (wrong,) = machine.problems()
    command = shlex.split(wrong.remedy)
    assert command[:2] == ["chmod", "go-rwx"]
    subprocess.run(command, check=True)
    assert machine.problems() == []


def test_a_file_where_a_folder_should_be_is_a_problem(machine: Machine) -> None:
    machine.configured(SIMULATED)
    machine.paths.data.write_text("", encoding="utf-8")
    machine.paths.data.chmod(0o600)
    assert [(wrong.topic, wrong.says) for wrong in machine.problems(Topic.PATHS)] == [
        (Topic.PATHS, f"{machine.paths.data} isn't a folder")
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_a_problem(machine: Machine) -> None:
    machine.configured(SIMULATED)
    machine.paths.config.chmod(0o500)
    assert "can't be read and written" in machine.problems()[0].says
