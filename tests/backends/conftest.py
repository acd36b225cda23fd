from pathlib import Path

import pytest

from tests.backends.stand_ins import DIALECTS, User


@pytest.fixture(params=DIALECTS)
def user(request: pytest.FixtureRequest, tmp_path: Path) -> User:
    """Someone who has this agent."""
    return User(tmp_path, request.param)
