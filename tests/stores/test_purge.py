import sqlite3
from pathlib import Path

import pytest

from skillopt_sleep.errors import StoreError
from skillopt_sleep.records import Packed, Reading, Stamp, Task
from skillopt_sleep.stores.purge import PurgedData, PurgedSession
from skillopt_sleep.stores.quotes import PurgeSearch
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import a_session, a_task
from tests.keeping.machine import a_machine
from tests.stores.opening import open_at


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return a_machine(tmp_path).store()


def _row(store: SqliteStore, number: int) -> PurgedSession:
    return next(row for row in store.purge.rows() if row.session.id.endswith(f"-{number}"))


def test_what_one_session_taught_goes_with_the_tasks_that_others_have_of_the_lesson(store: SqliteStore) -> None:
    found = store.purge.found([_row(store, 0)], PurgeSearch())
    assert len(found.tasks) == 5
    assert len(found.lessons) == 1
    assert [entry.proposal.id for entry in found.proposals] == ["P-0001"]
    assert found.nights == {"2026-03-02"}
    assert any("pnpm" in rule for rule in found.contents)
    assert {path.rpartition("/")[2] for path in found.paths} == {"CLAUDE.md"}
    assert found.unread == {f"claude_code:shop-{number}" for number in (1, 2, 3, 4)}
    store.close()


def test_a_task_that_a_person_edited_stays_with_its_session(store: SqliteStore) -> None:
    first, second = (task for task in store.bank.all_tasks() if task.session.endswith(("-1", "-2")))
    store.bank.write([first], at=first.at)
    found = store.purge.found([_row(store, 0)], PurgeSearch())
    assert first.id not in found.tasks
    assert second.id in found.tasks
    store.close()


def test_deleting_takes_rows_answers_and_the_optimizers_notes(store: SqliteStore, tmp_path: Path) -> None:
    found = store.purge.found([_row(store, 0)], PurgeSearch())
    report = store.report("2026-03-02")
    store.purge.delete(found, {"2026-03-02": report}, folders=(str(tmp_path / "work" / "shop"),))
    store.close()

    with sqlite3.connect(tmp_path / "data" / "sleep.db") as connection:
        counts = {
            table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for table in ("tasks", "lessons", "proposals", "calls", "scores", "notebooks", "snapshots", "tried")
        }
        unread = connection.execute("SELECT count(*) FROM sessions WHERE read_by IS NULL").fetchone()[0]
        projects = {row[0] for row in connection.execute("SELECT DISTINCT project FROM ledger WHERE project != ''")}
    connection.close()
    assert set(counts.values()) == {0}
    assert unread == 4
    assert projects <= {"(purged)"}


def test_a_store_that_another_program_reads_is_not_called_purged(store: SqliteStore, tmp_path: Path) -> None:
    store.purge.delete(store.purge.found([_row(store, 0)], PurgeSearch()), {}, folders=())
    reader = sqlite3.connect(tmp_path / "data" / "sleep.db")
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM sessions").fetchone()
    store._connection.execute("PRAGMA busy_timeout = 50")  # pyright: ignore[reportPrivateUsage]

    with pytest.raises(StoreError, match=r"another program|locked"):
        store.purge.compact()

    reader.close()
    store.purge.compact()
    store.close()


def test_nothing_found_names_nothing() -> None:
    assert PurgedData().ids == frozenset()


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


def test_a_list_of_sessions_is_read_on_when_all_in_it_were_purged(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    store.index.purged.add(["codex:1", "codex:2"])
    store.index.put("codex", [_file("/list", "codex:1", "codex:2")])
    assert store.index.unpurged(["/list"]) == ["/list"]
    store.index.put("codex", [_file("/list", "codex:1", "codex:2", "codex:3")])
    assert [line.id for line in store.index.lines(unread=True)] == ["codex:3"]
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
