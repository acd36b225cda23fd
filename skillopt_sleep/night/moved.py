"""Find where a project's folder has moved to, by the commits that its sessions began at."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Protocol

from msgspec.structs import replace

from skillopt_sleep.records import Session


class Placed(Protocol):
    """Anything that took place in a project, at a commit or "" if it isn't known."""

    @property
    def project(self) -> str:
        """The project's folder at that time."""
        ...

    @property
    def commit(self) -> str:
        """The commit at that time."""
        ...


def at_their_folders(sessions: Sequence[Session], exists: Callable[[str], bool]) -> tuple[Session, ...]:
    """Give each session of a project that moved the folder where the project is now."""
    places = moved(sessions, exists)
    if not places:
        return tuple(sessions)
    result: list[Session] = []
    for session in sessions:
        place = places.get(session.project, session.project)
        result.append(replace(session, project=place))
    return tuple(result)


def moved(sessions: Sequence[Placed], exists: Callable[[str], bool]) -> Mapping[str, str]:
    """Map each project whose folder is gone to the folder where the same repository is now.

    A project moved if exactly one existing project has the same folder name and shares a commit with it: only copies
    of one repository share a commit. A session without a commit moves with the others of its project. What this can't
    see: a folder that was renamed, and a project without two sessions at one commit, before and after the move.
    """
    commits: defaultdict[str, set[str]] = defaultdict(set)
    for session in sessions:
        if session.commit:
            commits[session.project].add(session.commit)
    places: dict[str, str] = {}
    for namesakes in _namesakes(sessions):
        existing = set(filter(exists, namesakes))
        for gone in namesakes - existing:
            candidates = [project for project in existing if commits[project] & commits[gone]]
            if len(candidates) == 1:
                places[gone] = candidates[0]
    return places


def _namesakes(sessions: Sequence[Placed]) -> list[set[str]]:
    """Group the projects whose folders have the same name; projects without a namesake are left out."""
    by_name: defaultdict[str, set[str]] = defaultdict(set)
    for project in {session.project for session in sessions}:
        if project:
            by_name[PurePath(project).name].add(project)
    return [projects for projects in by_name.values() if len(projects) > 1]
