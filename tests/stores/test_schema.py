"""Test that an empty file gets its tables, and that one of another version is refused and left unchanged."""

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from skillopt_sleep.errors import StoreError
from skillopt_sleep.stores.schema import BEGIN_ANEW, VERSION, create


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(":memory:", isolation_level=None)
    yield opened
    opened.close()


def version(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]


def layout(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    return set(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))


def test_an_empty_file_becomes_current_and_stays_so(connection: sqlite3.Connection) -> None:
    create(connection)
    made = layout(connection)
    assert {"sessions", "tasks", "ledger", "proposals", "lessons", "purged"} <= {name for name, _ in made}

    create(connection)

    assert (version(connection), layout(connection)) == (VERSION, made)


@pytest.mark.parametrize("other", [VERSION + 1, VERSION + 10, -1])
def test_a_file_of_another_version_is_refused_with_both_numbers_and_a_remedy(
    connection: sqlite3.Connection, other: int
) -> None:
    connection.execute(f"PRAGMA user_version = {other}")

    with pytest.raises(StoreError, match=f"schema {other}, this one knows {VERSION}") as caught:
        create(connection)

    assert BEGIN_ANEW in caught.value.remedy
    assert (layout(connection), version(connection)) == (set(), other)


def test_tables_that_can_not_be_created_leave_the_file_as_it_was(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "sleep.db", isolation_level=None)
    connection.execute("CREATE TABLE proposals (x)")
    before = layout(connection)

    with pytest.raises(sqlite3.OperationalError, match="proposals"):
        create(connection)
    connection.close()

    with closing(sqlite3.connect(tmp_path / "sleep.db")) as again:
        assert (version(again), layout(again)) == (0, before)


def test_tables_are_created_once_by_many_who_open_the_file_at_the_same_moment(tmp_path: Path) -> None:
    def created(path: Path, ready: threading.Barrier) -> int:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=60)) as own:
            ready.wait()
            create(own)
            return version(own)

    with ThreadPoolExecutor(4) as threads:
        for number in range(5):
            path = tmp_path / f"{number}.db"
            with closing(sqlite3.connect(path)) as first:
                first.execute("PRAGMA journal_mode = WAL")
            ready = threading.Barrier(4)
            done = [threads.submit(created, path, ready) for _ in range(4)]
            assert [one.result() for one in done] == [VERSION] * 4
