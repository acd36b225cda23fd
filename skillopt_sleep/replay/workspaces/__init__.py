"""Throw-away copies of a person's repository, as it was when a request was made; the repository is only read."""

from skillopt_sleep.replay.workspaces.bases import Base, Bases
from skillopt_sleep.replay.workspaces.changes import Changes
from skillopt_sleep.replay.workspaces.copies import Copy
from skillopt_sleep.replay.workspaces.history import ends_of, workspace_of
from skillopt_sleep.replay.workspaces.limits import CopyLimits, WorkspaceRefused

__all__ = ["Base", "Bases", "Changes", "Copy", "CopyLimits", "WorkspaceRefused", "ends_of", "workspace_of"]
