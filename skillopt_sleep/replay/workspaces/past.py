"""Find what was checked out in a repository at some time."""

import re
from datetime import datetime
from pathlib import Path

from skillopt_sleep.kit.files import read_plain, readable
from skillopt_sleep.records import NoWorkspace
from skillopt_sleep.replay.workspaces.git import new_repository
from skillopt_sleep.replay.workspaces.refused import WorkspaceRefused
from skillopt_sleep.replay.workspaces.repository import Repository

COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MOST_LOG = 32 * 1024 * 1024
_MOST_REFS = 64 * 1024 * 1024
_REF = re.compile(r"ref: (refs/heads/[^\s:~^?*\[\\\x00-\x1f\x7f]+)")
# Old name, new name, who, when; a message may follow.
_STEP = re.compile(r"[0-9a-f]+ (?P<commit>[0-9a-f]+) .*> (?P<at>\d{1,12}) [+-]\d{4}(?:\t.*)?")


def commit_at(repository: Repository, at: datetime, *, scratch: Path) -> str:
    """Return what git noted as checked out at that time, else the branch's last commit before it.

    `scratch` is an empty folder for a repository of our own. Raises WorkspaceRefused if nothing is found.
    """
    noted = _noted(repository, at)
    if noted:
        return noted
    tip = tip_of(repository)
    if not tip:
        raise WorkspaceRefused(NoWorkspace.NO_COMMIT, repository.root)
    git = new_repository(scratch, name=repository.root, commit=tip)
    if repository.shallow:
        cut = read_plain(repository.common / "shallow", most=_MOST_LOG, inside=repository.common)
        (scratch / "shallow").write_bytes(b"".join(line + b"\n" for line in cut.split() if len(line) == len(tip)))
    before = f"--before={at.timestamp():.0f}"
    code = NoWorkspace.SHALLOW if repository.shallow else NoWorkspace.NO_COMMIT
    found = git.run("rev-list", "-1", "--first-parent", before, tip, borrowed=repository.objects, code=code)
    commit = found.decode().strip()
    if not COMMIT.fullmatch(commit):
        raise WorkspaceRefused(code, repository.root)
    return commit


def _noted(repository: Repository, at: datetime) -> str:
    """Return the last commit that was checked out before this time, by git's own log of the folder, or ""."""
    commit = ""
    for line in _text(repository.git / "logs" / "HEAD", _MOST_LOG, inside=repository.git).splitlines():
        step = _STEP.fullmatch(line)
        if step and int(step["at"]) <= at.timestamp() and COMMIT.fullmatch(step["commit"]):
            commit = step["commit"]
    return "" if set(commit) == {"0"} else commit


def tip_of(repository: Repository) -> str:
    """Return the last commit of the branch that is checked out, or ""."""
    head = _text(repository.git / "HEAD", _MOST_REFS, inside=repository.git).strip()
    if COMMIT.fullmatch(head):
        return head
    named = _REF.fullmatch(head)
    if named is None or ".." in named[1]:
        return ""
    loose = _text(repository.common / named[1], _MOST_REFS, inside=repository.common).strip()
    if COMMIT.fullmatch(loose):
        return loose
    for line in _text(repository.common / "packed-refs", _MOST_REFS, inside=repository.common).splitlines():
        commit, _, name = line.partition(" ")
        if name == named[1] and COMMIT.fullmatch(commit):
            return commit
    return ""


def _text(path: Path, most: int, *, inside: Path) -> str:
    """Read one of git's own small files; "" if it isn't there, isn't plain, or is too large."""
    return readable(path, most=most, inside=inside).decode(errors="replace")
