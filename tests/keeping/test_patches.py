"""The uncommitted work that tasks stand on outlives the month after which hooks delete it."""

import os
from pathlib import Path

from skillopt_sleep.keeping.patches import keep_patches
from skillopt_sleep.records import Task, Workspace
from tests.builders import a_task

LONG_AGO = 1_000_000_000


def aged(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("diff")
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


def standing(patch: Path | str) -> Task:
    return a_task(workspace=Workspace(root="/shop", commit="a" * 40, patch=str(patch)))


def test_only_the_patches_that_tasks_stand_on_are_as_good_as_new(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    needed, other = aged(spool / "codex" / "one.patch"), aged(spool / "codex" / "two.patch")
    outside = aged(tmp_path / "mine.patch")
    link = spool / "codex" / "link.patch"
    link.symlink_to(outside)
    keep_patches(
        [a_task(), standing(""), standing(needed), standing(outside), standing(link), standing(spool / "gone.patch")],
        spool,
    )
    times = [path.stat().st_mtime == LONG_AGO for path in (needed, other, outside)]
    assert times == [False, True, True]
    assert not (spool / "gone.patch").exists()
