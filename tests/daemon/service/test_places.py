import os
from pathlib import Path

import pytest

from skillopt_sleep.daemon.service.manifest import Ledger
from skillopt_sleep.daemon.service.places import Crontab, File
from skillopt_sleep.errors import SleepError, UnsafePath
from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.proposals.paths import digest
from tests.attributes import STRANGER, as_stranger, decorate, needs_attributes, needs_root, open_to_strangers, seen
from tests.installs import CRONTAB, machine, program


def test_a_file_keeps_its_mode_and_a_new_one_is_private(tmp_path: Path) -> None:
    there = tmp_path / "a" / "b" / "file"
    place = File(there)
    assert place.read() is None
    place.write(b"1")
    assert there.stat().st_mode & 0o777 == 0o600
    there.chmod(0o644)
    place.write(b"2")
    assert (place.read(), there.stat().st_mode & 0o777) == (b"2", 0o644)
    place.remove()
    assert place.read() is None


@needs_attributes
def test_a_file_keeps_its_attributes(tmp_path: Path) -> None:
    there = tmp_path / "settings.json"
    there.write_bytes(b"1")
    decorate(there)
    before = seen(there)
    File(there).write(b"2")
    assert (there.read_bytes(), seen(there)) == (b"2", before)


@needs_root
def test_a_file_keeps_its_owner_and_one_that_would_lose_it_is_left_alone(tmp_path: Path) -> None:
    there = tmp_path / "settings.json"
    there.write_bytes(b"1")
    os.chown(there, 1234, STRANGER)
    there.chmod(0o666)
    before = seen(there)
    File(there).write(b"2")
    assert (there.read_bytes(), seen(there)) == (b"2", before)
    open_to_strangers(tmp_path)

    def refused() -> str:
        with pytest.raises(ValueError, match="belongs to another user") as caught:
            File(there).refuse_odd()
        with pytest.raises(UnsafePath):
            File(there).write(b"3")
        return str(caught.value)

    assert "belongs to another user" in as_stranger(refused)
    assert (there.read_bytes(), seen(there)) == (b"2", before)
    assert [path.name for path in tmp_path.iterdir()] == ["settings.json"]


def test_a_file_of_several_names_is_not_replaced(tmp_path: Path) -> None:
    there = tmp_path / "file"
    there.write_bytes(b"1")
    File(there).refuse_odd()
    os.link(there, tmp_path / "other")
    with pytest.raises(ValueError, match="several names"):
        File(there).refuse_odd()


def test_only_half_copies_of_what_is_known_are_swept(tmp_path: Path) -> None:
    for name, data in ((".file.abcdefgh", b"who"), (".file.12345678", b"other"), (".file.short", b"who")):
        (tmp_path / name).write_bytes(data)
    File(tmp_path / "file").sweep((b"whole",))
    assert sorted(path.name for path in tmp_path.iterdir()) == [".file.12345678", ".file.short"]


def test_a_crontab_is_read_written_and_removed_by_its_program(tmp_path: Path) -> None:
    program(tmp_path, "crontab", CRONTAB)
    place = Crontab(machine(tmp_path), Ledger(private_dir(tmp_path / "install")))
    assert place.read() is None
    place.write(b"1 2\n")
    assert place.read() == b"1 2\n"
    place.remove()
    assert place.read() is None


def test_a_crontab_that_loses_what_is_written_is_noticed(tmp_path: Path) -> None:
    ledger = Ledger(private_dir(tmp_path / "install"))
    program(tmp_path, "crontab", "#!/bin/sh\ncat >/dev/null\n")
    with pytest.raises(SleepError, match="isn't what was written"):
        Crontab(machine(tmp_path), ledger).write(b"1 2\n")
    program(tmp_path, "crontab", "#!/bin/sh\necho no >&2; exit 1\n")
    with pytest.raises(SleepError, match="can't be written: no"):
        Crontab(machine(tmp_path), ledger).write(b"1 2\n")
    program(tmp_path, "crontab", CRONTAB)
    Crontab(machine(tmp_path), ledger).write(b"1 2\n")
    program(tmp_path, "crontab", CRONTAB.replace('rm "$table"', "true"))
    with pytest.raises(SleepError, match="can't be removed"):
        Crontab(machine(tmp_path), ledger).remove()


def test_a_crontab_is_handed_over_as_a_finished_file_and_nothing_is_piped(tmp_path: Path) -> None:
    asked = '#!/bin/sh\necho "$@" >> "$HOME/asked"\ncat >> "$HOME/piped"\n'
    program(tmp_path, "crontab", asked + CRONTAB)
    ledger = Ledger(private_dir(tmp_path / "install"))
    Crontab(machine(tmp_path), ledger).write(b"1 2\n")
    assert (tmp_path / "asked").read_text().splitlines() == [digest(b"1 2\n"), "-l"]
    assert (tmp_path / "piped").read_bytes() == b""
