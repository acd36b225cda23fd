import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from skillopt_sleep.daemon.conditions import in_use, lacking, on_battery
from skillopt_sleep.settings import BackendSettings, RoleSettings, Settings

NOW = datetime(2027, 5, 2, 4, 17, tzinfo=UTC)


def written(folder: Path, name: str, *, ago: timedelta) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).touch()
    at = (NOW - ago).timestamp()
    os.utime(folder / name, (at, at))


def test_a_session_that_was_written_to_just_now_is_in_use(tmp_path: Path) -> None:
    written(tmp_path, "old/one.jsonl", ago=timedelta(hours=1))
    written(tmp_path, "new/two.jsonl", ago=timedelta(minutes=3))
    assert in_use([tmp_path / "missing", tmp_path], now=NOW)


def test_what_rests_what_is_no_session_and_what_lies_ahead_is_not_in_use(tmp_path: Path) -> None:
    written(tmp_path, "one.jsonl", ago=timedelta(minutes=11))
    written(tmp_path, "notes.md", ago=timedelta())
    written(tmp_path, "ahead.jsonl", ago=-timedelta(days=400))
    assert not in_use([tmp_path], now=NOW)


def test_whether_there_is_a_battery_can_be_asked_anywhere() -> None:
    assert on_battery() in (True, False)


def test_nights_need_a_backend_that_is_named_and_confirmed() -> None:
    named, confirmed = BackendSettings(name="claude"), BackendSettings(name="claude", confirmed=True)
    assert "skillopt-sleep init" in lacking(Settings())
    assert "not confirmed: claude" in lacking(Settings(backend=named))
    simulated = BackendSettings(name="simulated")
    assert "not confirmed: openai" in lacking(
        Settings(backend=simulated, judge=RoleSettings(name="openai", model="m"))
    )
    gateway = BackendSettings(name="openai", model="m", base_url="http://127.0.0.1:9/v1", api_key_env="KEY")
    assert "not confirmed: m at http://127.0.0.1:9/v1 (on this machine)" in lacking(Settings(backend=gateway))
    assert lacking(Settings(backend=confirmed)) == lacking(Settings(backend=simulated)) == ""
