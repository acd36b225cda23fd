import json
from pathlib import Path

import pytest

from skillopt_sleep.settings import Settings, find_paths
from skillopt_sleep.stores.user import open_store
from skillopt_sleep.stores.waiting import keep_waiting
from tests.command import Home
from tests.fakes import NOON


def test_a_fresh_store_has_nothing_waiting(tmp_path: Path) -> None:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)})
    store = open_store(Settings(), paths)
    keep_waiting(paths, store, at=NOON)
    file = paths.state / "proposals_waiting.json"
    assert json.loads(file.read_bytes()) == {"schema_version": 1, "waiting": 0}
    written = file.stat().st_mtime_ns
    keep_waiting(paths, store, at=NOON)
    assert file.stat().st_mtime_ns == written
    store.close()


def test_an_unwritable_state_folder_is_ignored(tmp_path: Path) -> None:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)})
    store = open_store(Settings(), paths)
    paths.state.write_text("a file in the way")
    keep_waiting(paths, store, at=NOON)
    store.close()


@pytest.mark.slow
def test_nights_and_decisions_keep_the_count_that_the_hooks_read(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    file = find_paths(home.environment).state / "proposals_waiting.json"

    def waiting() -> int:
        return json.loads(file.read_bytes())["waiting"]

    home.command("run", "--backend", "simulated")
    assert waiting() == 1
    home.command("adopt", "P-0001")
    assert waiting() == 0
    file.unlink()
    home.command("status")
    assert waiting() == 0
