from pathlib import Path

from tests.command import Home


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
