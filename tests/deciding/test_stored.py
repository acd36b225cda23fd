import subprocess
from pathlib import Path

import pytest

from tests.command import PROGRAM, Home
from tests.sweeps import thinned

READING = ("status", "report", "show", "history", "cost", "logs", "doctor", "tasks list", "status --json", "")


@pytest.mark.parametrize("command", thinned(READING, every=2))
def test_a_command_that_reads_creates_nothing(tmp_path: Path, command: str) -> None:
    nowhere = {**Home(tmp_path).environment, "HOME": str(tmp_path / "nobody"), "SKILLOPT_SLEEP_HOME": ""}
    before = sorted(tmp_path.rglob("*"))
    done = subprocess.run(
        [str(PROGRAM), *command.split()], env=nowhere, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "a bug" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.slow
def test_a_corrupt_store_is_set_aside_by_a_night_which_spends_nothing_unasked(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    database = tmp_path / "sleep" / "data" / "sleep.db"
    database.parent.mkdir(parents=True)
    database.write_bytes(b"this is no database, it only has its name" * 100)
    for command in ("status", "harvest"):
        done = home.command(command)
        assert done.code == 1
        assert "is corrupt" in done.err
        assert "restore it from a backup" in done.err
    assert [file.name for file in database.parent.glob("sleep.db*")] == ["sleep.db"]

    stopped = home.command("run", "--backend", "simulated")

    assert stopped.code == 1
    assert "set aside" in stopped.err
    assert "run again" in stopped.err
    (aside,) = database.parent.glob("sleep.db.corrupt-*")
    assert aside.read_bytes().startswith(b"this is no database")
    assert home.command("status").err == ""
    assert home.command("run", "--backend", "simulated").code == 0


@pytest.mark.slow
def test_a_store_that_cannot_grow_is_no_bug_of_ours(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert home.command("harvest").code == 0
    home.had_sessions()

    limited = ["sh", "-c", 'ulimit -f 64; exec "$0" "$@"', str(PROGRAM), "harvest"]
    done = subprocess.run(limited, env=home.environment, cwd=home.folder, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "can't write to the store" in done.stderr
    assert "free disk space" in done.stderr
    assert home.command("harvest", "--json").json["sessions"]
