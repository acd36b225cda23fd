"""Test that an older file is migrated with all its data, and a newer one refused and left unchanged."""

import json
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from skillopt_sleep.errors import StoreError
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.records import Lesson, LessonState
from skillopt_sleep.stores.schema import MIGRATIONS, migrate


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(":memory:", isolation_level=None)
    yield opened
    opened.close()


def version(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]


def layout(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    return set(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))


def at_version(connection: sqlite3.Connection, wanted: int) -> None:
    """Create the file as that version wrote it."""
    for script in MIGRATIONS[:wanted]:
        connection.executescript(script)
    connection.execute(f"PRAGMA user_version = {wanted}")


def test_an_empty_file_becomes_current(connection: sqlite3.Connection) -> None:
    assert migrate(connection) == 0
    assert version(connection) == len(MIGRATIONS)


def test_a_current_file_stays_as_it_is(connection: sqlite3.Connection) -> None:
    migrate(connection)
    before = layout(connection)

    assert migrate(connection) == len(MIGRATIONS)
    assert layout(connection) == before


@pytest.mark.parametrize("had", range(len(MIGRATIONS)))
def test_from_any_version_the_tables_end_up_the_same(connection: sqlite3.Connection, had: int) -> None:
    fresh = sqlite3.connect(":memory:", isolation_level=None)
    migrate(fresh)
    at_version(connection, had)

    assert migrate(connection) == had
    assert layout(connection) == layout(fresh)
    fresh.close()


def test_what_version_one_held_is_still_there(connection: sqlite3.Connection) -> None:
    at_version(connection, 1)
    connection.execute("INSERT INTO meta VALUES ('horizon', '2026-01-01')")
    connection.execute("INSERT INTO nights (id, config, started) VALUES ('2026-01-02', 'c', 's')")
    connection.execute("INSERT INTO tasks VALUES ('t1', '/p', 's1', 'c-1', 'train', 'at', 'n', x'7b7d')")
    connection.execute("INSERT INTO ledger (night, at, purpose, model, state) VALUES ('n', 'a', 'mine', 'm', 'done')")

    migrate(connection)

    assert connection.execute("SELECT value FROM meta").fetchall() == [("2026-01-01",)]
    assert connection.execute("SELECT id, config FROM nights").fetchall() == [("2026-01-02", "c")]
    assert connection.execute("SELECT id, split, body FROM tasks").fetchall() == [
        ("t1", "train", b'{"wording":"","lesson":"c-1"}')
    ]
    (marks,) = connection.execute("SELECT edited, dropped, pinned, waits, earlier FROM tasks").fetchall()
    assert marks == (None, None, None, 0, None)
    assert connection.execute("SELECT count(*) FROM ledger").fetchone() == (1,)
    assert connection.execute("SELECT count(*) FROM proposals").fetchone() == (0,)


def test_calls_of_schema_version_three_have_no_project_and_hold_nothing(connection: sqlite3.Connection) -> None:
    at_version(connection, 3)
    connection.execute(
        "INSERT INTO ledger (night, at, purpose, model, state, input_tokens, output_tokens, cached_tokens, usd) "
        "VALUES ('n', 'a', 'mine', 'm', 'done', 10, 4, 2, 0.25), "
        "('n', 'a', 'mine', 'm', 'reserved', NULL, NULL, NULL, NULL)"
    )

    migrate(connection)

    rows = connection.execute(
        "SELECT state, input_tokens, output_tokens, cached_tokens, usd, project, repair, odd_events, held_tokens, "
        "held_usd FROM ledger ORDER BY id"
    ).fetchall()
    assert rows == [
        ("done", 10, 4, 2, 0.25, "", 0, 0, 0, None),
        ("reserved", None, None, None, None, "", 0, 0, 0, None),
    ]


def test_the_nights_of_version_five_were_of_all_projects(connection: sqlite3.Connection) -> None:
    at_version(connection, 5)
    connection.execute("INSERT INTO nights (id, config, started) VALUES ('2026-01-02', 'c', 's')")

    migrate(connection)

    assert connection.execute("SELECT id, project FROM nights").fetchall() == [("2026-01-02", "")]


def test_the_tasks_of_version_six_become_lessons_by_their_names(connection: sqlite3.Connection) -> None:
    at_version(connection, 6)
    for number, (name, wording) in enumerate([("c-a", ""), ("c-a", "Use pnpm"), ("c-b", "")], start=1):
        at = f"2026-01-0{number}T00:00:00Z"
        task: dict[str, object] = {"id": f"t{number}", "at": at, "cluster": name, "lesson": wording}
        task["signals"] = ["corrected", "undone"]
        task["evidence"] = [{"session": f"s{number}", "turn": 2, "quote": "no, pnpm"}]
        body = json.dumps(task)
        connection.execute(
            "INSERT INTO tasks (id, project, session, cluster, split, at, night, body, earlier) "
            "VALUES (?, '/p', ?, ?, 'train', ?, 'n', CAST(? AS BLOB), CAST(? AS BLOB))",
            (f"t{number}", f"s{number}", name, at, body, f"[{body}]"),
        )
    connection.execute("INSERT INTO tasks VALUES ('bad', '/p', 's', 'c-x', '', '', 'n', x'ff', '', '', '', 0, x'ff')")

    migrate(connection)

    first, second = (
        from_json(body, Lesson) for (body,) in connection.execute("SELECT body FROM lessons ORDER BY id")
    )
    assert (first.id, first.project, first.wording, first.sessions) == ("c-a", "/p", "Use pnpm", ("s1", "s2"))
    assert (first.first.day, first.last.day, first.state) == (1, 2, LessonState.OPEN)
    assert (second.id, second.wording, second.sessions) == ("c-b", "", ("s3",))
    body, earlier = connection.execute("SELECT body, earlier FROM tasks WHERE id = 't2'").fetchone()
    task = json.loads(body)
    assert (task["lesson"], task["wording"]) == ("c-a", "Use pnpm")
    assert task.keys().isdisjoint({"cluster", "signals"})
    assert json.loads(earlier) == [task]
    assert connection.execute("SELECT body FROM tasks WHERE id = 'bad'").fetchone() == (b"\xff",)


def test_a_newer_file_is_refused_with_both_numbers_and_a_remedy(connection: sqlite3.Connection) -> None:
    newer = len(MIGRATIONS) + 1
    connection.execute(f"PRAGMA user_version = {newer}")

    with pytest.raises(StoreError, match=f"schema {newer}, this one knows {len(MIGRATIONS)}") as caught:
        migrate(connection)

    assert caught.value.remedy == "upgrade skillopt-sleep"
    assert layout(connection) == set()
    assert version(connection) == newer


def test_a_migration_that_stops_half_way_leaves_its_version_as_it_was(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "sleep.db", isolation_level=None)
    at_version(connection, 1)
    # The second version's first table is there already, as if another program had made it.
    connection.execute("CREATE TABLE proposals (x)")
    before = layout(connection)

    with pytest.raises(sqlite3.OperationalError, match="proposals"):
        migrate(connection)
    connection.close()

    again = sqlite3.connect(tmp_path / "sleep.db")
    assert version(again) == 1
    assert layout(again) == before
    again.close()


def test_a_file_is_migrated_once_by_many_who_open_it_at_the_same_moment(tmp_path: Path) -> None:
    def migrated(path: Path, ready: threading.Barrier) -> int:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=60)) as own:
            ready.wait()
            migrate(own)
            return version(own)

    with ThreadPoolExecutor(4) as threads:
        for number in range(5):
            path = tmp_path / f"{number}.db"
            with closing(sqlite3.connect(path)) as first:
                first.execute("PRAGMA journal_mode = WAL")
            ready = threading.Barrier(4)
            done = [threads.submit(migrated, path, ready) for _ in range(4)]
            assert [one.result() for one in done] == [len(MIGRATIONS)] * 4
