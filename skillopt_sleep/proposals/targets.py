"""Choose the document for a lesson: an instruction file that the project's agents read, or a file of our own.

We never create a CLAUDE.md or AGENTS.md: because of a new CLAUDE.md, Claude Code would stop reading AGENTS.md.
"""

import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
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

_Identity = tuple[int, int]  # the device and inode of a folder
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
        groups = _by_folder(tasks, notes)
        roots: dict[_Identity | None, Path] = {}
        for identity, group in groups.items():
            roots[identity] = self._home if identity is None else Path(group[0].project)
        names = _names(tuple(roots.values()), self._home)
        documents: dict[str, Document] = {}
        chosen: dict[str, str] = {}  # the id of each task's document
        for identity, group in groups.items():
            root = roots[identity]
            for task, document in self._choose(root, group, names[root], notes, is_gone=identity is None):
                chosen[task.id] = document.id
                documents[document.id] = document
        routed = [msgspec.structs.replace(task, document=chosen.get(task.id, "")) for task in tasks]
        return Routing(tasks=tuple(routed), documents=tuple(documents.values()), notes=tuple(notes))

    def _choose(
        self, root: Path, tasks: Sequence[Task], name: str, notes: list[Note], *, is_gone: bool
    ) -> Iterator[tuple[Task, Document]]:
        """Yield the tasks of one folder with their documents, without those that no file can take."""
        lessons: dict[str, PurePath] = {}
        places: tuple[PurePath, ...] = (live.SKILL,)
        if not is_gone:
            lessons = skills_used(root, tasks)
            places = _places(root, {task.source for task in tasks}, self._home)
        by_skill: dict[PurePath | None, Document | None] = {}
        for task in tasks:
            skill = lessons.get(task.lesson)
            if skill not in by_skill:
                candidates = places if skill is None else (skill, *places)
                document = _first_usable(root, candidates, name, notes)
                by_skill[skill] = self._with_readers(document, root)
            document = by_skill[skill]
            if document is not None:
                yield task, document

    def _with_readers(self, document: Document | None, root: Path) -> Document | None:
        """Return the document with the agents that read it."""
        if document is None:
            return None
        place = PurePath(document.path).relative_to(root)
        return msgspec.structs.replace(document, read_by=reaches(root, self._home, place, AGENTS.values()))


def _by_folder(tasks: Sequence[Task], notes: list[Note]) -> dict[_Identity | None, list[Task]]:
    """Group the tasks by their project's folder, None for folders that are gone.

    Two spellings of one folder are one project; the first spelling names it. Tasks of a project that can't be read
    are left out, with a note.
    """
    identities = _identities(dict.fromkeys(task.project for task in tasks), notes)
    groups: dict[_Identity | None, list[Task]] = {}
    for task in tasks:
        if task.project in identities:
            groups.setdefault(identities[task.project], []).append(task)
    return groups


def skills_used(root: Path, tasks: Sequence[Task]) -> dict[str, PurePath]:
    """Return, for each lesson, the project's own skill that more than half of its tasks used, if any.

    The user's and plugins' skills are left alone: they don't belong to one project.
    """
    lessons: dict[str, list[Task]] = {}
    for task in tasks:
        lessons.setdefault(task.lesson, []).append(task)
    skills: dict[str, PurePath] = {}
    for lesson, members in lessons.items():
        uses = Counter[str]()
        for task in members:
            uses.update(filter(_SKILL_NAME.fullmatch, dict.fromkeys(task.skills)))
        for name, count in uses.most_common(1):
            place = _skill_file(root, name)
            if place is not None and 2 * count > len(members):
                skills[lesson] = place
    return skills


def _skill_file(root: Path, name: str) -> PurePath | None:
    """Return where the project has a skill of this name that isn't ours, or None if it hasn't."""
    for agent in AGENTS.values():
        place = agent.documents.skills / name / "SKILL.md"
        if (root / place).is_file() and not live.own(place):
            return place
    return None


def _identities(projects: Iterable[str], notes: list[Note]) -> dict[str, _Identity | None]:
    """Return the identity of each project; one that can't be read gets none, and its lessons go nowhere else."""
    identities: dict[str, _Identity | None] = {}
    for project in projects:
        try:
            identities[project] = _identity(project)
        except OSError as error:
            summary = f"{project} can't be read: {error.strerror or error}; its lessons wait for another night"
            notes.append(Note(stage="targets", summary=summary, remedy="make it readable, or exclude it"))
    return identities


def _identity(project: str) -> _Identity | None:
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
    """Return where this project's lessons may go, best first, if its sessions came from these sources.

    A place that every agent of these sources reads comes before one that only some of them read.
    """
    readers = _readers(root, sources - {BY_HAND})
    places: dict[PurePath, None] = {}
    for agent in readers:
        places |= dict.fromkeys(agent.documents.places(root, home))
    reached = {place: len(reaches(root, home, place, readers)) for place in places}
    return tuple(sorted(places, key=lambda place: -reached[place]))


def reaches(root: Path, home: Path, place: PurePath, agents: Iterable[Agent]) -> tuple[str, ...]:
    """Return the names of the agents that read this file in the project."""
    return tuple(agent.title for agent in agents if agent.documents.reads(root, home, place))


def _readers(root: Path, sources: set[str]) -> list[Agent]:
    """Return the agents that need a project's lessons: those whose sessions the lessons were learned from.

    For lessons that a person wrote, it is the first one the project is set up for, or the last of all.
    """
    agents = list(AGENTS.values())
    needed = [agent for agent in agents if agent.source in sources]
    if sources:
        return needed or agents[:1]
    return [next((agent for agent in agents if agent.documents.is_used(root)), agents[-1])]


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
