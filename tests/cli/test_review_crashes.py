"""A review that is killed before any of its changes tears, loses and blocks nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.walked import editor, with_three_rules
from tests.command import Home
from tests.sweeps import WHOLE, thinned


@pytest.mark.slow
@pytest.mark.parametrize("every", thinned((37, 9) if WHOLE else (37,), every=2))
def test_a_review_that_is_killed_tears_loses_and_blocks_nothing(home: Home, tmp_path: Path, every: int) -> None:
    with_three_rules(home)
    environment = home.environment | editor(home, "- Be brief, always.") | {"COLUMNS": "100", "TERM": "dumb"}
    program = Path(__file__).with_name("review_crashes.py")
    done = subprocess.run(
        [sys.executable, str(program), str(home.folder), str(every)],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "torn 0, lost 0, stuck 0" in done.stdout
