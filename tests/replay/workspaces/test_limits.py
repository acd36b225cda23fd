"""A folder is listed without following a link in it."""

from pathlib import Path

import pytest

from skillopt_sleep.records import NoWorkspace
from skillopt_sleep.replay.workspaces import CopyLimits, WorkspaceRefused
from skillopt_sleep.replay.workspaces.limits import lookup, walk
from tests.replay.workspaces.repositories import write


def test_links_are_listed_and_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"top/a/b": "1", "outside/c": "2"})
    (tmp_path / "top" / "out").symlink_to("../outside")
    (tmp_path / "top" / "loop").symlink_to(".")
    found = walk(tmp_path / "top", CopyLimits())
    assert (list(found.folders), sorted(found.files)) == ([b"a"], [b"a/b", b"loop", b"out"])
    assert list(walk(tmp_path / "top", CopyLimits(), start=b"a").files) == [b"a/b"]
    assert lookup(tmp_path / "top", b"a/b")
    for path in (b"out/c", b"loop/a/b", b"a/b/c", b"gone", b"a/gone"):
        assert lookup(tmp_path / "top", path) is None


def test_too_much_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {f"f{number}": "" for number in range(9)})
    with pytest.raises(WorkspaceRefused) as refused:
        walk(tmp_path, CopyLimits(files=2))
    assert refused.value.code is NoWorkspace.TOO_LARGE
