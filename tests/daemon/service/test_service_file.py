import sys
from pathlib import Path

import pytest

from skillopt_sleep.daemon.service.service_file import (
    LABEL,
    UNIT,
    first_line,
    installed,
    owner,
    remove,
    service_path,
    start_by_hand,
    write,
)
from skillopt_sleep.errors import SleepError
from skillopt_sleep.settings import Paths


def ours(config: Path) -> bytes:
    """A file of ours for these settings."""
    return f"# {first_line(Paths(config=config, data=config))}\n[Unit]\n".encode()


def test_each_platform_has_a_place_for_services_of_the_user(tmp_path: Path) -> None:
    unit = Path("systemd") / "user" / UNIT
    assert service_path("linux", tmp_path, {}) == tmp_path / ".config" / unit
    assert service_path("linux", tmp_path, {"XDG_CONFIG_HOME": "/c"}) == Path("/c") / unit
    assert service_path("linux", tmp_path, {"XDG_CONFIG_HOME": "c"}) == tmp_path / ".config" / unit
    assert service_path("darwin", tmp_path, {}) == tmp_path / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    assert service_path("freebsd14", tmp_path, {}) is None


@pytest.mark.parametrize(
    "foreign",
    [
        b"",
        b"[Unit]\n",
        b"\n" + ours(Path("/a")),
        b"#" + ours(Path("/a")),
        ours(Path("/a"))[:30],
        b"\xff\xfe",
        b"<?xml ?>\n<plist/>\n",
    ],
)
def test_a_file_that_does_not_begin_with_our_line_is_never_written(foreign: bytes, tmp_path: Path) -> None:
    path = tmp_path / UNIT
    path.write_bytes(foreign)
    assert owner(path) is None
    with pytest.raises(SleepError, match="wasn't written by skillopt-sleep"):
        write(path, ours(tmp_path))
    assert path.read_bytes() == foreign


def test_a_link_to_nothing_and_a_folder_are_not_ours_either(tmp_path: Path) -> None:
    link, folder = tmp_path / "link.service", tmp_path / "folder.service"
    link.symlink_to("nowhere")
    folder.mkdir()
    for path in (link, folder):
        with pytest.raises(SleepError, match="left as it is"):
            write(path, ours(tmp_path))


def test_a_file_of_ours_is_replaced_and_names_the_settings_it_is_for(tmp_path: Path) -> None:
    path = tmp_path / "systemd" / "user" / UNIT
    for config in (Path("/home/me/.config/skillopt-sleep"), tmp_path / "a--b c%\n"):
        write(path, ours(config))
        assert owner(path) == str(config)


def test_what_a_killed_write_left_is_removed_with_the_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "systemd" / "user" / UNIT
    write(path, ours(tmp_path))
    (path.parent / f".{UNIT}.0a1b2c3d").write_bytes(b"# skill")
    theirs = path.parent / f".{UNIT}.swp"
    theirs.write_bytes(b"[Unit]\n")
    remove(path)
    assert list(path.parent.iterdir()) == [theirs]
    theirs.unlink()
    remove(path)
    assert list(tmp_path.iterdir()) == []


def test_a_service_counts_as_installed_for_its_own_settings_only(tmp_path: Path) -> None:
    mine, other = (Paths(config=tmp_path / name, data=tmp_path / name) for name in ("mine", "other"))
    environ = {"HOME": str(tmp_path)}
    assert installed(mine, environ) is None
    path = service_path(sys.platform, tmp_path, environ)
    assert path
    write(path, ours(mine.config))
    assert installed(mine, environ) == path
    assert installed(other, environ) is None


def test_each_service_is_started_by_a_command_of_its_platform(tmp_path: Path) -> None:
    assert start_by_hand(tmp_path / UNIT).endswith(f"systemctl --user enable --now {UNIT}")
    assert start_by_hand(Path("/a b.plist")) == "launchctl bootstrap gui/$(id -u) '/a b.plist'"
