"""Real repositories, and what was done in a copy of one."""

import hashlib
import os
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from skillopt_sleep.records import NoWorkspace, Workspace
from skillopt_sleep.replay.workspaces import Base, Bases, Copy, WorkspaceRefused

_WHO = {
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@shop.example",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@shop.example",
}


_ALIVE: list[Base] = []


def git(folder: Path, *arguments: str, stdin: str = "", **environ: str) -> str:
    """What the genuine git says, without anything of this machine's settings."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", **_WHO, **environ}
    options = ("-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *options, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        input=stdin,
    )
    return done.stdout.strip()


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write these files, with their folders."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def repository(folder: Path, files: Mapping[str, str | bytes] | None = None, *options: str) -> str:
    """A repository with one commit of these files; the commit."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", *options)
    return commit(folder, files or {"a.py": "one\n", "src/b.py": "two\n"})


def commit(folder: Path, files: Mapping[str, str | bytes], **environ: str) -> str:
    """One more commit, of all there is and these files."""
    write(folder, files)
    git(folder, "add", "-A", "-f", **environ)
    git(folder, "commit", "-q", "--allow-empty", "-m", "work", **environ)
    return git(folder, "rev-parse", "HEAD")


def base_of(place: Path, root: Path, name: str, *, folder: str = "", layers: bool | None = None) -> Base:
    """The base of a state, kept below this folder until the tests end."""
    base = Bases(place / "workspaces", layers=layers).of(Workspace(root=str(root), commit=name, folder=folder))
    _ALIVE.append(base)
    return base


def refusal(place: Path, root: Path, name: str, *, folder: str = "") -> NoWorkspace:
    """Why there is no base of a state."""
    with pytest.raises(WorkspaceRefused) as refused:
        base_of(place, root, name, folder=folder)
    return refused.value.code


def state(folder: Path) -> dict[str, tuple[object, ...]]:
    """All that is in a folder: kinds, modes, times of change and content."""
    found: dict[str, tuple[object, ...]] = {}
    for path in folder.rglob("*"):
        info = path.lstat()
        content = ""
        if stat.S_ISREG(info.st_mode):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        elif stat.S_ISLNK(info.st_mode):
            content = str(path.readlink())
        found[str(path)] = (info.st_mode, info.st_mtime_ns, info.st_nlink, content)
    return found


def act(copy: Copy, *argv: str, **environ: str) -> str:
    """Run a program in a copy, with its layers mounted in a namespace of its own; what it says."""
    tree = copy.tree
    environment = {"PATH": os.environ["PATH"], "HOME": "/", "GIT_CONFIG_NOSYSTEM": "1", **_WHO, **environ}
    command = [*argv]
    at = tree.upper
    if tree.lower:
        at = tree.upper.parent / "shown"
        at.mkdir(exist_ok=True)
        layers = f"lowerdir={tree.lower},upperdir={tree.upper},workdir={tree.work},userxattr"
        mount = 'mount -t overlay overlay -o "$1" "$2" && cd "$2" && shift 2 && exec "$@"'
        command = ["unshare", "-U", "-r", "-m", "sh", "-c", mount, "sh", layers, str(at), *argv]
    done = subprocess.run(command, cwd=at, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout
