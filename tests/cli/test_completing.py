import os
import subprocess
from pathlib import Path

import pytest

from tests.command import PROGRAM, Home


def completed(home: Home, *words: str) -> list[str]:
    environment = {
        **home.environment,
        "_SKILLOPT_SLEEP_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["skillopt-sleep", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run([str(PROGRAM)], capture_output=True, text=True, env=environment, check=False, timeout=60)
    assert "Traceback" not in done.stderr
    return done.stdout.split()


@pytest.mark.slow
def test_commands_proposals_nights_and_settings_are_completed(home: Home) -> None:
    night = home.command("report", "--json").json["night"]
    assert "status" in completed(home, "sta")
    for command in ("review", "adopt", "reject", "undo"):
        assert completed(home, command, "P-") == ["P-0001"]
    assert completed(home, "report", "20") == [night]
    assert completed(home, "config", "get", "budget.ca") == ["budget.calls"]


def test_completing_creates_nothing(tmp_path: Path) -> None:
    assert completed(Home(tmp_path), "review", "P") == []
    assert not (tmp_path / "sleep").exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_shown(tmp_path: Path, shell: str) -> None:
    environment = {**Home(tmp_path).environment, "_SKILLOPT_SLEEP_COMPLETE": f"source_{shell}", "SHELL": shell}
    done = subprocess.run([str(PROGRAM)], capture_output=True, text=True, env=environment, check=False, timeout=60)
    assert "skillopt-sleep" in done.stdout
    assert os.linesep in done.stdout
