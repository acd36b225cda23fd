import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillopt_sleep.records import Snapshot
from skillopt_sleep.settings import Settings, find_paths
from skillopt_sleep.stores.hooks import HookSpool, keep_waiting
from skillopt_sleep.stores.sqlite import open_store
from tests.agent_hooks import SESSION, Hooked, repository
from tests.command import Home
from tests.fakes import NOON

NAME = f"claude_code:{SESSION}"


@pytest.fixture
def hooked(tmp_path: Path) -> Hooked:
    return Hooked(tmp_path)


def written(hooked: Hooked, kind: str, text: str) -> HookSpool:
    note = hooked.note(kind)
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(text)
    return HookSpool(hooked.spool)


def test_the_hooks_end_note_is_when_the_session_ended(hooked: Hooked) -> None:
    before = datetime.now(UTC)
    hooked.run("SessionEnd")
    ended = HookSpool(hooked.spool).ended(NAME)
    assert ended is not None
    assert before - timedelta(seconds=1) < ended <= datetime.now(UTC)


def test_the_hooks_start_note_is_the_snapshot(hooked: Hooked) -> None:
    project = hooked.folder / "project\nof mine"
    commit = repository(project)
    hooked.started(cwd=str(project))
    assert HookSpool(hooked.spool).snapshot(NAME) == Snapshot(session=NAME, root=str(project), commit=commit)


@pytest.mark.parametrize(
    "name", [NAME, "codex:unheard-of", "tasks_file:/home/a/tasks.toml#1", "claude_code:../x", ""]
)
def test_a_session_without_a_note_is_no_matter(hooked: Hooked, name: str) -> None:
    spool = HookSpool(hooked.spool)
    assert spool.ended(name) is None
    assert spool.snapshot(name) is None


@pytest.mark.parametrize("text", ["", "{", "now", "1e300", "nan", "inf", "\x00", "/p\nHEAD\n", "/p\n", "a" * 40])
def test_a_senseless_note_counts_as_missing(hooked: Hooked, text: str) -> None:
    assert written(hooked, "ended", text).ended(NAME) is None
    assert written(hooked, "started", text).snapshot(NAME) is None


def test_an_unreadable_note_counts_as_missing(hooked: Hooked) -> None:
    hooked.note("ended").mkdir(parents=True)
    assert HookSpool(hooked.spool).ended(NAME) is None


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
