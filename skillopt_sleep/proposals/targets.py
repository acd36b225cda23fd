"""Choose the document for a lesson: an instruction file that the project's agents read, or a file of our own.

We never create a CLAUDE.md or AGENTS.md: because of a new CLAUDE.md, Claude Code would stop reading AGENTS.md.
"""

import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

import msgspec

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.errors import ProposalError, UnsafeEdit
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.proposals import live
from skillopt_sleep.protocols import Routing
from skillopt_sleep.protocols.agent import BLOCK_ROOM, Agent, Start
from skillopt_sleep.records import BY_HAND, Document, InForce, Note, Task, Twin

# More would cost more than it teaches: every attempt has all of it in its prompt.
MOST_BYTES = 100_000
_TOO_LARGE = f"has more than {MOST_BYTES // 1000} kB"

_Identity = tuple[int, int]  # the device and inode of a folder
_SKILL_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class FileTargets:
    """Routes tasks to files in their project's folder, or to the user's managed skill if that folder is gone.

    Without an environment, which says where the agents' homes are, no other file is loaded beside a document.
    """

    def __init__(self, home: Path, environ: Mapping[str, str] | None = None) -> None:
        self._home = home
        self._environ = environ or {}

    def route(self, tasks: Sequence[Task], used: Mapping[str, Collection[str]]) -> Routing:
        """Return the tasks, each with the id of its document or "" if no file can take its lesson, and the documents.

        A lesson belongs to the skill that most of its tasks used, if the project has it, else to its memory. `used`
        are the sources of each project's sessions, whose agents all need its lessons.
        """
        notes: list[Note] = []
        groups = _by_folder(tasks, notes)
        roots: dict[_Identity | None, Path] = {}
        notes += _gone(groups.get(None, ()))
        for identity, group in groups.items():
            roots[identity] = self._home if identity is None else Path(group[0].project)
        names = _names(tuple(roots.values()), self._home)
        documents: dict[str, Document] = {}
        chosen: dict[str, str] = {}  # the id of each task's document
        for identity, group in groups.items():
            root = roots[identity]
            sources = {task.source for task in group}
            for project in {task.project for task in group}:
                sources.update(used.get(project, ()))
            folder = _folder(root, group)
            place = _Place(root, folder, names[root], frozenset(sources), is_gone=identity is None)
            for task, document in self._choose(place, group, notes):
                chosen[task.id] = document.id
                documents[document.id] = document
        routed = [msgspec.structs.replace(task, document=chosen.get(task.id, "")) for task in tasks]
        return Routing(tasks=tuple(routed), documents=tuple(documents.values()), notes=tuple(notes))

    def _choose(self, at: "_Place", tasks: Sequence[Task], notes: list[Note]) -> Iterator[tuple[Task, Document]]:
        """Yield the tasks of one folder with their documents, without those that no file can take."""
        skills = {} if at.is_gone else skills_used(at.root, tasks)
        chosen: dict[PurePath | None, Document | None] = {}
        for task in tasks:
            skill = skills.get(task.lesson)
            if skill not in chosen:
                own = [one for one in tasks if skills.get(one.lesson) == skill]
                found = self._document(at, skill, own, notes)
                chosen[skill] = found and self._with_loaded(found, own, at, notes)
            document = chosen[skill]
            if document is not None:
                yield task, document

    def _document(
        self, at: "_Place", skill: PurePath | None, tasks: Iterable[Task], notes: list[Note]
    ) -> Document | None:
        """Return the document for the lessons of a skill or, without one, of the project's memory; None if none can.

        Its twins are for the agents that need the lessons and don't read it. Of all these files, the document, which
        is tried, is the one read by the agent whose sessions taught most of these tasks.
        """
        taught = Counter(task.source for task in tasks)
        readers: list[Agent] = []
        places: tuple[PurePath, ...] = (live.SKILL,)
        if not at.is_gone:
            readers = _readers(at.root, at.sources - {BY_HAND})
            places = self._places(at, readers)
        if skill is not None:
            places = (skill, *places)
        document = _first_usable(at, places, "its lessons wait for another night", notes)
        if document is None:
            return None
        found = [self._with_readers(document, at)]
        for agent in readers:
            if any(agent.title in one.read_by for one in found):
                continue
            places = self._places_beside(document, skill, agent, at)
            twin = _first_usable(at, places, f"{agent.title} doesn't get its lessons", notes)
            if twin is not None:
                found.append(self._with_readers(twin, at))
        readers.sort(key=lambda agent: -taught[agent.source])
        rank = {agent.title: number for number, agent in enumerate(readers)}
        found.sort(key=lambda one: min((rank.get(title, len(rank)) for title in one.read_by), default=len(rank)))
        first, *others = found
        twins = tuple(
            Twin(id=one.id, path=one.path, sha=one.sha, body=one.body_sha, read_by=one.read_by) for one in others
        )
        return msgspec.structs.replace(first, twins=twins)

    def _with_loaded(self, document: Document, tasks: Iterable[Task], at: "_Place", notes: list[Note]) -> Document:
        """Return the document with all files that the agent loads whose sessions taught most of these tasks.

        There is no text in the document's place, which is also its twins'; what is too large is told.
        """
        taught = Counter(task.source for task in tasks)
        ours = (document, *document.twins)
        readers = [agent for agent in _readers(at.root, at.sources - {BY_HAND}) if agent.title in document.read_by]
        if at.is_gone or not readers or not self._environ:
            return document
        agent = max(readers, key=lambda agent: taught[agent.source])
        own = InForce(path=document.path, text="")
        files: list[InForce] = []
        left = MOST_BYTES
        for file in agent.documents.loads(self._start(agent, at)):
            if any(Path(file.path).resolve() == Path(one.path).resolve() for one in ours):
                files.append(own)
            elif (size := len(file.text.encode())) <= left:
                files.append(msgspec.structs.replace(file, text=redact(file.text)))
                left -= size
            elif not any(note.summary.startswith(file.path) for note in notes):
                summary = f"{file.path} is left out of attempts: what {agent.title} loads there {_TOO_LARGE}"
                notes.append(Note(stage="targets", summary=summary, remedy="shorten it"))
        loaded = tuple(dict.fromkeys((*files, own)))
        return msgspec.structs.replace(document, loaded=loaded, loaded_by=agent.source)

    def _start(self, agent: Agent, at: "_Place") -> Start:
        """Return where the agent is started in the project."""
        return Start(at.root, at.folder, self._home, agent.home(self._environ, self._home))

    def _places(self, at: "_Place", readers: Sequence[Agent]) -> tuple[PurePath, ...]:
        """Return where the project's lessons may go for these agents, best first.

        A place that all of them read comes before one that only some of them read.
        """
        places: dict[PurePath, None] = {}
        for agent in readers:
            places |= dict.fromkeys(agent.documents.places(self._start(agent, at)))
        reached = {place: len(self._reaches(at, place, readers)) for place in places}
        return tuple(sorted(places, key=lambda place: -reached[place]))

    def _reaches(self, at: "_Place", place: PurePath, agents: Iterable[Agent]) -> tuple[str, ...]:
        """Return the names of the agents that read this file in the project."""
        names: list[str] = []
        for agent in agents:
            reads = agent.documents.reads(self._start(agent, at), place)
            if reads or _is_linked(at.root, place, agent.documents.skills):
                names.append(agent.title)
        return tuple(names)

    def _places_beside(
        self, document: Document, skill: PurePath | None, agent: Agent, at: "_Place"
    ) -> tuple[PurePath, ...]:
        """Return where the lessons may go for an agent that doesn't read the document, best first.

        Beside a skill that is the agent's own skill of that name, if the project has one.
        """
        if skill is None or document.path != str(at.root / skill):
            return agent.documents.places(self._start(agent, at))
        place = agent.documents.skills / skill.parent.name / skill.name
        return (place,) if (at.root / place).is_file() else ()

    def _with_readers(self, document: Document, at: "_Place") -> Document:
        """Return the document with the agents that read it."""
        place = PurePath(document.path).relative_to(at.root)
        return msgspec.structs.replace(document, read_by=self._reaches(at, place, AGENTS.values()))


class _Place(NamedTuple):
    """A project's root, or the user's home if it `is_gone`; the folder in it where its sessions stood.

    `name` is its short name, `sources` are those of its sessions.
    """

    root: Path
    folder: Path
    name: str
    sources: frozenset[str]
    is_gone: bool


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


def _gone(tasks: Sequence[Task]) -> Iterator[Note]:
    """Yield why the lessons of projects whose folders are gone go to the user's own skill."""
    for project in dict.fromkeys(task.project for task in tasks if Path(task.project).is_absolute()):
        summary = (
            f"{project} is gone, so its lessons go to ~/{live.SKILL.as_posix()}, which you have in every project"
        )
        remedy = "if you moved or renamed it, say in a session there what holds there, or move it back"
        yield Note(stage="targets", summary=summary, remedy=remedy, expected=True)


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


def _folder(root: Path, tasks: Sequence[Task]) -> Path:
    """Return the folder in which all of these sessions stood; the root if they stood in several, or elsewhere."""
    folders = {Path(task.folder) for task in tasks}
    folder = folders.pop()
    return root if folders or not folder.is_relative_to(root) or not folder.is_dir() else folder


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


def _is_linked(root: Path, place: PurePath, skills: PurePath) -> bool:
    """Return whether this skill is also found in that folder of skills, by a link."""
    if place.name != live.SKILL.name:
        return False
    try:
        return (root / skills / place.parent.name / place.name).samefile(root / place)
    except OSError:
        return False


def _readers(root: Path, sources: Collection[str]) -> list[Agent]:
    """Return the agents that need a project's lessons: those whose sessions it has.

    For lessons that a person wrote in a project without sessions, it is the first one the project is set up for, or
    the last of all.
    """
    agents = list(AGENTS.values())
    needed = [agent for agent in agents if agent.source in sources]
    if sources:
        return needed or agents[:1]
    return [next((agent for agent in agents if agent.documents.is_used(root)), agents[-1])]


def _first_usable(at: _Place, places: Sequence[PurePath], otherwise: str, notes: list[Note]) -> Document | None:
    """Return the first of these places that can be edited; a note says where lessons go, `otherwise` what happens."""
    for index, place in enumerate(places):
        try:
            return _load(at.root, place, at.name)
        except ProposalError as error:
            rest = places[index + 1 :]
            goes = f"its lessons go to {at.name}/{rest[0].as_posix()}" if rest else otherwise
            notes.append(Note(stage="targets", summary=f"{error.message}; {goes}", remedy=error.remedy))
    return None


def _load(root: Path, place: PurePath, name: str) -> Document:
    document, data = live.load(root / place, root=root, name=f"{name}/{place.as_posix()}")
    if len(data or b"") > MOST_BYTES:
        raise UnsafeEdit(f"{document.path} {_TOO_LARGE}", remedy="shorten it")
    size = len((document.lead + document.trail).encode())
    for agent in AGENTS.values():
        limit = agent.documents.limits.get(place)
        if limit is not None and size + BLOCK_ROOM > limit:
            raise UnsafeEdit(
                f"{document.path} and our lessons would pass the {limit // 1024} KiB that {agent.title} reads",
                remedy="shorten it, or do nothing: the lessons go elsewhere",
            )
    return document
