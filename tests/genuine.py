"""The genuine agent programs, for the tests marked `cli`.

They are installed once from the npm registry, at the versions below, into a folder that all later test runs share.
SKILLOPT_SLEEP_TEST_PROGRAMS names a folder in which they are installed already.
"""

import os
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.npm import has, installed

CLAUDE = "2.1.332"
CODEX = "0.171.0"
READY = "SKILLOPT_SLEEP_TEST_PROGRAMS"

_PACKAGES = {"@anthropic-ai/claude-code": CLAUDE, "@openai/codex": CODEX}


class Programs(NamedTuple):
    """Where the programs are."""

    claude: Path
    codex: Path


@pytest.fixture(scope="session")
def programs() -> Programs:
    """Both programs; a test that wants them is skipped where there is no npm or no registry."""
    if named := os.environ.get(READY):
        folder = Path(named)
        if not has(folder, _PACKAGES):
            pytest.fail(f"{READY}: {folder} has not claude {CLAUDE} and codex {CODEX} in its node_modules")
        return _programs(folder)
    return _programs(installed(f"{CLAUDE}-{CODEX}", _PACKAGES))


def _programs(folder: Path) -> Programs:
    where = str(folder / "node_modules" / ".bin")
    claude, codex = (shutil.which(name, path=where) for name in ("claude", "codex"))
    assert claude, f"{where} has no claude"
    assert codex, f"{where} has no codex"
    return Programs(Path(claude), Path(codex))
