from pathlib import Path

import pytest

from skillopt_sleep.daemon.service.changes import apply, plan_own_file, reverse, sweep
from skillopt_sleep.daemon.service.manifest import Ledger
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.files import private_dir, remove_empty
from tests.installs import machine


def test_a_file_that_was_changed_since_it_was_looked_at_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "unit"
    change = plan_own_file(path, b"ours", old=None, ledger=Ledger(tmp_path / "install"))
    path.write_bytes(b"theirs")
    with pytest.raises(SleepError, match="changed meanwhile"):
        apply(change)
    assert path.read_bytes() == b"theirs"


def test_a_new_file_goes_with_the_folders_it_came_with(tmp_path: Path) -> None:
    ledger = Ledger(private_dir(tmp_path / "install"))
    path = tmp_path / "a" / "b" / "unit"
    change = plan_own_file(path, b"ours", old=None, ledger=ledger, folders=(path.parent / "wants",))
    ledger.save(change.after)
    apply(change)
    (path.parent / "wants").mkdir()
    (path.parent / ".unit.abcdefgh").write_bytes(b"ou")
    sweep(change.item, ledger)
    assert reverse(change.item, machine(tmp_path), ledger) == f"removed  {path}"
    assert remove_empty(change.item.folders) == ()
    assert not (tmp_path / "a").exists()


def test_what_is_not_there_any_more_needs_no_reversal(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "install")
    change = plan_own_file(tmp_path / "unit", b"ours", old=None, ledger=ledger)
    assert reverse(change.item, machine(tmp_path), ledger) == ""
