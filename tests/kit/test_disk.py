"""What is said of a write that failed: a full disk is called one, whoever meets it."""

import errno
import sqlite3
from pathlib import Path

import pytest

from skillopt_sleep.kit.disk import ROOM, worded
from tests.disks import full_disk

OTHER = "check the folder"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_or_a_quota_without_room_is_named_with_its_place(code: int) -> None:
    message, remedy = worded(OSError(code, "No space left on device", "/home/dev/notes"), remedy=OTHER)
    assert message.startswith("/home/dev/notes: ")
    assert "full" in message or "quota" in message
    assert remedy == ROOM


def test_any_other_failure_keeps_its_reason_and_its_remedy() -> None:
    denied = PermissionError(errno.EACCES, "Permission denied", "/home/dev/notes")
    assert worded(denied, remedy=OTHER) == ("/home/dev/notes: Permission denied", OTHER)
    assert worded(OSError("odd"), remedy=OTHER) == ("the disk: odd", OTHER)


def test_a_store_on_a_full_disk_is_on_a_full_disk_whatever_sqlite_calls_it(tmp_path: Path) -> None:
    with full_disk(tmp_path / "disk") as disk:
        connection = sqlite3.connect(disk / "sleep.db", isolation_level=None)
        with pytest.raises(sqlite3.OperationalError) as caught:
            connection.execute("CREATE TABLE t (x)")
        connection.close()
        message, remedy = worded(caught.value, remedy=OTHER, place=disk / "sleep.db")
    assert (message, remedy) == (f"{disk / 'sleep.db'}: the disk is full", ROOM)


def test_a_store_that_is_read_only_is_not_called_full(tmp_path: Path) -> None:
    database = tmp_path / "sleep.db"
    sqlite3.connect(database).execute("CREATE TABLE t (x)").connection.close()
    connection = sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)
    with pytest.raises(sqlite3.OperationalError) as caught:
        connection.execute("INSERT INTO t VALUES (1)")
    connection.close()
    message, remedy = worded(caught.value, remedy=OTHER, place=database)
    assert message.startswith(f"{database}: attempt to write a readonly database")
    assert remedy == OTHER
