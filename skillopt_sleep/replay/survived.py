"""Find the states of a repository that may hold what a session ended with: what was committed by then, or next."""

import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.kit.leftovers import SCRATCH, prefix
from skillopt_sleep.records import NoWorkspace, Workspace
from skillopt_sleep.replay.workspaces.git import new_repository
from skillopt_sleep.replay.workspaces.past import COMMIT, commit_at, tip_of
from skillopt_sleep.replay.workspaces.refused import WorkspaceRefused
from skillopt_sleep.replay.workspaces.repository import Repository, repository_at

# What is committed later than that holds too much else.
LATEST = timedelta(days=7)


def survived(workspace: Workspace, ended: datetime, *, folder: Path) -> tuple[Workspace, ...]:
    """Return what was checked out when the session ended, if it had committed, and the branch's next commit.

    `folder` is where throw-away repositories are made. Nothing is returned for a repository that can't be read.
    """
    commits: dict[str, None] = {}
    try:
        repository = repository_at(Path(workspace.root))
        with tempfile.TemporaryDirectory(prefix=prefix(SCRATCH), dir=private_dir(folder)) as scratch:
            commits.update(dict.fromkeys(_commits(repository, ended, Path(scratch))))
    except (WorkspaceRefused, OSError):
        pass
    commits.pop(workspace.commit, None)
    return tuple(replace(workspace, commit=commit) for commit in commits)


def _commits(repository: Repository, ended: datetime, scratch: Path) -> Iterator[str]:
    for number, find in enumerate((commit_at, _next)):
        place = scratch / str(number)
        place.mkdir()
        try:
            yield find(repository, ended, scratch=place)
        except WorkspaceRefused:
            continue


def _next(repository: Repository, ended: datetime, *, scratch: Path) -> str:
    """Return the branch's first commit after this time; raise WorkspaceRefused if there is none soon after."""
    tip = tip_of(repository)
    if not tip:
        raise WorkspaceRefused(NoWorkspace.NO_COMMIT, repository.root)
    git = new_repository(scratch, name=repository.root, commit=tip)
    since, until = f"--since={ended.timestamp():.0f}", f"--until={(ended + LATEST).timestamp():.0f}"
    found = git.run("rev-list", "--first-parent", since, until, tip, borrowed=repository.objects)
    commits = found.decode().split()
    if not commits or not COMMIT.fullmatch(commits[-1]):
        raise WorkspaceRefused(NoWorkspace.NO_COMMIT, repository.root)
    return commits[-1]
