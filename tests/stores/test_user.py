"""Test the user's store: an interrupted night is resumed only under the settings that shaped it."""

from datetime import timedelta
from pathlib import Path

import pytest

from skillopt_sleep.settings import (
    BackendSettings,
    BudgetSettings,
    GateSettings,
    HarvestSettings,
    MineSettings,
    NightSettings,
    NotifySettings,
    ProjectsSettings,
    Settings,
    StepSettings,
    find_paths,
)
from skillopt_sleep.stores.sqlite import open_store, read_store
from skillopt_sleep.stores.summary import last_finished
from tests.fakes import NOON
from tests.stores.opening import seal

FIRST = Settings()
SAME = {
    "the same": FIRST,
    "another budget": Settings(budget=BudgetSettings(calls=7, tokens=8, minutes=9)),
    "other workers": Settings(night=NightSettings(workers=1)),
    "someone else told": Settings(notify=NotifySettings(when="never")),
}
OTHER = {
    "another model": Settings(backend=BackendSettings(name="openai", model="m")),
    "another lookback": Settings(harvest=HarvestSettings(lookback="1d")),
    "other exclusions": Settings(projects=ProjectsSettings(exclude=("/srv",))),
    "another miner": Settings(mine=MineSettings(miner="heuristic")),
    "more samples": Settings(step=StepSettings(samples=2)),
    "another error rate": Settings(gate=GateSettings(alpha=0.01)),
}


def goes_on(folder: Path, later: Settings) -> bool:
    """Return whether a night that is interrupted under the first settings is resumed under the second."""
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(folder)})
    for settings in (FIRST, later):
        store = open_store(settings, paths)
        with store.open_night() as page:
            resumed = page.resumed
        store.close()
    return resumed


@pytest.mark.parametrize("later", SAME.values(), ids=SAME)
def test_a_night_is_resumed_under_other_limits_and_workers(tmp_path: Path, later: Settings) -> None:
    assert goes_on(tmp_path, later)


@pytest.mark.parametrize("later", OTHER.values(), ids=OTHER)
def test_a_night_is_not_resumed_under_settings_that_would_change_its_results(tmp_path: Path, later: Settings) -> None:
    assert not goes_on(tmp_path, later)


def test_the_store_is_where_the_paths_say(tmp_path: Path) -> None:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)})
    store = open_store(FIRST, paths)
    with store.open_night() as page:
        assert page.folder.parent == paths.nights
    store.close()

    assert paths.database.is_file()


def test_a_night_of_one_project_is_resumed_only_for_that_project(tmp_path: Path) -> None:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)})
    resumed: list[bool] = []
    for only in ("/work/a", "", "/work/a"):
        store = open_store(FIRST, paths, only=only)
        with store.open_night() as page:
            resumed.append(page.resumed)
        store.close()
    assert resumed == [False, False, False]


def test_a_night_of_one_project_does_not_count_as_a_night_of_all(tmp_path: Path) -> None:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)})
    later = NOON + timedelta(hours=1)
    for only, ended in (("", NOON), ("/work/a", later)):
        store = open_store(FIRST, paths, only=only)
        with store.open_night() as page:
            seal(page, ended=ended)
        store.close()
    assert last_finished(paths.database, now=later) == NOON


def test_to_read_a_store_that_is_not_there_creates_none(tmp_path: Path) -> None:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)})
    with read_store(FIRST, paths) as store:
        assert store.nights() == ()
    assert list(tmp_path.iterdir()) == []

    open_store(FIRST, paths).close()
    with read_store(FIRST, paths) as store:
        assert store.folder("x").is_relative_to(paths.data)
