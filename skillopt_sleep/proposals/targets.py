"""Choose the document for a lesson: an instruction file that the project's agents read, or a file of our own.

We never create a CLAUDE.md or AGENTS.md: because of a new CLAUDE.md, Claude Code would stop reading AGENTS.md.
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

# An agent may read only the beginning of a file; this room in it is kept for our block.
BLOCK_ROOM = 4 * 1024

_SKILL_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class FileTargets:
    """Routes tasks to files in their project's folder, or to the user's managed skill if that folder is gone."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def route(self, tasks: Sequence[Task]) -> Routing:
        """Return the tasks, each with the id of its document or "" if no file can take its lesson, and the documents.

        A lesson belongs to the skill that most of its tasks used, if the project has it, else to its memory.
        """
        notes: list[Note] = []
        # Two spellings of one folder are one project; the first spelling names it.
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
    """Return, for each lesson (cluster), the project's own skill that more than half of its tasks used, if any.

    The user's and plugins' skills are left alone: they don't belong to one project.
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
    """Return the identity of each project; one that can't be read gets none, and its lessons go nowhere else."""
    found: dict[str, tuple[int, int] | None] = {}
    for project in projects:
        try:
            found[project] = _identity(project)
        except OSError as error:
            summary = f"{project} can't be read: {error.strerror or error}; its lessons wait for another night"
            notes.append(Note(stage="targets", summary=summary, remedy="make it readable, or exclude it"))
    return found


def _identity(project: str) -> tuple[int, int] | None:
    """Return the device and inode of a folder, which are the same under all of its names, or None if it is gone."""
    try:
        info = Path(project).stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    if not stat.S_ISDIR(info.st_mode) or not Path(project).is_absolute():
        return None
    return info.st_dev, info.st_ino


def _names(roots: Sequence[Path], home: Path) -> dict[Path, str]:
    """Return a short name for each folder; folders with the same name get a piece of their path's hash."""
    shared = Counter(root.name for root in set(roots) - {home})
    names: dict[Path, str] = {}
    for root in roots:
        names[root] = root.name
        if root == home:
            names[root] = "~"
        elif shared[root.name] > 1:
            mark = hashlib.sha256(os.fsencode(root)).hexdigest()[:6]
            names[root] = f"{root.name}~{mark}"
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
                remedy="shorten it, or do nothing: the lessons go elsewhere",
            )
    return document
