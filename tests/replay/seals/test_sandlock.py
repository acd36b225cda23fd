"""sandlock: what it is told, and that it needs everything where it is."""

from pathlib import Path, PurePosixPath
from typing import Any, cast

import pytest

from skillopt_sleep.errors import SealBroken
from skillopt_sleep.protocols.sealing import Policy, Tree
from skillopt_sleep.replay.seals.sandlock import Sandlock, check_in_place, settings as sandlock_settings


def _policy(folder: Path, **changed: Any) -> Policy:
    values: dict[str, Any] = {
        "tree": Tree(upper=folder),
        "root": PurePosixPath(folder),
        "cwd": PurePosixPath(folder),
        "home": folder,
        "inside_home": PurePosixPath(folder),
        "environ": {"PATH": "/usr/bin:/bin", "ODD": "a b'c\n"},
    }
    return Policy(**(values | changed))


def test_a_seal_that_moves_nothing_refuses_paths_that_are_not_on_the_disk(tmp_path: Path) -> None:
    check_in_place(_policy(tmp_path))
    for changed in (
        {"root": PurePosixPath("/elsewhere")},
        {"inside_home": PurePosixPath("/home/replay")},
        {"socket": tmp_path / "s"},
        {"reads": {PurePosixPath("/x"): tmp_path}},
    ):
        with pytest.raises(SealBroken):
            check_in_place(_policy(tmp_path, **changed))


def test_sandlock_is_told_the_bounds_and_to_start_from_an_empty_environment(tmp_path: Path) -> None:
    told = cast("dict[str, Any]", sandlock_settings(_policy(tmp_path)))
    assert told["clean_env"] is True
    assert told["env"]["ODD"] == "a b'c\n"
    assert told["fs_writable"] == [str(tmp_path), str(tmp_path), "/dev/null"]
    assert not {"/", "/home", "/etc", "/var", "/dev", "/root"} & set(told["fs_readable"])
    assert told["limits"]["CORE"] == 0


def test_it_refuses_layers(tmp_path: Path) -> None:
    with pytest.raises(SealBroken):
        Sandlock().run(["true"], _policy(tmp_path, tree=Tree(upper=tmp_path, lower=tmp_path, work=tmp_path)))
