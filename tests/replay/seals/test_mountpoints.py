"""Mount points in a tree that somebody else may have filled."""

from pathlib import Path, PurePosixPath

import pytest

from skillopt_sleep.errors import SealBroken
from skillopt_sleep.replay.seals.mountpoints import make_mount_point


@pytest.fixture
def tree(tmp_path: Path) -> tuple[Path, Path, Path]:
    folders = (tmp_path / "upper", tmp_path / "lower", tmp_path / "outside")
    for folder in folders:
        folder.mkdir()
    return folders


def test_folders_are_made_in_the_upper_layer_only(tree: tuple[Path, Path, Path]) -> None:
    upper, lower, _ = tree
    (lower / "a").mkdir()
    make_mount_point(upper, PurePosixPath("a/b/c"), lower=lower)
    assert (upper / "a" / "b" / "c").is_dir()
    assert [*(lower / "a").iterdir()] == []


def test_what_is_there_is_taken_and_may_be_asked_for_twice(tree: tuple[Path, Path, Path]) -> None:
    upper, _, _ = tree
    (upper / "a").mkdir()
    (upper / "a" / "kept").write_text("kept")
    for _ in range(2):
        make_mount_point(upper, PurePosixPath("a"))
        make_mount_point(upper, PurePosixPath("b/file"), is_folder=False)
    assert (upper / "a" / "kept").read_text() == "kept"
    assert (upper / "b" / "file").read_text() == ""


@pytest.mark.parametrize("where", ["upper", "lower"])
@pytest.mark.parametrize("path", ["link", "link/deps", "folder/link", "folder/link/deps/more"])
def test_no_link_is_followed_in_either_layer(tree: tuple[Path, Path, Path], where: str, path: str) -> None:
    upper, lower, outside = tree
    layer = upper if where == "upper" else lower
    (layer / "folder").mkdir()
    (layer / "link").symlink_to(outside)
    (layer / "folder" / "link").symlink_to("../../outside")
    with pytest.raises(SealBroken):
        make_mount_point(upper, PurePosixPath(path), lower=lower)
    assert [*outside.iterdir()] == []


@pytest.mark.parametrize("path", ["file", "file/deps", "..", "../outside/x", "a/../../outside", "/etc", ""])
def test_what_can_not_be_a_mount_point_is_refused(tree: tuple[Path, Path, Path], path: str) -> None:
    upper, lower, outside = tree
    (upper / "file").write_text("mine")
    with pytest.raises(SealBroken):
        make_mount_point(upper, PurePosixPath(path), lower=lower)
    assert (upper / "file").read_text() == "mine"
    assert [*outside.iterdir()] == []
