"""Run git in a throw-away repository of our own, on what an attempt left."""

import os
import shutil
from pathlib import Path

from dulwich.object_format import SHA1, SHA256, ObjectFormat

from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.kit.process import run
from skillopt_sleep.records import NoWorkspace
from skillopt_sleep.replay.workspaces.limits import WorkspaceRefused

SECONDS = 120.0
MOST_OUTPUT = 64 * 1024 * 1024
HEAD = ".git/refs/heads/main"
NOBODY = "Developer <developer@example.invalid>"

# `checkStat`: the files of a copy have other numbers and times of change than those that git saw.
_SETTINGS = """[core]
\tbare = {bare}
\trepositoryformatversion = {version}
\tfilemode = true
\tcheckStat = minimal
\ttrustctime = false
\tfsmonitor = false
\thooksPath = {hooks}
\tquotePath = true
[gc]
\tauto = 0
[maintenance]
\tauto = false
"""
_LONG_NAME = 64  # the length of a commit's name in a repository that names by SHA-256
_LONG = "[extensions]\n\tobjectFormat = sha256\n"
# Nothing of the person's or the machine's settings, and nothing is asked for, fetched or locked.
_ENVIRON = {
    "LC_ALL": "C",
    "TZ": "UTC",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
}


def format_of(commit: str) -> ObjectFormat:
    """Return how a repository names its objects that has a commit of this name."""
    return SHA256 if len(commit) == _LONG_NAME else SHA1


def new_repository(
    folder: Path, *, object_format: ObjectFormat = SHA1, bare: bool = True, settings: str = ""
) -> None:
    """Make an empty repository in this folder, by hand, so that nobody's templates and defaults get into it."""
    for part in ("objects/pack", "objects/info", "refs/heads", "info"):
        private_dir(folder / part)
    is_long = object_format is SHA256
    text = _SETTINGS.format(bare=str(bare).lower(), version=int(is_long), hooks=os.devnull) + settings
    (folder / "config").write_text(text + (_LONG if is_long else ""), encoding="utf-8")
    (folder / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")


def git(folder: Path, *arguments: str, stdin: bytes, tree: Path, most: int = MOST_OUTPUT) -> bytes:
    """Return what git prints in the repository in `folder` with the files of `tree`, or raise WorkspaceRefused."""
    program = shutil.which("git")
    if program is None:
        raise WorkspaceRefused(NoWorkspace.NO_GIT, tree, remedy="install git")
    environ = {
        **_ENVIRON,
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "GIT_DIR": str(folder),
        "GIT_WORK_TREE": str(tree),
    }
    ran = run([program, *arguments], stdin=stdin, cwd=tree, environ=environ, timeout=SECONDS, most=most)
    if ran.stopped:
        raise WorkspaceRefused(NoWorkspace.TOO_LARGE, tree, why=f"git {arguments[0]} took too much")
    if ran.status:
        said = ran.stderr[-300:].decode(errors="replace").strip()
        why = "".join(letter if letter.isprintable() else " " for letter in said)
        raise WorkspaceRefused(NoWorkspace.UNREADABLE, tree, why=why)
    return ran.stdout
