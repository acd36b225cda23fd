"""The forwarder runs with no more of our Python than what is said to be read."""

import subprocess
from pathlib import Path, PurePosixPath

import pytest

from skillopt_sleep.agents.sealed.forwarding import MARK, behind_forwarder, forwarder_reads
from tests.agents.bwrap import PROGRAM


def test_the_program_gets_its_port_where_the_mark_stands() -> None:
    argv = behind_forwarder(["/bin/echo", f"http://127.0.0.1:{MARK}/v1", "as it is"], PurePosixPath("/run/x.sock"))
    ran = subprocess.run(argv, capture_output=True, text=True, timeout=30, check=True)
    address, _, rest = ran.stdout.strip().partition(" ")
    assert address.removeprefix("http://127.0.0.1:").removesuffix("/v1").isdecimal()
    assert rest == "as it is"


@pytest.mark.skipif(PROGRAM is None, reason="bubblewrap is not installed")
def test_nothing_else_of_the_machine_is_needed(tmp_path: Path) -> None:
    assert PROGRAM
    binds = [word for path in forwarder_reads() for word in ("--ro-bind", str(path), str(path))]
    system = ["--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib"]
    system += ["--symlink", "usr/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev"]
    argv = behind_forwarder(["/bin/echo", "ran"], PurePosixPath("/run/x.sock"))
    command = [PROGRAM, "--unshare-all", "--clearenv", *system, *binds, *argv]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (ran.returncode, ran.stdout) == (0, "ran\n"), ran.stderr
