from pathlib import Path

from skillopt_sleep.records import Packed, Reading, Stamp, Task
from tests.builders import a_session, a_task
from tests.stores.opening import open_at

STAMP = Stamp(1, 2, 3)


def _file(path: str, *ids: str, tasks: tuple[Task, ...] = ()) -> tuple[str, Stamp, Reading]:
    sessions = tuple(Packed.of(a_session("hi", id=name)) for name in ids)
    return path, STAMP, Reading(sessions=sessions, tasks=tasks)


def test_a_purged_session_is_not_stored_again_and_its_file_not_read_again(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    store.index.purged.add(["codex:1"])
    assert store.index.unpurged(["/a", "/b"]) == ["/a", "/b"]

    store.index.put("codex", [_file("/a", "codex:1"), _file("/b", "codex:1", "codex:2")])

    assert [line.id for line in store.index.lines(unread=True)] == ["codex:2"]
    assert set(store.index.stamps("codex")) == {"/b"}
    assert store.index.unpurged(["/a", "/b"]) == ["/b"]
    store.close()


def test_tasks_beside_a_purged_session_are_kept(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    store.index.purged.add(["codex:1"])
    store.index.put("codex", [_file("/a", "codex:1", tasks=(a_task(),))])
    assert len(store.index.reviewed(["codex"])) == 1
    store.close()


def test_a_purged_session_that_is_asked_for_is_read_again(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    store.index.purged.add(["codex:1"])
    store.index.put("codex", [_file("/a", "codex:1")])

    assert store.index.purged.read_again(["1", "codex:1"])
    assert not store.index.purged.read_again(["codex:1"])

    assert store.index.unpurged(["/a"]) == ["/a"]
    store.index.put("codex", [_file("/a", "codex:1")])
    assert [line.id for line in store.index.lines(unread=True)] == ["codex:1"]
    store.close()


def test_only_a_hash_is_remembered(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    store.index.purged.add(["codex:very-private"])
    store.index.put("codex", [_file("/home/ada/private.jsonl", "codex:very-private")])
    store.close()
    files = [file.read_bytes() for file in tmp_path.rglob("sleep.db*")]
    assert files
    assert not any(b"private" in data for data in files)
