"""The one error of this folder: a request can't be done once more in its repository."""

from skillopt_sleep.errors import ItemError
from skillopt_sleep.records import NO_WORKSPACE_WORDS, NoWorkspace


class WorkspaceRefused(ItemError):
    """There is no copy of the repository; `code` says why, for the account."""

    def __init__(self, code: NoWorkspace, where: object, *, why: str = "", remedy: str = "") -> None:
        detail = f" ({why})" if why else ""
        super().__init__(f"{where}: {NO_WORKSPACE_WORDS[code]}{detail}", remedy=remedy)
        self.code = code
