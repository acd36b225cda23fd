import errno
import os
import sqlite3
import stat
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.kit.files import ROOM, private_dir, read_plain, remove_empty, worded, write_atomic
from skillopt_sleep.proposals.attributes import attributes_of, write_as
from tests.disks import full_disk


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_every_folder_that_is_made_is_the_owners_alone(tmp_path: Path) -> None:
    made = private_dir(tmp_path / "a" / "b" / "c")
    assert made == tmp_path / "a" / "b" / "c"
    assert [_mode(folder) for folder in (made, made.parent, made.parent.parent)] == [0o700] * 3


def test_a_folder_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    private_dir(shared / "mine")
    private_dir(shared)
    assert _mode(shared) == 0o755


def test_a_loose_umask_does_not_open_what_is_written(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        private_dir(tmp_path / "new" / "er")
        write_atomic(tmp_path / "new" / "file", b"x")
    finally:
        os.umask(before)
    assert _mode(tmp_path / "new") == _mode(tmp_path / "new" / "er") == 0o700
    assert _mode(tmp_path / "new" / "file") == 0o600


@given(st.binary(max_size=4_000))
def test_the_bytes_written_are_the_bytes_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes"
    write_atomic(path, data)
    assert path.read_bytes() == data


def test_a_users_file_gets_the_attributes_that_were_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "script"
    path.write_bytes(b"old")
    path.chmod(0o755)
    asked = attributes_of(path)
    path.chmod(0o600)
    write_as(path, b"new", asked)
    assert (path.read_bytes(), _mode(path)) == (b"new", 0o755)


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "inside").write_bytes(b"old")
    with pytest.raises(OSError, match="taken"):
        write_atomic(tmp_path / "taken", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
    assert (tmp_path / "taken" / "inside").read_bytes() == b"old"


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_atomic(tmp_path / "nowhere" / "file", b"x")
    assert not (tmp_path / "nowhere").exists()


def refused(path: Path, *, inside: Path | None = None) -> str:
    with pytest.raises(OSError, match=r"\w") as caught:
        read_plain(path, most=10, inside=inside)
    return caught.value.strerror or ""


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 10)
    assert read_plain(tmp_path / "file", most=10) == b"x" * 10
    (tmp_path / "file").write_bytes(b"x" * 11)
    assert "larger than 10 bytes" in refused(tmp_path / "file")


def test_pipes_devices_and_large_files_are_neither_waited_for_nor_read_for_ever(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(3 << 30)
    assert "isn't a plain file" in refused(tmp_path / "pipe")
    assert "isn't a plain file" in refused(tmp_path / "zeros")
    assert "larger than" in refused(tmp_path / "sparse")


def test_a_link_is_followed_only_to_where_it_may_lead(tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    project.mkdir()
    elsewhere.mkdir()
    (project / "real").write_bytes(b"mine")
    (project / "near").symlink_to("real")
    (elsewhere / "file").write_bytes(b"theirs")
    (project / "far").symlink_to(elsewhere / "file")
    (project / "folder").symlink_to(elsewhere)
    (project / "circle").symlink_to("circle")

    assert read_plain(project / "near", most=10, inside=project) == b"mine"
    assert read_plain(project / "far", most=10) == b"theirs"
    assert "outside" in refused(project / "far", inside=project)
    assert "outside" in refused(project / "folder" / "file", inside=project)
    assert refused(project / "circle", inside=project)
    with pytest.raises(FileNotFoundError):
        read_plain(project / "none", most=10, inside=project)


def test_only_empty_folders_are_removed_and_none_behind_a_link(tmp_path: Path) -> None:
    made = [tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "c"]
    folders = [str(folder) for folder in made]
    made[1].mkdir(parents=True)
    (made[0] / "mine").write_bytes(b"x")
    assert remove_empty(folders) == ()
    assert [path.name for path in made[0].iterdir()] == ["mine"]
    outside = tmp_path / "outside"
    (outside / "b" / "c").mkdir(parents=True)
    made[0].rename(tmp_path / "gone")
    made[0].symlink_to(outside)
    assert remove_empty(folders) == ()
    assert (outside / "b" / "c").is_dir()


def test_a_folder_in_use_keeps_no_other_empty_folder(tmp_path: Path) -> None:
    used, free = tmp_path / "used", tmp_path / "free"
    (used / "inner").mkdir(parents=True)
    (used / "inner" / "mine").write_bytes(b"x")
    (free / "inner").mkdir(parents=True)
    folders = tuple(map(str, (free, free / "inner", used, used / "inner")))

    assert remove_empty(folders) == ()

    assert not free.exists()
    assert (used / "inner" / "mine").exists()


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
