"""Runs of PyPI's skillrl on the toy world, as processes of its own environment.

The environment variable SKILLRL_PYTHON names a Python that has skillrl==1.0.0; without it pip installs it into a folder
of its own.
"""

import json
import os
import subprocess
import venv
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

PEER = "skillrl==1.0.0"
SCRIPT = Path(__file__).parent / "peer_trainer.py"
KILLED = 9


class Called(NamedTuple):
    """One answered call: kind, round of merges, when, for how long; of an attempt its item and the skill's rules."""

    kind: str
    level: int
    begun: float
    seconds: float
    item: str = ""
    rules: tuple[str, ...] = ()


class PeerRun(NamedTuple):
    """What came of one run, and every call that was answered for it."""

    wall: float
    summary: Mapping[str, Any]
    history: Sequence[Mapping[str, Any]]
    best: tuple[str, ...]
    calls: tuple[Called, ...]

    @property
    def kinds(self) -> Counter[str]:
        """How many calls of which kind were answered."""
        return Counter(call.kind for call in self.calls)


def peer_python(home: Path) -> Path:
    """A Python that has the peer: the one that is named, or a new one below this folder."""
    named = os.environ.get("SKILLRL_PYTHON")
    if named:
        return Path(named)
    python = home / "skillrl" / "bin" / "python"
    if not python.exists():
        venv.create(home / "skillrl", with_pip=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PEER]
        subprocess.run(install, check=True, capture_output=True)
    return python


def peer_runs(python: Path, runs: Sequence[Mapping[str, Any]], home: Path) -> list[PeerRun]:
    """These runs in one process; a run that is to be killed ends the process, and has no result."""
    home.mkdir(parents=True, exist_ok=True)
    job = home / "runs.json"
    job.write_text(json.dumps(list(runs)), encoding="utf-8")
    done = subprocess.run([str(python), str(SCRIPT), str(job)], capture_output=True, text=True, check=False)
    if done.returncode not in {0, KILLED}:
        raise RuntimeError(f"{PEER} failed:\n{done.stderr}")
    results = [json.loads(line) for line in done.stdout.splitlines()]
    return [
        PeerRun(
            result["wall"],
            result["summary"],
            result["history"],
            tuple(result["best"]),
            calls_of(Path(run["folder"])),
        )
        for run, result in zip(runs, results, strict=False)
    ]


def calls_of(folder: Path) -> tuple[Called, ...]:
    """Every call that was answered for the run in this folder, by all its lives."""
    file = folder / "calls.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    rows = [json.loads(line) for line in lines]
    return tuple(Called(**row | {"rules": tuple(row.get("rules", ()))}) for row in rows)
