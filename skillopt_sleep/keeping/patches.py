"""Keep the uncommitted work that tasks stand on for as long as the tasks are asked again."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from skillopt_sleep.records import Task


def keep_patches(tasks: Iterable[Task], spool: Path) -> None:
    """Mark the patches of these tasks in the spool as new: the agents' hooks delete what is a month old there."""
    for task in tasks:
        if task.workspace is None or not task.workspace.patch:
            continue
        patch = Path(task.workspace.patch)
        if patch.is_relative_to(spool):
            with suppress(FileNotFoundError):
                os.utime(patch, follow_symlinks=False)
