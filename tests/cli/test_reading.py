"""Commands that only read: they write nothing, and a reader that stops early is no trouble."""

import subprocess
from pathlib import Path

import pytest

from tests.command import PROGRAM, Home


@pytest.mark.parametrize(
    "arguments",
    [
        ("undo",),
        ("undo", "--redo"),
        ("undo", "P-0001", "--dry-run"),
        ("adopt", "P-0001", "--dry-run"),
        ("undo", "--list", "CLAUDE.md"),
        ("purge", "--text", "pnpm", "--dry-run"),
        ("harvest", "--why", "nothing"),
    ],
)
def test_on_a_fresh_home_they_write_nothing(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    home = Home(tmp_path / "ada")
    done = home.command(*arguments)
    assert done.code in {0, 2}, done.err
    assert list((home.folder / "sleep").rglob("*.db*")) == []


def test_a_reader_that_stops_early_is_no_trouble(home: Home) -> None:
    process = subprocess.Popen(
        [str(PROGRAM), "report", "--verbose"],
        env=home.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (1, "")


def test_a_place_is_named_in_full_and_nothing_stands_below_nothing(tmp_path: Path) -> None:
    home = Home(tmp_path / "ada")
    assert f"No trainings in {home.folder}" in home.command("train", "list").out
    assert "what came of it" not in home.command("report", "--list").out
