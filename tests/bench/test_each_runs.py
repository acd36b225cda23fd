"""Every benchmark that AGENTS.md names runs, in its reduced form, without the peers that are installed for it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench.reduced import NAME

ROOT = Path(__file__).parents[2]
SAID = (ROOT / "AGENTS.md").read_text(encoding="utf-8").partition("has a benchmark: `make bench NAME=")[2]
NAMES = re.findall(r"\w+", SAID.partition(".")[0])
SECONDS = 300
# What the corpora, of which the reduced form takes some cases, must show even then.
FIGURES = {
    "abuse": {
        "guard_passed": 0,
        "false_refusals": 0,
        "unwarned": 0,
        "miner_kept": 0,
        "miner_turned": 0,
        "miner_lost": 0,
    }
    | {"repos_stopped": 0, "repos_harmed": 0},
    "gate": {"false_accept": 0, "harmful_accept": 0},
    "lessons": {"for_once_kept": 0, "taken_back_alive": 0, "injections": 0},
    "mining": {"foreign_text": 0, "injected": 0, "secrets_bare": 1, "secrets_carried": 1},
    "redact": {"secrets_bare": 1, "secrets_carried": 1},
}


def test_agents_md_names_every_benchmark() -> None:
    files = (ROOT / "bench").glob("*.py")
    assert set(NAMES) == {path.stem for path in files if f"`make bench NAME={path.stem}" in path.read_text("utf-8")}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_runs_and_ends_with_its_figures(name: str, tmp_path: Path) -> None:
    environ = {**os.environ, NAME: "1", "HOME": str(tmp_path)}
    program = [sys.executable, "-m", f"bench.{name}"]
    done = subprocess.run(
        program, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if "no seal" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    assert figures
    wanted = FIGURES.get(name, {})
    assert {figure: figures[figure] for figure in wanted} == wanted
