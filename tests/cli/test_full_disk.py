"""On a disk that is really full every command says so and what to do, and goes on when there is room."""

from pathlib import Path

import pytest

from tests.command import Home
from tests.disks import fill, small_disk
from tests.sweeps import thinned

COMMANDS = (
    ("harvest",),
    ("run", "--backend", "simulated"),
    ("run", "--backend", "handoff"),
)


@pytest.mark.parametrize("kib", thinned([16, 32, 64, 128, 256, 512], every=3))
@pytest.mark.slow
def test_a_night_without_room_for_its_store_says_that_the_disk_is_full(tmp_path: Path, kib: int) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    with small_disk(tmp_path / "sleep", kib=kib):
        done = home.command("run", "--backend", "simulated")
    assert done.code == 1
    assert "full" in done.err
    assert "  → " in done.err
    assert "a bug" not in done.err
    assert "is writable" not in done.err
    assert home.command("run", "--backend", "simulated").code == 0


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_on_a_disk_that_filled_up_says_so(tmp_path: Path, command: tuple[str, ...]) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    with small_disk(tmp_path / "sleep", kib=256) as disk:
        fill(disk)
        done = home.command(*command)
    assert done.code == 1
    assert "full" in done.err
    assert "  → " in done.err
    assert "a bug" not in done.err


def test_doctor_on_a_full_disk_names_it_first(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with small_disk(tmp_path / "sleep", kib=256) as disk:
        fill(disk)
        done = home.command("doctor")
    assert done.code == 1
    assert "only 0 MiB are free" in " ".join(done.out.split())
