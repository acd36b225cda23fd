"""Throw-away copies of a person's repository, as it was when a request was made; the repository is only read."""

from skillopt_sleep.replay.workspaces.bases import Base, Bases, Kept
from skillopt_sleep.replay.workspaces.changes import Changes
from skillopt_sleep.replay.workspaces.copies import Copy
from skillopt_sleep.replay.workspaces.entries import Limits
from skillopt_sleep.replay.workspaces.refused import WorkspaceRefused
from skillopt_sleep.replay.workspaces.snapshot import workspace_of

__all__ = ["Base", "Bases", "Changes", "Copy", "Kept", "Limits", "WorkspaceRefused", "workspace_of"]
