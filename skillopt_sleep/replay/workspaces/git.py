"""Run git in a repository of our own, over objects that anybody may have written.

Git is never started in a person's repository: it would run the filters, hooks and monitors that its settings name. It
reads that repository's objects from a bare one of ours, which has no settings, hooks, attributes or remotes.
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.kit.process import run
from skillopt_sleep.records import NoWorkspace
from skillopt_sleep.replay.workspaces.refused import WorkspaceRefused

SECONDS = 120.0
MOST_OUTPUT = 64 * 1024 * 1024
NOBODY = "Developer <developer@example.invalid> 946684800 +0000"
_LONG_NAME = 64  # the length of a commit's name in a repository that names by SHA-256

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
_LONG = "[extensions]\n\tobjectFormat = sha256\n"


class Git:
    """Git in the repository at `folder`, which is ours; `name` is what messages name."""

    def __init__(self, folder: Path, *, name: object) -> None:
        self.folder = folder
        self._name = name

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        borrowed: Path | None = None,
        tree: Path | None = None,
        index: Path | None = None,
        most: int = MOST_OUTPUT,
        code: NoWorkspace = NoWorkspace.UNREADABLE,
    ) -> bytes:
        """Return what git prints, or raise WorkspaceRefused.

        `borrowed` is a folder with objects of somebody else's, which are read only; `tree` the files to work on;
        `index` another index than the repository's.
        """
        program = shutil.which("git")
        if program is None:
            raise WorkspaceRefused(NoWorkspace.NO_GIT, self._name, remedy="install git")
        ran = run(
            [program, *arguments],
            stdin=stdin,
            cwd=tree or self.folder,
            environ=self._environ(borrowed, tree, index),
            timeout=SECONDS,
            most=most,
        )
        if ran.stopped:
            raise WorkspaceRefused(NoWorkspace.TOO_LARGE, self._name, why=f"git {arguments[0]} took too much")
        if ran.status:
            said = ran.stderr[-300:].decode(errors="replace").strip()
            why = "".join(letter if letter.isprintable() else " " for letter in said)
            raise WorkspaceRefused(code, self._name, why=why)
        return ran.stdout

    def _environ(self, borrowed: Path | None, tree: Path | None, index: Path | None) -> Mapping[str, str]:
        """Nothing of the person's or the machine's settings, and nothing is asked for, fetched or locked."""
        environ = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.folder),
            "LC_ALL": "C",
            "TZ": "UTC",
            "GIT_DIR": str(self.folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
        }
        name, _, rest = NOBODY.partition(" <")
        mail, _, date = rest.partition("> ")
        for who in ("AUTHOR", "COMMITTER"):
            environ |= {f"GIT_{who}_NAME": name, f"GIT_{who}_EMAIL": mail, f"GIT_{who}_DATE": date}
        if borrowed is not None:
            environ["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = _listed(borrowed)
        if tree is not None:
            environ["GIT_WORK_TREE"] = str(tree)
        if index is not None:
            environ["GIT_INDEX_FILE"] = str(index)
        return environ


def new_repository(folder: Path, *, name: object, commit: str = "", bare: bool = True, settings: str = "") -> Git:
    """Make an empty repository in this folder, by hand, so that nobody's templates and defaults get into it.

    It takes objects of the kind that `commit` names.
    """
    for part in ("objects/pack", "objects/info", "refs/heads", "info"):
        private_dir(folder / part)
    is_long = len(commit) == _LONG_NAME
    text = _SETTINGS.format(bare=str(bare).lower(), version=int(is_long), hooks=os.devnull) + settings
    (folder / "config").write_text(text + (_LONG if is_long else ""), encoding="utf-8")
    (folder / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    return Git(folder, name=name)


def _listed(path: Path) -> str:
    """Return the path as one entry of git's list of folders, which colons part and quotes hold together."""
    text = str(path)
    if os.pathsep not in text and not text.startswith('"'):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
