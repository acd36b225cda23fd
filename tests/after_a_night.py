"""A home after one night, for tests of what a person does with it."""

import shutil
from pathlib import Path

import pytest

from tests.command import Home


@pytest.fixture(scope="session")
def after_a_night(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, Path]:
    """A person's home after one night with the simulated model, and a copy of everything in it."""
    home = Home(tmp_path_factory.mktemp("home") / "ada")
    home.had_sessions()
    assert home.command("run", "--backend", "simulated").code == 0
    kept = tmp_path_factory.mktemp("kept") / "ada"
    shutil.copytree(home.folder, kept, symlinks=True)
    return home, kept


@pytest.fixture
def home(after_a_night: tuple[Home, Path]) -> Home:
    """That home as it was after the night, whatever the last test did to it."""
    home, kept = after_a_night
    shutil.rmtree(home.folder)
    shutil.copytree(kept, home.folder, symlinks=True)
    return home
