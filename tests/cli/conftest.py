"""Fixtures of the tests of commands."""

from pathlib import Path

import pytest

from tests.command import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A person's home after one night with the simulated model."""
    home = Home(tmp_path)
    home.had_sessions()
    home.command("run", "--now", "--backend", "simulated")
    return home
