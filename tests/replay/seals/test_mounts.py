"""What bubblewrap shows, and where."""

from pathlib import Path, PurePosixPath

import pytest

from skillopt_sleep.errors import SealBroken
from skillopt_sleep.replay.seals import SEALS
from skillopt_sleep.replay.seals.machine import system_program
from skillopt_sleep.replay.seals.mounts import make_mount_point
from tests.sealed import a_place

pytestmark = pytest.mark.seal

needs_bubblewrap = pytest.mark.skipif(system_program() is None, reason="bubblewrap isn't installed")


@needs_bubblewrap
@pytest.mark.parametrize("root", ["/", "/usr", "/run", "/etc", "/home", "/home/replay", "relative", "/srv/../etc"])
def test_a_copy_can_not_stand_where_the_system_or_the_home_does(root: str) -> None:
    with a_place(SEALS[0]) as place, pytest.raises(SealBroken):
        place.sh("true", root=PurePosixPath(root), cwd=PurePosixPath(root))


@needs_bubblewrap
def test_a_copy_may_stand_in_a_temporary_folder_or_below_the_sealed_home() -> None:
    for name in ("/tmp/project", "/home/replay/project", "/root/x/y"):  # noqa: S108
        with a_place(SEALS[0]) as place:
            ran = place.sh("cat file", root=PurePosixPath(name), cwd=PurePosixPath(name))
            assert ran.stdout == b"base\n", ran.stderr


@needs_bubblewrap
def test_a_file_or_a_missing_folder_can_not_be_shown_as_dependencies() -> None:
    with a_place(SEALS[0]) as place:
        for source in (place.outside / "secret", place.folder / "missing"):
            with pytest.raises(SealBroken):
                place.sh("true", reads={place.policy.root / "deps": source})
        link = place.folder / "link"
        link.symlink_to(place.outside)
        with pytest.raises(SealBroken):
            place.sh("true", reads={place.policy.root / "deps": link})


@needs_bubblewrap
def test_of_the_systems_folders_for_tls_only_what_is_public_is_shown() -> None:
    with a_place(SEALS[0]) as place:
        ran = place.sh("ls /etc/ssl /etc/pki /etc/pki/tls 2>/dev/null; test -r /etc/ssl/certs/. && echo read")
    found = set(ran.stdout.decode().split())
    assert "private" not in found
    assert "openssl.cnf" in found
    assert "read" in found


# Mount points in a tree that somebody else may have filled.


@pytest.fixture
def tree(tmp_path: Path) -> tuple[Path, Path]:
    folders = (tmp_path / "upper", tmp_path / "outside")
    for folder in folders:
        folder.mkdir()
    return folders[0], folders[1]


def test_what_is_there_is_taken_and_may_be_asked_for_twice(tree: tuple[Path, Path]) -> None:
    upper, _ = tree
    (upper / "a").mkdir()
    (upper / "a" / "kept").write_text("kept")
    for _ in range(2):
        make_mount_point(upper, PurePosixPath("a"))
        make_mount_point(upper, PurePosixPath("b/file"), is_folder=False)
    assert (upper / "a" / "kept").read_text() == "kept"
    assert (upper / "b" / "file").read_text() == ""


@pytest.mark.parametrize("path", ["link", "link/deps", "folder/link", "folder/link/deps/more"])
def test_no_link_is_followed(tree: tuple[Path, Path], path: str) -> None:
    upper, outside = tree
    (upper / "folder").mkdir()
    (upper / "link").symlink_to(outside)
    (upper / "folder" / "link").symlink_to("../../outside")
    with pytest.raises(SealBroken):
        make_mount_point(upper, PurePosixPath(path))
    assert [*outside.iterdir()] == []


@pytest.mark.parametrize("path", ["file", "file/deps", "..", "../outside/x", "a/../../outside", "/etc", ""])
def test_what_can_not_be_a_mount_point_is_refused(tree: tuple[Path, Path], path: str) -> None:
    upper, outside = tree
    (upper / "file").write_text("mine")
    with pytest.raises(SealBroken):
        make_mount_point(upper, PurePosixPath(path))
    assert (upper / "file").read_text() == "mine"
    assert [*outside.iterdir()] == []
