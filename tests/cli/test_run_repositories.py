"""Whole nights over real repositories: what the genuine agents learn there by working, and by what it was decided."""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.replay.seals import SEALS, chosen
from tests.cli.corrected import Keeper, Lesson, Shopkeeper, Teacher, failing_test, forgotten_linter, generated_files
from tests.genuine import Programs
from tests.runners import GO, PYTHON, RUST, SCRIPT, Runner, installed_beside, toolchain_variables
from tests.server import ModelServer
from tests.sessions import Exchange

MODELS = {"claude": "claude-sonnet-5", "codex": "gpt-5.5"}


class Kept(Shopkeeper):
    """A shopkeeper whose night has the machine's toolchains, whatever HOME is."""

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | toolchain_variables()

    def fingerprint(self) -> dict[str, str]:
        """What every file, link and folder of the home is, but for our own folder."""
        found: dict[str, str] = {}
        for at, folders, files in os.walk(self.folder):
            if Path(at) == self.folder:
                folders[:] = [name for name in folders if name != "sleep"]
            for path in (Path(at, name) for name in (*folders, *files)):
                found[str(path)] = _hash(path)
        return found


def _hash(path: Path) -> str:
    if path.is_symlink():
        return f"link to {path.readlink()}"
    if path.is_dir():
        return f"folder {path.stat().st_mode:o}"
    return f"{path.stat().st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"


def night(
    folder: Path, program: Path, runner: Runner, lesson: Lesson, days: Sequence[Sequence[Exchange]]
) -> tuple[Kept, dict[str, Any], Path]:
    """A night in which the agent does again what the person asked on these days: its answer, and its folder."""
    if runner.missing:
        pytest.skip(f"{runner.missing} is not installed")
    probes = folder / "probes"
    probes.mkdir()
    if chosen(SEALS, probes).seal is None:
        pytest.skip("nothing can be sealed here")
    with ModelServer() as server:
        server.model = Teacher(lesson)
        server.acts = Keeper(lesson)
        address = server.root_url if program.name == "claude" else server.base_url
        home = Kept(folder / "home", program=program, address=address, model=MODELS[program.name])
        home.opened(runner)
        home.had_trouble(runner, lesson.asks, days)
        installed_beside(home.project, runner)
        before = home.fingerprint()
        done = home.night(server.base_url)
        assert done.code == 0, f"{done.err}\n{done.out}"
        assert home.fingerprint() == before
    (made,) = (home.folder / "sleep" / "data" / "nights").iterdir()
    return home, done.json, made


@pytest.mark.cli
@pytest.mark.parametrize(("name", "runner"), [("claude", PYTHON), ("codex", PYTHON), ("codex", RUST)])
def test_fixing_what_fails_is_learned_by_the_projects_own_command(
    tmp_path: Path, programs: Programs, name: str, runner: Runner
) -> None:
    lesson, days = failing_test(runner)
    home, answer, folder = night(tmp_path, getattr(programs, name), runner, lesson, days)
    report = json.loads((folder / "report.json").read_text())
    assert answer["verdict"] == "improved", json.dumps(report, indent=1)
    (proposal,) = answer["proposals"]
    assert lesson.rule in home.command("show", proposal["id"], "--verbose").out
    assert report["calibrations"]["commands"] == len(lesson.asks)


@pytest.mark.cli
@pytest.mark.parametrize("name", ["claude", "codex"])
def test_to_leave_generated_files_alone_is_learned_by_what_was_changed(
    tmp_path: Path, programs: Programs, name: str
) -> None:
    lesson, days = generated_files(SCRIPT)
    home, answer, folder = night(tmp_path, getattr(programs, name), SCRIPT, lesson, days)
    report = json.loads((folder / "report.json").read_text())
    assert answer["verdict"] == "improved", json.dumps(report, indent=1)
    (proposal,) = answer["proposals"]
    assert lesson.rule in home.command("show", proposal["id"], "--verbose").out
    assert report["calibrations"]["checks"] == len(lesson.asks)


@pytest.mark.cli
@pytest.mark.parametrize("name", ["claude", "codex"])
def test_to_run_the_linter_is_learned_by_what_was_run(tmp_path: Path, programs: Programs, name: str) -> None:
    lesson, days = forgotten_linter(GO)
    home, answer, folder = night(tmp_path, getattr(programs, name), GO, lesson, days)
    report = json.loads((folder / "report.json").read_text())
    assert answer["verdict"] == "improved", json.dumps(report, indent=1)
    (proposal,) = answer["proposals"]
    assert lesson.rule in home.command("show", proposal["id"], "--verbose").out
    assert report["calibrations"]["checks"] == len(lesson.asks)
