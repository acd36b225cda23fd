"""Choose the document for a lesson: an instruction file that the agents read where it holds, or a file of our own.

We never create a CLAUDE.md or AGENTS.md: because of a new CLAUDE.md, Claude Code would stop reading AGENTS.md.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath

import msgspec

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.errors import ProposalError, UnsafeEdit
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.folders import LessonFolder, by_place, common_folder, skills_used
from skillopt_sleep.proposals.rules import learned
from skillopt_sleep.protocols.agent import BLOCK_ROOM, Agent
from skillopt_sleep.protocols.work import Routing
from skillopt_sleep.records import Document, Edit, InForce, Note, Proposal, Task, Twin

# More would cost more than it teaches: every attempt has all of it in its prompt.
MOST_BYTES = 100_000
_TOO_LARGE = f"has more than {MOST_BYTES // 1000} kB"


class FileTargets:
    """Routes tasks to files in their project's folder, or to the user's own if that is gone or the lesson is theirs.

    Without an environment, which says where the agents' homes are, no other file is loaded beside a document.
    """

    def __init__(self, home: Path, environ: Mapping[str, str] | None = None) -> None:
        self._home = home
        self._environ = environ or {}

    def route(
        self, tasks: Sequence[Task], used: Mapping[str, Collection[str]], adopted: Sequence[Proposal] = ()
    ) -> Routing:
        """Return the tasks, each with the id of its document or "" if no file can take its lesson, and the documents.

        A lesson belongs to the skill that most of its tasks used, if the project has it, else to the file of the
        folder in which it was taught, or to the project's. `used` are the sources of each project's sessions, whose
        agents all need its lessons. Where an agent that taught it doesn't read its `adopted` rule, it is that agent's
        file.
        """
        edits = [edit for proposal in adopted for edit in proposal.edits]
        notes: list[Note] = []
        documents: dict[str, Document] = {}
        chosen: dict[str, str] = {}  # the id of each task's document
        for place, members in by_place(tasks, used, home=self._home, environ=self._environ, notes=notes):
            for task, document in self._choose(place, members, edits, notes):
                chosen[task.id] = document.id
                documents[document.id] = document
        routed = [msgspec.structs.replace(task, document=chosen.get(task.id, "")) for task in tasks]
        return Routing(tasks=tuple(routed), documents=tuple(documents.values()), notes=tuple(notes))

    def _choose(
        self, at: LessonFolder, tasks: Sequence[Task], adopted: Sequence[Edit], notes: list[Note]
    ) -> Iterator[tuple[Task, Document]]:
        """Yield the tasks of one folder with their documents, without those that no file can take."""
        skills = {} if at.is_personal or at.base != at.root else skills_used(at.root, tasks)
        groups: dict[PurePath | None, list[Task]] = {}
        for task in tasks:
            groups.setdefault(skills.get(task.lesson), []).append(task)
        for skill, own in groups.items():
            found = self._documents(at, skill, own, notes)
            lacking = _lacking(found, own, adopted)
            for document in found:
                members = [task for task in own if lacking.get(task.lesson, found[0].path) == document.path]
                if members:
                    loaded = self._with_loaded(document, members, at, notes)
                    yield from ((task, loaded) for task in members)

    def _documents(
        self, at: LessonFolder, skill: PurePath | None, tasks: Iterable[Task], notes: list[Note]
    ) -> list[Document]:
        """Return the document for the lessons of a skill or, without one, of the project's memory, then its twins.

        Those are for the agents that need the lessons and don't read it. Of all these files, the document, which is
        tried, is the one read by the agent whose sessions taught most of these tasks. There is none if no file can
        take them.
        """
        taught = Counter(task.source for task in tasks)
        readers = at.readers()
        places = self._places(at, readers) or (live.SKILL,)
        if skill is not None:
            places = (skill, *places)
        document = _first_usable(at, places, "its lessons wait for another night", notes)
        if document is None:
            return []
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
        twins = tuple(Twin(id=one.id, path=one.path, body=one.body_sha, read_by=one.read_by) for one in others)
        return [msgspec.structs.replace(first, twins=twins), *others]

    def _with_loaded(
        self, document: Document, tasks: Iterable[Task], at: LessonFolder, notes: list[Note]
    ) -> Document:
        """Return the document with all files that the agent loads whose sessions taught most of these tasks.

        There is no text in the document's place, which is also its twins'; what is too large is told. A document of
        the person's own is tried in the projects of these tasks.
        """
        taught = Counter(task.source for task in tasks)
        readers = [agent for agent in at.readers() if agent.title in document.read_by]
        if not readers or not self._environ:
            return document
        agent = max(readers, key=lambda agent: taught[agent.source])
        if not at.is_personal:
            loaded = self._loaded(document, agent, at, notes)
            return msgspec.structs.replace(document, loaded=loaded, loaded_by=agent.source)
        projects: dict[str, tuple[InForce, ...]] = {}
        for name in dict.fromkeys(task.project for task in tasks):
            root = Path(name)
            if root.is_absolute() and root.is_dir():
                folder = common_folder(root, [task for task in tasks if task.project == name])
                there = at._replace(root=root, base=root, folder=folder)
                projects[name] = self._loaded(document, agent, there, notes)
        first = next(iter(projects.values()), ())
        common = tuple(file for file in first if all(file in files for files in projects.values()))
        return msgspec.structs.replace(
            document, loaded=common, loaded_at=tuple(projects.items()), loaded_by=agent.source
        )

    def _loaded(self, document: Document, agent: Agent, at: LessonFolder, notes: list[Note]) -> tuple[InForce, ...]:
        """Return the files that the agent loads there, the document among them without its text."""
        ours = (document, *document.twins)
        own = InForce(path=document.path, text="")
        files: list[InForce] = []
        left = MOST_BYTES
        for file in agent.documents.loads(at.start(agent)):
            if any(Path(file.path).resolve() == Path(one.path).resolve() for one in ours):
                files.append(own)
            elif (size := len(file.text.encode())) <= left:
                files.append(msgspec.structs.replace(file, text=redact(file.text)))
                left -= size
            elif not any(note.summary.startswith(file.path) for note in notes):
                summary = f"{file.path} is left out of attempts: what {agent.title} loads there {_TOO_LARGE}"
                notes.append(Note(stage="targets", summary=summary, remedy="shorten it"))
        return tuple(dict.fromkeys((*files, own)))

    def _places(self, at: LessonFolder, readers: Sequence[Agent]) -> tuple[PurePath, ...]:
        """Return where the project's lessons may go for these agents, best first.

        A place that all of them read comes before one that only some of them read.
        """
        places: dict[PurePath, None] = {}
        for agent in readers:
            places |= dict.fromkeys(self._places_of(agent, at))
        reached = {place: len(self._reaches(at, place, readers)) for place in places}
        return tuple(sorted(places, key=lambda place: -reached[place]))

    def _places_of(self, agent: Agent, at: LessonFolder) -> tuple[PurePath, ...]:
        """Return where lessons may go for this agent, best first."""
        if at.is_personal:
            return agent.documents.personal(at.start(agent))
        inner = at.base.relative_to(at.root)
        return tuple(inner / place for place in agent.documents.places(at.start(agent)))

    def _reaches(self, at: LessonFolder, place: PurePath, agents: Iterable[Agent]) -> tuple[str, ...]:
        """Return the names of the agents that read this file in the project."""
        names: list[str] = []
        below = place.relative_to(at.base.relative_to(at.root))
        for agent in agents:
            if at.is_personal:
                reads = place in agent.documents.personal(at.start(agent))
            else:
                reads = agent.documents.reads(at.start(agent), below)
            if reads or _is_linked(at.base, below, agent.documents.skills):
                names.append(agent.title)
        return tuple(names)

    def _places_beside(
        self, document: Document, skill: PurePath | None, agent: Agent, at: LessonFolder
    ) -> tuple[PurePath, ...]:
        """Return where the lessons may go for an agent that doesn't read the document, best first.

        Beside a skill that is the agent's own skill of that name, if the project has one.
        """
        if skill is None or document.path != str(at.root / skill):
            return self._places_of(agent, at)
        place = agent.documents.skills / skill.parent.name / skill.name
        return (place,) if (at.root / place).is_file() else ()

    def _with_readers(self, document: Document, at: LessonFolder) -> Document:
        """Return the document with the agents that read it."""
        place = PurePath(document.path).relative_to(at.root)
        return msgspec.structs.replace(document, read_by=self._reaches(at, place, AGENTS.values()))


def _lacking(found: Sequence[Document], tasks: Sequence[Task], adopted: Sequence[Edit]) -> dict[str, str]:
    """Return the path of the twin for each lesson that its agent taught, too, and whose rule it alone lacks."""
    paths: dict[str, str] = {}
    for document in found[1:]:
        sources = {agent.source for agent in AGENTS.values() if agent.title in document.read_by}
        taught = {task.lesson for task in tasks if task.source in sources}
        lacking = learned(found[0], adopted) - learned(document, adopted)
        paths |= dict.fromkeys(lacking & taught, document.path)
    return paths


def _is_linked(root: Path, place: PurePath, skills: PurePath) -> bool:
    """Return whether this skill is also found in that folder of skills, by a link."""
    if place.name != live.SKILL.name:
        return False
    try:
        return (root / skills / place.parent.name / place.name).samefile(root / place)
    except OSError:
        return False


def _first_usable(at: LessonFolder, places: Sequence[PurePath], otherwise: str, notes: list[Note]) -> Document | None:
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
    live.refuse_cut_off(document, len((document.lead + document.trail).encode()) + BLOCK_ROOM)
    return document
