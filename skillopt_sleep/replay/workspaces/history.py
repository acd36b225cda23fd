"""Find the states of a repository that a session began and ended with."""

import re
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from skillopt_sleep.kit.files import readable
from skillopt_sleep.records import NoWorkspace, Session, Snapshot, Workspace
from skillopt_sleep.replay.workspaces.limits import WorkspaceRefused
from skillopt_sleep.replay.workspaces.objects import objects_of
from skillopt_sleep.replay.workspaces.repository import Repository, repository_above, repository_at

COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# What is committed later than that holds too much else.
LATEST = timedelta(days=7)
_MOST_LOG = 32 * 1024 * 1024
_MOST_REFS = 64 * 1024 * 1024
_REF = re.compile(r"ref: (refs/heads/[^\s:~^?*\[\\\x00-\x1f\x7f]+)")
# Old name, new name, who, when; a message may follow.
_STEP = re.compile(r"[0-9a-f]+ (?P<commit>[0-9a-f]+) .*> (?P<at>\d{1,12}) [+-]\d{4}(?:\t.*)?")


def workspace_of(session: Session, snapshot: Snapshot | None = None) -> Workspace | NoWorkspace:
    """Return where the session's agent stood when it began, or why that can't be had again.

    It is at the commit that the hook noted or the session names, or else at what was checked out at that time; what
    wasn't committed is not in it.
    """
    try:
        if snapshot is not None and COMMIT.fullmatch(snapshot.commit):
            repository = repository_at(Path(snapshot.root))
            commit = snapshot.commit
        else:
            repository = repository_above(Path(session.cwd))
            commit = session.commit
        inside = _inside(repository, session.cwd)
        if not COMMIT.fullmatch(commit):
            commit = commit_at(repository, session.started)
        return Workspace(root=str(repository.root), commit=commit, folder=inside)
    except WorkspaceRefused as refused:
        return refused.code
    except OSError:
        return NoWorkspace.DISK


def ends_of(workspace: Workspace, ended: datetime) -> tuple[Workspace, ...]:
    """Return the states that may hold what a session ended with.

    They are what was checked out when it ended, if it had committed, and the branch's next commit. A repository that
    can't be read has none.
    """
    commits: dict[str, None] = {}
    try:
        repository = repository_at(Path(workspace.root))
    except WorkspaceRefused:
        return ()
    for find in (commit_at, _next_commit):
        try:
            commits[find(repository, ended)] = None
        except (WorkspaceRefused, OSError):
            continue
    commits.pop(workspace.commit, None)
    return tuple(replace(workspace, commit=commit) for commit in commits)


def commit_at(repository: Repository, at: datetime) -> str:
    """Return what git noted as checked out at that time, else the branch's last commit before it.

    Raises WorkspaceRefused if nothing is found.
    """
    noted = _noted(repository, at)
    if noted:
        return noted
    tip = _tip_of(repository)
    with objects_of(repository, tip) as objects:
        for name, made in objects.history(tip):
            if made <= at.timestamp():
                return name
    raise WorkspaceRefused(NoWorkspace.NO_COMMIT, repository.root)


def _next_commit(repository: Repository, at: datetime) -> str:
    """Return the branch's first commit after this time; raise WorkspaceRefused if there is none soon after."""
    tip = _tip_of(repository)
    found = ""
    with objects_of(repository, tip) as objects:
        for name, made in objects.history(tip):
            if made < at.timestamp():
                break
            if made <= (at + LATEST).timestamp():
                found = name
    if not found:
        raise WorkspaceRefused(NoWorkspace.NO_COMMIT, repository.root)
    return found


def _inside(repository: Repository, cwd: str) -> str:
    """Return where the folder is below the repository's root, "" for the root itself."""
    place = Path(cwd).resolve()
    if not place.is_relative_to(repository.root):
        raise WorkspaceRefused(NoWorkspace.NO_FOLDER, cwd)
    inside = PurePosixPath(place.relative_to(repository.root))
    return "" if inside == PurePosixPath() else str(inside)


def _noted(repository: Repository, at: datetime) -> str:
    """Return the last commit that was checked out before this time, by git's own log of the folder, or ""."""
    commit = ""
    for line in _text(repository.git / "logs" / "HEAD", _MOST_LOG, inside=repository.git).splitlines():
        step = _STEP.fullmatch(line)
        if step and int(step["at"]) <= at.timestamp() and COMMIT.fullmatch(step["commit"]):
            commit = step["commit"]
    return "" if set(commit) == {"0"} else commit


def _tip_of(repository: Repository) -> str:
    """Return the last commit of the branch that is checked out; raise WorkspaceRefused if there is none."""
    head = _text(repository.git / "HEAD", _MOST_REFS, inside=repository.git).strip()
    if COMMIT.fullmatch(head):
        return head
    named = _REF.fullmatch(head)
    if named is None or ".." in named[1]:
        raise WorkspaceRefused(NoWorkspace.NO_COMMIT, repository.root)
    loose = _text(repository.common / named[1], _MOST_REFS, inside=repository.common).strip()
    if COMMIT.fullmatch(loose):
        return loose
    for line in _text(repository.common / "packed-refs", _MOST_REFS, inside=repository.common).splitlines():
        commit, _, name = line.partition(" ")
        if name == named[1] and COMMIT.fullmatch(commit):
            return commit
    raise WorkspaceRefused(NoWorkspace.NO_COMMIT, repository.root)


def _text(path: Path, most: int, *, inside: Path) -> str:
    """Read one of git's own small files; "" if it isn't there, isn't plain, or is too large."""
    return readable(path, most=most, inside=inside).decode(errors="replace")
