"""Workspace: the state of a repository in which a request can be done once more, and who does it there."""

from enum import StrEnum

from skillopt_sleep.records.record import Record


class Workspace(Record, frozen=True, kw_only=True):
    """Where the agent stood when it got the request.

    `root` is the repository's folder and `commit` what was checked out there; `folder` is where the agent stood below
    the root, "" for the root itself. Work that wasn't committed is no part of it.
    """

    root: str
    commit: str
    folder: str = ""


class NoWorkspace(StrEnum):
    """Why a request can't be done once more in its repository; a closed set."""

    GONE = "gone"
    NO_REPOSITORY = "no_repository"
    BARE = "bare"
    HOME_FOLDER = "home_folder"
    NOT_OWN = "not_own"
    NO_COMMIT = "no_commit"
    SHALLOW = "shallow"
    PARTIAL = "partial"
    NO_FOLDER = "no_folder"
    SUBMODULES = "submodules"
    LFS = "lfs"
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"
    UNSAFE_PATH = "unsafe_path"
    NO_GIT = "no_git"
    DISK = "disk"


NO_WORKSPACE_WORDS = {
    NoWorkspace.GONE: "the folder is gone",
    NoWorkspace.NO_REPOSITORY: "the folder is in no git repository",
    NoWorkspace.BARE: "the repository is bare, so no files are checked out",
    NoWorkspace.HOME_FOLDER: "the repository is the home folder itself",
    NoWorkspace.NOT_OWN: "its `.git` leads to another repository",
    NoWorkspace.NO_COMMIT: "the commit isn't in the repository any more",
    NoWorkspace.SHALLOW: "the repository is a shallow clone, which doesn't reach back to the commit",
    NoWorkspace.PARTIAL: "the repository is a partial clone, which lacks files of the commit",
    NoWorkspace.NO_FOLDER: "the folder isn't in the commit",
    NoWorkspace.SUBMODULES: "the repository has submodules",
    NoWorkspace.LFS: "the repository keeps files in Git LFS",
    NoWorkspace.TOO_LARGE: "the repository is too large to copy here",
    NoWorkspace.UNREADABLE: "git can't read the commit",
    NoWorkspace.UNSAFE_PATH: "a path leads out of the copy or through a link",
    NoWorkspace.NO_GIT: "git isn't installed",
    NoWorkspace.DISK: "the copy can't be written",
}
"""The reasons in words."""


class CommandRun(Record, frozen=True, kw_only=True):
    """A command that ran in an attempt: `status` is its exit status, None if none was reported; `output` its end."""

    text: str
    status: int | None = None
    output: str = ""


SEALED_KEY = "sealed-"  # the keys of completed sealed attempts begin with it


class SealedReplay(Record, frozen=True, kw_only=True):
    """The agent and the seal of a night's attempts in copies of repositories.

    Where there are none, `why_not` says why, and `remedy` what helps.
    """

    agent: str = ""
    version: str = ""
    seal: str = ""
    why_not: str = ""
    remedy: str = ""

    @property
    def in_words(self) -> str:
        """Say who acts in what, or why nobody does."""
        if self.why_not:
            return f"Nothing could be tried in a sealed copy of a repository: {self.why_not}"
        version = f" ({self.version})" if self.version else ""
        return f"Attempts in a copy of the repository are made by {self.agent}{version}, sealed by {self.seal}"
