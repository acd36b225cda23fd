"""Fixtures of the tests of the dashboard: a home after a night, and the dashboard over it."""

from collections.abc import Generator
from pathlib import Path
from shutil import copytree

import pytest

from tests.command import Home
from tests.web.dashboard import Dashboard, entered


@pytest.fixture(scope="session")
def slept(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home after one night with the simulated model, for tests that change nothing in it."""
    home = Home(tmp_path_factory.mktemp("web") / "ada")
    home.had_sessions()
    assert home.command("run", "--backend", "simulated").code == 0
    return home


@pytest.fixture(scope="session")
def dashboard(slept: Home) -> Generator[Dashboard]:
    """The dashboard of that home, already entered, for tests that change nothing."""
    with entered(slept) as dashboard:
        yield dashboard


@pytest.fixture
def home_after(slept: Home, tmp_path: Path) -> Home:
    """A copy of the home after a night, for a test that changes something in it; its documents are elsewhere."""
    copied = tmp_path / "ada"
    copytree(slept.folder, copied, symlinks=True, ignore=lambda *_: ["work"])
    return Home(copied)
