"""Workspace: the state of a repository in which a request can be done once more."""

from skillopt_sleep.records.record import Record


class Workspace(Record, frozen=True, kw_only=True):
    """Where the agent stood when it got the request.

    `root` is the repository's folder and `commit` what was checked out there; `folder` is where the agent stood below
    the root, "" for the root itself. `patch` is a file with the work that wasn't committed, "" without any. It is
    `approximate` if the commit was found by branch and time, or if some of that work is missing from the patch.
    """

    root: str
    commit: str
    folder: str = ""
    patch: str = ""
    approximate: bool = False


class CommandRun(Record, frozen=True, kw_only=True):
    """A command that ran in an attempt: `status` is its exit status, None if none was reported; `output` its end."""

    text: str
    status: int | None = None
    output: str = ""
