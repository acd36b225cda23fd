import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillopt_sleep.stores.spool import HookSpool
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


def test_the_hooks_end_note_is_when_the_session_ended(hooked: Hooked) -> None:
    before = datetime.now(UTC)
    hooked.run("SessionEnd")
    ended = HookSpool(hooked.spool).ended(NAME)
    assert ended is not None
    assert before - timedelta(seconds=1) < ended <= datetime.now(UTC)


def test_the_hooks_start_note_is_the_snapshot(hooked: Hooked) -> None:
    project = hooked.folder / "project"
    commit = repository(project)
    (project / "code.py").write_text("two\n")
    hooked.started()
    found = HookSpool(hooked.spool).snapshot(NAME)
    assert found is not None
    assert (found.session, found.root, found.commit) == (NAME, str(project), commit)
    assert "+two" in Path(found.patch).read_text()


def test_a_clean_project_has_no_patch(hooked: Hooked) -> None:
    repository(hooked.folder / "project")
    hooked.started()
    found = HookSpool(hooked.spool).snapshot(NAME)
    assert found is not None
    assert found.patch == ""


def test_of_a_patch_that_is_gone_the_commit_is_left(hooked: Hooked) -> None:
    said = {"at": 1.0, "root": "/p", "commit": "c0ffee", "complete": True}
    found = written(hooked, "started.json", json.dumps(said)).snapshot(NAME)
    assert found is not None
    assert (found.commit, found.patch) == ("c0ffee", "")


@pytest.mark.parametrize(
    "name", [NAME, "codex:unheard-of", "tasks_file:/home/a/tasks.toml#1", "claude_code:../x", ""]
)
def test_a_session_without_a_note_is_no_matter(hooked: Hooked, name: str) -> None:
    spool = HookSpool(hooked.spool)
    assert spool.ended(name) is None
    assert spool.snapshot(name) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"at": "now"}', '{"at": 1e300}', '{"at": -1}', "\x00"])
def test_a_senseless_note_counts_as_missing(hooked: Hooked, text: str) -> None:
    assert written(hooked, "ended.json", text).ended(NAME) is None
    assert written(hooked, "started.json", text).snapshot(NAME) is None


def test_an_unreadable_note_counts_as_missing(hooked: Hooked) -> None:
    hooked.note("ended.json").mkdir(parents=True)
    assert HookSpool(hooked.spool).ended(NAME) is None
