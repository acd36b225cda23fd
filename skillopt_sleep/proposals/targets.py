"""Which document a lesson belongs to: the instruction file the agents of a project read, or a file of our own.

A CLAUDE.md or AGENTS.md is never created: a new CLAUDE.md would switch a project's AGENTS.md off for Claude Code.
"""

import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath

import msgspec

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.errors import ProposalError, UnsafeEdit
from skillopt_sleep.proposals import live
from skillopt_sleep.protocols import Routing
from skillopt_sleep.protocols.agent import Agent
from skillopt_sleep.records import BY_HAND, Document, Note, Task

# Room for our block in a file of which an agent reads only so much.
BLOCK_ROOM = 4 * 1024

_SKILL_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class FileTargets:
    """Routes tasks to files below their project's folder, or to the user's managed skill where that is gone."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def route(self, tasks: Sequence[Task]) -> Routing:
        """The tasks with their document's id, empty where no file can take their lessons, and those documents.

        A lesson belongs to the skill most of its sessions used, where the project keeps it, else to its memory.
        """
        notes: list[Note] = []
        # Two spellings of one folder are one project: the first one met names it.
        keys = _identities(dict.fromkeys(task.project for task in tasks), notes)
        groups: dict[tuple[int, int] | None, list[Task]] = {}
        for task in (task for task in tasks if task.project in keys):
            groups.setdefault(keys[task.project], []).append(task)
        roots = {key: Path(group[0].project) if key else self._home for key, group in groups.items()}
        names = _names(tuple(roots.values()), self._home)
        chosen: dict[tuple[tuple[int, int] | None, PurePath | None], Document] = {}
        skills: dict[str, PurePath | None] = {}
        for key, group in groups.items():
            sources = {task.source for task in group}
            places = (live.SKILL,) if key is None else _places(roots[key], sources, self._home)
            lessons = skills_used(roots[key], group) if key else {}
            skills |= {task.id: lessons.get(task.cluster) for task in group}
            for skill in dict.fromkeys(skills[task.id] for task in group):
                first = (skill,) if skill else ()
                document = _first_usable(roots[key], (*first, *places), names[roots[key]], notes)
                if document is not None:
                    chosen[key, skill] = document
        own = {
            task.id: chosen.get((keys[task.project], skills[task.id])) for group in groups.values() for task in group
        }
        routed = tuple(
            msgspec.structs.replace(task, document=document.id if document else "")
            for task in tasks
            for document in (own.get(task.id),)
        )
        documents = {document.id: document for document in chosen.values()}
        return Routing(tasks=routed, documents=tuple(documents.values()), notes=tuple(notes))


def skills_used(root: Path, tasks: Sequence[Task]) -> dict[str, PurePath]:
    """Of each lesson (cluster) the project's own skill that more than half of its tasks used, where there is one.

    The user's and plugins' skills are left alone: a lesson of one project isn't theirs.
    """
    lessons: dict[str, list[Task]] = {}
    for task in tasks:
        lessons.setdefault(task.cluster, []).append(task)
    found: dict[str, PurePath] = {}
    for cluster, own in lessons.items():
        used = Counter(name for task in own for name in dict.fromkeys(task.skills) if _SKILL_NAME.fullmatch(name))
        for name, count in used.most_common(1):
            places = [agent.documents.skills / name / "SKILL.md" for agent in AGENTS.values()]
            place = next((place for place in places if (root / place).is_file() and not live.own(place)), None)
            if place is not None and 2 * count > len(own):
                found[cluster] = place
    return found


def _identities(projects: Iterable[str], notes: list[Note]) -> dict[str, tuple[int, int] | None]:
    """The projects that can be looked at, each with what it is; the lessons of one that can't go nowhere else."""
    found: dict[str, tuple[int, int] | None] = {}
    for project in projects:
        try:
            found[project] = _identity(project)
        except OSError as error:
            said = f"{project} can't be looked at: {error.strerror or error}; its lessons wait for another night"
            notes.append(Note(stage="targets", summary=said, remedy="make it readable, or exclude it"))
    return found


def _identity(project: str) -> tuple[int, int] | None:
    """What tells one folder from another, whatever it is called; None where there is no such folder."""
    try:
        info = Path(project).stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    return (info.st_dev, info.st_ino) if stat.S_ISDIR(info.st_mode) and Path(project).is_absolute() else None


def _names(roots: Sequence[Path], home: Path) -> dict[Path, str]:
    """A short name for each folder; those that would share one get a piece of their path's hash."""
    shared = Counter(root.name for root in set(roots) - {home})
    names: dict[Path, str] = {}
    for root in roots:
        mark = hashlib.sha256(os.fsencode(root)).hexdigest()[:6]
        names[root] = "~" if root == home else f"{root.name}~{mark}" if shared[root.name] > 1 else root.name
    return names


def _places(root: Path, sources: set[str], home: Path) -> tuple[PurePath, ...]:
    """Return where this project's lessons may go, best first, if its sessions came from these sources."""
    return _reader(root, sources - {BY_HAND}).documents.places(root, home)


def _reader(root: Path, sources: set[str]) -> Agent:
    """Return the agent that is to read a project's lessons.

    It is the first one of those the lessons were learned from. For lessons that a person wrote, it is the first one
    the project is set up for, or the last of all.
    """
    agents = list(AGENTS.values())
    if sources:
        return next((agent for agent in agents if agent.source in sources), agents[0])
    return next((agent for agent in agents if agent.documents.is_used(root)), agents[-1])


def _first_usable(root: Path, places: Sequence[PurePath], name: str, notes: list[Note]) -> Document | None:
    for index, place in enumerate(places):
        try:
            return _load(root, place, name)
        except ProposalError as error:
            rest = places[index + 1 :]
            goes = f"its lessons go to {name}/{rest[0].as_posix()}" if rest else "its lessons wait for another night"
            notes.append(Note(stage="targets", summary=f"{error.message}; {goes}", remedy=error.remedy))
    return None


def _load(root: Path, place: PurePath, name: str) -> Document:
    document, _ = live.load(root / place, root=root, name=f"{name}/{place.as_posix()}")
    size = len((document.lead + document.trail).encode())
    for agent in AGENTS.values():
        limit = agent.documents.limits.get(place)
        if limit is not None and size + BLOCK_ROOM > limit:
            raise UnsafeEdit(
                f"{document.path} and our lessons would pass the {limit // 1024} KiB that {agent.title} reads",
                remedy="shorten it, or leave the lessons where they go now",
            )
    return document
