"""Whole nights over real repositories: what the genuine agents learn there by working, and by what it was decided."""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from skillopt_sleep.replay.seals import SEALS, chosen
from tests.cli.corrected import (
    Keeper,
    Lesson,
    Shopkeeper,
    Teacher,
    failing_test,
    forgotten_linter,
    generated_files,
    said_in_a_comment,
)
from tests.command import ONE_ROUND
from tests.genuine import Programs
from tests.runners import GO, PYTHON, RUST, SCRIPT, Runner, installed_beside, toolchain_variables
from tests.server import ModelServer
from tests.sessions import Exchange
from tests.sweeps import sampled

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


class Night(NamedTuple):
    """A night that is over: whose it was, what it answered, and its folder."""

    home: Kept
    answer: dict[str, Any]
    folder: Path


def _hash(path: Path) -> str:
    if path.is_symlink():
        return f"link to {path.readlink()}"
    if path.is_dir():
        return f"folder {path.stat().st_mode:o}"
    return f"{path.stat().st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"


def night(
    folder: Path,
    program: Path,
    runner: Runner,
    lesson: Lesson,
    days: Sequence[Sequence[Exchange]],
    **environment: str,
) -> Night:
    """A night in which the agent does again what the person asked on these days, with these variables too."""
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
        done = home.night(server.base_url, **environment)
        assert done.code == 0, f"{done.err}\n{done.out}"
        assert home.fingerprint() == before
    (made,) = (home.folder / "sleep" / "data" / "nights").iterdir()
    return Night(home, done.json, made)


def is_learned(made: Night, lesson: Lesson, *, judge: tuple[str, str], said: str) -> None:
    """One rule was proposed: nothing was solved without it and everything with it, by this judge alone."""
    report = json.loads((made.folder / "report.json").read_text())
    assert made.answer["verdict"] == "improved", json.dumps(report, indent=1)
    (proposal,) = report["proposals"]
    (edit,) = proposal["edits"]
    assert edit["content"] == lesson.rule
    assert (proposal["proof"], proposal["tested"]["solved"]["before"]) == ("trial", 0)
    assert proposal["tested"]["solved"]["after"] == proposal["tested"]["solved"]["n"] > 0
    assert [(one["by"], one["what"]) for one in proposal["tested"]["judges"]] == [judge]
    told = " ".join(made.home.command("report", "--verbose").out.split())
    counts = proposal["tested"]["solved"]
    assert f"without the rule 0 of {counts['n']} answers did as you asked, with it {counts['n']} of" in told.lower()
    assert f"Graded by {said}." in told
    shown = made.home.command("review", "--show", proposal["id"], "--verbose").out
    assert lesson.rule in shown
    rollouts = [json.loads(line) for line in (made.folder / "rollouts.jsonl").read_text().splitlines()]
    assert all(row["trajectory"]["seal"] for row in rollouts)


@pytest.mark.cli
@pytest.mark.parametrize(
    ("name", "runner"),
    [("claude", PYTHON), ("codex", RUST)],
    ids=["claude-pytest", "codex-cargo"],
)
def test_fixing_what_fails_is_learned_by_the_projects_own_command(
    tmp_path: Path, programs: Programs, name: str, runner: Runner
) -> None:
    lesson, days = failing_test(runner)
    rounds = {} if name == "claude" else ONE_ROUND
    made = night(tmp_path, getattr(programs, name), runner, lesson, days, **rounds)
    command = runner.command
    is_learned(made, lesson, judge=("command", command), said=f"the project's own command `{command}`")
    report = json.loads((made.folder / "report.json").read_text())
    assert (report["judging"]["calibrations"]["sessions"], report["judging"]["calibrations"]["commands"]) == (5, 5)


@pytest.mark.cli
@pytest.mark.parametrize("name", sampled(["claude", "codex"], every=2))
def test_to_leave_generated_files_alone_is_learned_by_what_was_changed(
    tmp_path: Path, programs: Programs, name: str
) -> None:
    lesson, days = generated_files(SCRIPT)
    made = night(tmp_path, getattr(programs, name), SCRIPT, lesson, days, **ONE_ROUND)
    is_learned(made, lesson, judge=("acts", "gen"), said="what the agent did (whether it left `gen` alone)")


@pytest.mark.cli
@pytest.mark.parametrize("name", sampled(["codex", "claude"], every=2))
def test_to_run_the_linter_is_learned_by_what_was_run(tmp_path: Path, programs: Programs, name: str) -> None:
    lesson, days = forgotten_linter(GO)
    made = night(tmp_path, getattr(programs, name), GO, lesson, days, **ONE_ROUND)
    is_learned(made, lesson, judge=("acts", "go vet"), said="what the agent did (whether it ran `go vet`)")


@pytest.mark.cli
@pytest.mark.parametrize("name", sampled(["claude", "codex"], every=2))
def test_what_no_command_tells_is_learned_by_a_judge_who_sees_the_changes(
    tmp_path: Path, programs: Programs, name: str
) -> None:
    lesson, days = said_in_a_comment(PYTHON)
    made = night(tmp_path, getattr(programs, name), PYTHON, lesson, days)
    is_learned(made, lesson, judge=("changes", ""), said="the judge, who saw the changes as a diff")
    report = json.loads((made.folder / "report.json").read_text())
    assert (report["judging"]["calibrations"]["sessions"], report["judging"]["calibrations"]["rubrics"]) == (5, 5)
    assert report["judging"]["judge"]["right"] == report["judging"]["judge"]["n"] == 16
