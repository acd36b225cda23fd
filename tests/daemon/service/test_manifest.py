from pathlib import Path

import pytest
from filelock import FileLock

from skillopt_sleep.daemon.service.manifest import Item, Kind, Ledger, Manifest
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.files import private_dir

ITEM = Item(kind=Kind.OWN, path="/a", target="/b", before="", ours=("1",))


def test_what_is_written_down_is_read_back_and_private(tmp_path: Path) -> None:
    ledger = Ledger(private_dir(tmp_path / "install"))
    assert ledger.read() is None
    ledger.write(Manifest(items=(ITEM,)))
    assert ledger.read() == Manifest(items=(ITEM,))
    assert (ledger.folder / "manifest.json").stat().st_mode & 0o077 == 0


def test_bytes_are_kept_until_all_is_forgotten(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    name = ledger.save(b"secret")
    assert ledger.saved(name) == b"secret"
    assert ledger.copy(name).stat().st_mode & 0o077 == 0
    assert (ledger.save(None), ledger.saved("")) == ("", None)
    copy = ledger.set_aside("edited-unit", b"edited")
    ledger.forget()
    assert not ledger.copy(name).exists()
    assert copy.read_bytes() == b"edited"


def test_bytes_that_were_damaged_are_an_error_and_are_kept_anew(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    name = ledger.save(b"theirs")
    ledger.copy(name).write_bytes(b"th")
    with pytest.raises(SleepError, match="saved copy"):
        ledger.saved(name)
    assert ledger.save(b"theirs") == name
    assert ledger.saved(name) == b"theirs"
    ledger.copy(name).unlink()
    with pytest.raises(SleepError, match="saved copy"):
        ledger.saved(name)


def test_a_manifest_of_another_version_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"format": 9, "new": 1}', encoding="utf-8")
    with pytest.raises(SleepError, match="can't be read") as raised:
        Ledger(tmp_path).read()
    assert "version" in raised.value.remedy


def test_only_one_installs_at_a_time(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, patience=0.05)
    with FileLock(tmp_path / ".lock"), pytest.raises(SleepError, match="another install"), ledger.held():
        pass
    with ledger.held():
        pass
