"""Turn what is known of a session into the state of its repository."""

import tempfile
from pathlib import Path, PurePosixPath

from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.kit.leftovers import SCRATCH, prefix
from skillopt_sleep.records import NoWorkspace, Session, Snapshot, Workspace
from skillopt_sleep.replay.workspaces.past import COMMIT, commit_at
from skillopt_sleep.replay.workspaces.refused import WorkspaceRefused
from skillopt_sleep.replay.workspaces.repository import Repository, repository_above, repository_at


def workspace_of(session: Session, snapshot: Snapshot | None = None, *, folder: Path) -> Workspace | NoWorkspace:
    """Return where the session's agent stood when it began, or why that can't be had again.

    It is at the commit that the hook noted or the session names, or else at what was checked out at that time; what
    wasn't committed is not in it. `folder` is where throw-away folders are made, which `sweep` knows.
    """
    try:
        if snapshot is not None and COMMIT.fullmatch(snapshot.commit):
            repository = repository_at(Path(snapshot.root))
            inside = _inside(repository, session.cwd)
            return Workspace(root=str(repository.root), commit=snapshot.commit, folder=inside)
        repository = repository_above(Path(session.cwd))
        inside = _inside(repository, session.cwd)
        commit = session.commit
        if not COMMIT.fullmatch(commit):
            with tempfile.TemporaryDirectory(prefix=prefix(SCRATCH), dir=private_dir(folder)) as scratch:
                commit = commit_at(repository, session.started, scratch=Path(scratch))
        return Workspace(root=str(repository.root), commit=commit, folder=inside)
    except WorkspaceRefused as refused:
        return refused.code
    except OSError:
        return NoWorkspace.DISK


def _inside(repository: Repository, cwd: str) -> str:
    """Return where the folder is below the repository's root, "" for the root itself."""
    place = Path(cwd).resolve()
    if not place.is_relative_to(repository.root):
        raise WorkspaceRefused(NoWorkspace.NO_FOLDER, cwd)
    inside = PurePosixPath(place.relative_to(repository.root))
    return "" if inside == PurePosixPath() else str(inside)
