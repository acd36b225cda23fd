from pathlib import Path

import pytest

from skillopt_sleep.errors import StoreError
from skillopt_sleep.settings import Settings, find_paths
from skillopt_sleep.stores.user import open_store
from skillopt_sleep.web.shelf import Shelf


def test_the_store_stays_open_until_another_file_is_there(tmp_path: Path) -> None:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)})
    shelf = Shelf(paths)
    with shelf.store(Settings()) as empty:
        assert empty.nights() == ()
    assert not paths.database.exists()

    open_store(Settings(), paths).close()
    with shelf.store(Settings()) as first, shelf.store(Settings()) as again:
        assert first is again
    for ending in ("", "-wal", "-shm"):
        part = paths.database.with_name(paths.database.name + ending)
        if part.exists():
            part.rename(part.with_name(f"aside{ending}"))
    open_store(Settings(), paths).close()
    with shelf.store(Settings()) as second:
        assert second is not first
    first.close()
    second.close()


def test_a_damaged_store_is_an_error_and_stays_where_it_is(tmp_path: Path) -> None:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)})
    paths.data.mkdir()
    paths.database.write_bytes(b"no database" * 1_000)
    with pytest.raises(StoreError), Shelf(paths).store(Settings()):
        pass
    assert paths.database.exists()
