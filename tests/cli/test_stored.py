import subprocess
from pathlib import Path

from tests.command import PROGRAM, Home


def test_a_corrupt_store_is_set_aside_with_a_clear_line(tmp_path: Path) -> None:
    home = Home(tmp_path)
    database = tmp_path / "sleep" / "data" / "sleep.db"
    database.parent.mkdir(parents=True)
    database.write_bytes(b"this is no database, it only has its name" * 100)
    done = home.command("status")
    assert done.code == 0
    assert "is corrupt" in done.err
    assert "set aside" in done.err
    (aside,) = database.parent.glob("sleep.db.corrupt-*")
    assert aside.read_bytes().startswith(b"this is no database")
    assert home.command("status").err == ""


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
