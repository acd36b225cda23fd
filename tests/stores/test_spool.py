import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillopt_sleep.records import Snapshot
from skillopt_sleep.stores.spool import HookSpool, drop_patches
from tests.agent_hooks import SESSION, Hooked, repository

NAME = f"claude_code:{SESSION}"


@pytest.fixture
def hooked(tmp_path: Path) -> Hooked:
    return Hooked(tmp_path)


def written(hooked: Hooked, kind: str, text: str) -> HookSpool:
    note = hooked.note(kind)
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(text)
    return HookSpool(hooked.spool)


def test_what_a_hook_says_at_the_end_is_when_the_session_ended(hooked: Hooked) -> None:
    before = datetime.now(UTC)
    hooked.run("SessionEnd")
    ended = HookSpool(hooked.spool).ended(NAME)
    assert ended is not None
    assert before - timedelta(seconds=1) < ended <= datetime.now(UTC)


def test_what_a_hook_saw_at_the_start_is_the_snapshot(hooked: Hooked) -> None:
    project = hooked.folder / "project"
    commit = repository(project)
    hooked.started()
    (project / "code.py").write_text("two\n")
    hooked.started(session="later")
    spool = HookSpool(hooked.spool)
    same = {"root": str(project), "commit": commit}
    assert spool.snapshot(NAME) == Snapshot(session=NAME, **same, clean=True)
    assert spool.snapshot("claude_code:later") == Snapshot(session="claude_code:later", **same, clean=False)


def test_what_an_earlier_hook_noted_is_not_taken_for_clean(hooked: Hooked) -> None:
    """What wasn't committed was in a patch then, which is gone."""
    said = {"at": 1.0, "root": "/p", "commit": "c0ffee", "complete": True}
    found = written(hooked, "started.json", json.dumps(said)).snapshot(NAME)
    assert found == Snapshot(session=NAME, root="/p", commit="c0ffee", clean=False)


def test_the_patches_of_earlier_hooks_are_dropped_and_nothing_else(hooked: Hooked, tmp_path: Path) -> None:
    for kind in ("patch", "started.json", "ended.json"):
        written(hooked, kind, "{}")
    drop_patches(hooked.spool)
    assert sorted(path.name for path in hooked.spool.rglob("*.*")) == [
        f"{SESSION}.ended.json",
        f"{SESSION}.started.json",
    ]
    drop_patches(tmp_path / "no spool")


@pytest.mark.parametrize(
    "name", [NAME, "codex:unheard-of", "tasks_file:/home/a/tasks.toml#1", "claude_code:../x", ""]
)
def test_a_session_without_a_note_is_no_matter(hooked: Hooked, name: str) -> None:
    spool = HookSpool(hooked.spool)
    assert spool.ended(name) is None
    assert spool.snapshot(name) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"at": "now"}', '{"at": 1e300}', '{"at": -1}', "\x00"])
def test_a_note_that_makes_no_sense_is_not_there(hooked: Hooked, text: str) -> None:
    assert written(hooked, "ended.json", text).ended(NAME) is None
    assert written(hooked, "started.json", text).snapshot(NAME) is None


def test_a_note_that_can_not_be_read_is_not_there(hooked: Hooked) -> None:
    hooked.note("ended.json").mkdir(parents=True)
    assert HookSpool(hooked.spool).ended(NAME) is None
