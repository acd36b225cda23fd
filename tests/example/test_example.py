import filecmp
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillopt_sleep.agents.claude_code.sessions import ClaudeCode
from skillopt_sleep.agents.codex.sessions import Codex
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.example import example_of, unfold
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.records import Decision, NightReport, Outcome
from tests import example_day, example_night

NOW = datetime(2026, 6, 1, 8, tzinfo=UTC)


def test_the_shipped_day_is_the_one_that_its_builder_writes(tmp_path: Path) -> None:
    example_day.build(tmp_path / "day")
    built, shipped = (
        {path.relative_to(root): path for path in root.rglob("*") if path.is_file()}
        for root in (tmp_path / "day", example_day.DAY)
    )
    assert built.keys() == shipped.keys()
    for name, path in built.items():
        assert filecmp.cmp(path, shipped[name], shallow=False), name


def test_the_day_ends_an_hour_before_it_is_created(tmp_path: Path) -> None:
    folder = unfold(tmp_path / "example", now=NOW)
    sessions = [
        session
        for source in (ClaudeCode(folder / "home" / ".claude"), Codex(folder / "home" / ".codex"))
        for _, _, reading in source.read([path for path, _ in source.stamps()])
        for session in reading.sessions
    ]
    assert len(sessions) == 29
    for project in (folder / "home" / "work").iterdir():
        asked = ["git", "-C", str(project), "rev-parse", "--show-toplevel"]
        assert subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip() == str(project)
    assert {Path(session.project).name for session in sessions} == {"shop-api", "data-tool", "standup", "invoices"}
    assert all(session.cwd.startswith(str(folder)) for session in sessions)
    quiet = [session.ended for session in sessions if session.ended < NOW - timedelta(minutes=30)]
    assert NOW - timedelta(days=2) < max(quiet)


def test_creating_it_again_replaces_only_an_example_day(tmp_path: Path) -> None:
    folder = unfold(tmp_path / "example", now=NOW)
    (folder / "left-over").touch()
    assert not (unfold(folder, now=NOW) / "left-over").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with pytest.raises(ConfigError, match="not an example day"):
        unfold(tmp_path / "mine", now=NOW)
    assert (tmp_path / "mine" / "thesis.txt").exists()


def test_the_shipped_night_equals_a_night_over_the_day(tmp_path: Path) -> None:
    shipped, fresh = (
        from_json((folder / "report.json").read_bytes(), NightReport)
        for folder in (example_night.NIGHTS / "example", example_night.build(tmp_path))
    )
    assert shipped.verdict is fresh.verdict is Outcome.IMPROVED
    assert [d.verdict.decision for d in shipped.documents] == [d.verdict.decision for d in fresh.documents]
    assert [d.trial.before for d in shipped.documents] == [d.trial.before for d in fresh.documents]
    assert [d.trial.after for d in shipped.documents] == [d.trial.after for d in fresh.documents]
    assert {Path(d.document.id).parts[0]: d.verdict.decision for d in fresh.documents} == {
        "shop-api": Decision.ACCEPT,
        "data-tool": Decision.REJECT,
        "standup": Decision.REJECT,
        "invoices": Decision.ACCEPT,
    }
    assert {p.name for p in (example_night.NIGHTS / "example").iterdir()} == {
        p.name for p in (tmp_path / "example").iterdir()
    }


def test_the_store_of_an_example_knows_its_folder(tmp_path: Path) -> None:
    folder = unfold(tmp_path / "example", now=datetime(2026, 3, 2, tzinfo=UTC))

    assert example_of(folder / "data") == folder
    assert example_of(tmp_path / "data") is None
