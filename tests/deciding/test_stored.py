import sqlite3
import subprocess
from contextlib import closing
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
    (aside,) = database.parent.glob("sleep.db.aside-*")
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


@pytest.mark.slow
def test_a_store_of_another_version_is_refused_its_rules_can_be_undone_and_the_sessions_read_again(
    tmp_path: Path,
) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    assert home.command("run", "--backend", "simulated").code == 0
    assert home.command("adopt", "--all").code == 0
    adopted = (home.project / "CLAUDE.md").read_bytes()
    database = tmp_path / "sleep" / "data" / "sleep.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA user_version = 11")
    before = database.read_bytes()

    for command in ("status", "run --backend simulated", "harvest", "report"):
        done = home.command(*command.split())
        assert done.code == 1, command
        assert "written by another version" in done.err
        assert "skillopt-sleep harvest --new-store" in done.err
    assert "P-0001 adopted" in home.command("undo", "--list", str(home.project / "CLAUDE.md")).out
    assert home.command("undo", "P-0001").code == 0
    assert b"pnpm" not in (home.project / "CLAUDE.md").read_bytes()
    assert database.read_bytes() == before

    anew = home.command("harvest", "--new-store")

    assert anew.code == 0
    assert "set aside" in anew.err
    (aside,) = (file for file in database.parent.glob("sleep.db.aside-*") if file.suffix not in {"-wal", "-shm"})
    assert aside.read_bytes() == before
    assert home.command("run", "--backend", "simulated").code == 0
    assert home.command("adopt", "--all").code == 0
    assert b"pnpm" in (home.project / "CLAUDE.md").read_bytes()
    assert (home.project / "CLAUDE.md").read_bytes() == adopted
    assert "stays as it is" in home.command("harvest", "--new-store").err
