import sqlite3
from pathlib import Path

import pytest

from skillopt_sleep.errors import StoreError
from skillopt_sleep.kit.sought import Sought
from skillopt_sleep.stores.purge import Found, Row
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.keeping.machine import a_machine


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return a_machine(tmp_path).store()


def _row(store: SqliteStore, number: int) -> Row:
    return next(row for row in store.purge.rows() if row.session.id.endswith(f"-{number}"))


def test_what_one_session_taught_goes_with_the_tasks_that_others_have_of_the_lesson(store: SqliteStore) -> None:
    found = store.purge.found([_row(store, 0)], Sought())
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
    found = store.purge.found([_row(store, 0)], Sought())
    assert first.id not in found.tasks
    assert second.id in found.tasks
    store.close()


def test_deleting_takes_rows_answers_and_the_optimizers_notes(store: SqliteStore, tmp_path: Path) -> None:
    found = store.purge.found([_row(store, 0)], Sought())
    report = store.report("2026-03-02")
    store.purge.delete(found, {"2026-03-02": report}, copied=(), folders=(str(tmp_path / "work" / "shop"),))
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
    store.purge.delete(store.purge.found([_row(store, 0)], Sought()), {}, copied=(), folders=())
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
    assert Found().ids == frozenset()
