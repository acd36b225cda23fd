"""A night that waits for answers names the command that goes on with it, and that command does."""

import os
import pwd
import re
import subprocess
import sys
from pathlib import Path

import pytest

from skillopt_sleep.cli.continued import NightOptions, command_of
from tests.command import Home
from tests.sweeps import thinned

GO_ON = re.compile(r"go on: (.+)$", re.MULTILINE)


class Elsewhere(Home):
    """A person whose store lies where a shell needs quotes."""

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {
            "SKILLOPT_SLEEP_HOME": str(self.folder / "a store; of mine"),
            "SKILLOPT_SLEEP_BUDGET_CALLS": "250",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }

    def types(self, line: str) -> "subprocess.CompletedProcess[str]":
        """Run a line in a shell that knows nothing but the usual programs, from another folder."""
        bare = {"PATH": os.defpath, "SKILLOPT_SLEEP_NOTIFY_WHEN": "never"}
        return subprocess.run(
            ["sh", "-c", line], env=bare, cwd="/", capture_output=True, text=True, check=False, timeout=120
        )


class AtHome(Elsewhere):
    """A person whose store lies where it usually does, in a home of their own."""

    @property
    def environment(self) -> dict[str, str]:
        environ = super().environment
        del environ["SKILLOPT_SLEEP_HOME"]
        return environ


@pytest.mark.parametrize(
    "more",
    thinned([("--project", "work/shop-api", "--model", "me & you", "--fresh"), (), ("--json",)], every=3),
)
@pytest.mark.slow
def test_the_command_that_is_named_goes_on_with_the_night_from_anywhere(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    home = Elsewhere(tmp_path)
    home.had_sessions()
    done = home.command("run", "--backend", "handoff", *more)
    assert done.code == 7
    (line,) = GO_ON.findall(done.err)
    folder = tmp_path / "a store; of mine" / "data"
    assert line in (folder / "handoff" / "README.md").read_text(encoding="utf-8")
    laid_out = sorted(path.name for path in (folder / "handoff" / "open").iterdir())

    again = home.types(line)

    assert (again.returncode, GO_ON.findall(again.stderr)) == (7, [line])
    assert sorted(path.name for path in (folder / "handoff" / "open").iterdir()) == laid_out
    assert [night.name for night in (folder / "nights").iterdir()] == home.command("status", "--json").json[
        "unfinished"
    ]
    assert again.stdout == done.out


@pytest.mark.slow
def test_a_store_at_its_usual_place_is_found_from_anywhere_by_the_home_alone(tmp_path: Path) -> None:
    home = AtHome(tmp_path)
    home.had_sessions()
    done = home.command("run", "--backend", "handoff")
    (line,) = GO_ON.findall(done.err)
    assert line.startswith(f"HOME={tmp_path} SKILLOPT_SLEEP_BUDGET_CALLS=250 {Path(sys.executable).parent}/")
    again = home.types(line)
    assert (again.returncode, GO_ON.findall(again.stderr)) == (7, [line])


def test_what_is_as_usual_is_no_part_of_the_command_and_whom_the_night_tells_neither() -> None:
    environ = {
        "SKILLOPT_SLEEP_NOTIFY_URLS": "slack://me",
        "SKILLOPT_SLEEP_HOME": "",
        "CLAUDE_CONFIG_DIR": "/home/dev/.claude",
        "XDG_DATA_HOME": "/home/dev/.local/share",
        "CODEX_HOME": "/c",
        "HOME": "/home/dev",
        "PATH": "",
    }
    usual = {"HOME": pwd.getpwuid(os.getuid()).pw_dir, "PATH": ""}
    program = f"{sys.executable} -P -m skillopt_sleep"
    assert command_of(NightOptions(fresh=True, as_json=True), usual) == f"{program} run --fresh --json"
    assert command_of(NightOptions(), environ) == f"CODEX_HOME=/c HOME=/home/dev {program} run"
