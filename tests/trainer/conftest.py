"""Give each test a folder of its own to train beside: trainings in one folder share their answers."""

from pathlib import Path

import pytest


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    """Return a folder inside the usual one."""
    folder = tmp_path / "here"
    folder.mkdir()
    return folder
