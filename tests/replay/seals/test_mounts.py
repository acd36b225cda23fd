"""What bubblewrap shows, and where."""

from pathlib import PurePosixPath

import pytest

from skillopt_sleep.errors import SealBroken
from skillopt_sleep.replay.seals import SEALS
from skillopt_sleep.replay.seals.bubblewrap import system_program
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
