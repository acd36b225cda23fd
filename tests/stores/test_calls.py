import sqlite3
from pathlib import Path

import pytest

from skillopt_sleep.errors import StoreError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.records import Purpose
from skillopt_sleep.stores.calls import CallStore
from tests.builders import a_completion


def test_what_was_answered_outlives_the_process(tmp_path: Path) -> None:
    store = CallStore(tmp_path / "calls.db", utc_now)
    store.calls.put("key", purpose=Purpose.ROLLOUT, completion=a_completion("yes"))
    store.close()
    again = CallStore(tmp_path / "calls.db", utc_now)
    kept = again.calls.get("key")
    again.close()
    assert kept is not None
    assert kept.text == "yes"


def test_a_file_that_is_not_a_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "calls.db").write_bytes(b"no database at all, and long enough to be told from one" * 40)
    with pytest.raises(StoreError, match=r"calls\.db"):
        CallStore(tmp_path / "calls.db", utc_now)


def test_a_newer_file_is_left_as_it_is(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "calls.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="newer"):
        CallStore(tmp_path / "calls.db", utc_now)
