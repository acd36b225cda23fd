import os
import sys
from pathlib import Path

from skillopt_sleep.daemon.service.machine import NOT_FOUND, this_machine
from tests.installs import machine, program


def test_programs_are_those_of_the_path(tmp_path: Path) -> None:
    there = machine(tmp_path)
    assert not there.has("mine")
    assert there.run("mine").status == NOT_FOUND
    program(tmp_path, "mine", '#!/bin/sh\npwd -P; echo "$1" >&2; exit 3\n')
    assert there.has("mine")
    ran = there.run("mine", "x")
    assert (ran.status, ran.stdout, ran.stderr) == (3, b"%s\n" % os.fsencode(tmp_path.resolve()), b"x\n")
    assert there.run("mine", folder=tmp_path / "bin").stdout.endswith(b"/bin\n")


def test_this_machine_is_known_by_its_environment(tmp_path: Path) -> None:
    there = this_machine({"HOME": str(tmp_path), "SKILLOPT_SLEEP_HOME": str(tmp_path / "s")})
    assert there.home == tmp_path
    assert there.paths.config == tmp_path / "s"
    assert (there.platform, there.python) == (sys.platform, str(Path(sys.executable).absolute()))
