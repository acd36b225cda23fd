from pathlib import Path

from skillopt_sleep.doctor.findings import Topic
from skillopt_sleep.doctor.kept import PURGE, look_at_kept
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.settings import Paths
from skillopt_sleep.stores.summary import summarize
from tests.keeping.machine import a_machine, paths_of


def _says(paths: Paths, keep: str = "180d") -> list[str]:
    found = list(look_at_kept(paths, summarize(paths.database, month=utc_now()), keep=keep))
    assert {finding.topic for finding in found} == {Topic.KEPT}
    return [f"{finding.says} {finding.remedy}".strip() for finding in found]


def test_everything_that_is_kept_is_listed_with_its_place_size_and_day(tmp_path: Path) -> None:
    paths = paths_of(a_machine(tmp_path))
    first, store, nights, adoptions = _says(paths)
    assert "after 180d" in first
    assert PURGE in first
    assert store.startswith("store: 5 sessions, 1 project, 5 tasks, 1 lesson, 1 proposal, ")
    assert f"since {utc_now():%Y-%m-%d}): {paths.database}" in store
    assert str(paths.nights) in nights
    assert str(paths.adoptions) in adoptions


def test_other_places_are_listed_once_they_hold_something(tmp_path: Path) -> None:
    paths = Paths(config=tmp_path, data=tmp_path / "data")
    for file in (
        paths.handoff / "open" / "1.md",
        paths.spool / "codex" / "1.ended",
        paths.log,
        paths.projects / "ab.toml",
        paths.replays / "calibrations" / "1.json",
        paths.data / "sleep.db.aside-1",
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x" * 2_000_000)
    lines = _says(paths, keep="0d")
    assert "nothing is deleted by itself" in lines[0]
    assert len(lines) == 7
    assert any(str(paths.replays) in line for line in lines)
    assert all("1.9 MiB" in line for line in lines[1:])


def test_a_fresh_machine_keeps_nothing(tmp_path: Path) -> None:
    assert _says(Paths(config=tmp_path, data=tmp_path / "data")) == ["nothing is kept of your sessions yet"]
