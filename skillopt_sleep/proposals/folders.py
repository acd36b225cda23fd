"""Group tasks by the folder to whose files their lessons go: in a project, the project's own, or the user's home."""

import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.proposals import live
from skillopt_sleep.protocols.agent import Agent, Start
from skillopt_sleep.records import BY_HAND, Note, PlaceKind, Task

_Identity = tuple[int, int]  # the device and inode of a folder
_SKILL_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class LessonFolder(NamedTuple):
    """Where lessons go: a project's root, the folder (`base`) in it whose files they go to, and where sessions stood.

    The root is the user's home if it `is_personal`. `name` is its short name, `sources` are those of its sessions.
    The user's `home` and environment say where the agents' homes are.
    """

    root: Path
    base: Path
    folder: Path
    name: str
    sources: frozenset[str]
    is_personal: bool
    home: Path
    environ: Mapping[str, str]

    def readers(self) -> list[Agent]:
        """Return the agents that need the lessons: those of the sessions, none without any source.

        For lessons that a person wrote in a project without sessions, it is the first one the project is set up for,
        or the last of all.
        """
        agents = list(AGENTS.values())
        if not self.sources - {BY_HAND} and self.sources:
            return [next((agent for agent in agents if agent.documents.is_used(self.root)), agents[-1])]
        needed = [agent for agent in agents if agent.source in self.sources]
        return needed or (agents[:1] if self.sources else [])

    def start(self, agent: Agent) -> Start:
        """Return where the agent is started, and whose files it is about."""
        return Start(self.base, self.folder, self.home, agent.home(self.environ, self.home))


def by_place(
    tasks: Sequence[Task],
    used: Mapping[str, Collection[str]],
    *,
    home: Path,
    environ: Mapping[str, str],
    notes: list[Note],
) -> Iterator[tuple[LessonFolder, list[Task]]]:
    """Yield the tasks by where their lessons go; `used` are the sources of each project's sessions.

    Tasks of a project that can't be read are left out, with a note.
    """
    groups = _by_project(tasks, notes)
    is_own = any(task.wanted.holds.kind is PlaceKind.PERSON for task in groups.get(None, ()))
    notes += _gone(groups.get(None, ()), "your own file" if is_own else f"~/{live.SKILL.as_posix()}")
    roots: dict[_Identity | None, Path] = {}
    sources: dict[_Identity | None, set[str]] = {}
    for identity, group in groups.items():
        roots[identity] = Path(group[0].project)
        sources[identity] = {task.source for task in group}
        for project in {task.project for task in group}:
            sources[identity].update(used.get(project, ()))
    if None in groups:
        # What is gone goes to our own skill, whoever reads it.
        sources[None] = sources[None] if is_own else set()
        roots[None] = _home(sources[None], home, environ)
    names = _names(tuple(roots.values()), home)
    for identity, group in groups.items():
        root = roots[identity]
        whole = LessonFolder(
            root, root, root, names[root], frozenset(sources[identity]), identity is None, home, environ
        )
        yield from [(whole, group)] if whole.is_personal else _by_inner_folder(whole, group)


def _home(sources: Collection[str], home: Path, environ: Mapping[str, str]) -> Path:
    """Return the user's home, or the folder that holds it and the homes of these agents if they are elsewhere."""
    homes = [agent.home(environ, home) for agent in AGENTS.values() if agent.source in sources]
    root = Path(os.path.commonpath([home, *homes]))
    return home if root == root.parent else root


def _by_inner_folder(at: LessonFolder, tasks: Sequence[Task]) -> Iterator[tuple[LessonFolder, list[Task]]]:
    """Yield the tasks of a project by the folder to whose file their lessons go.

    One that was taught in an inner folder with a file of its own goes there, for the agents that were told there.
    """
    lessons: dict[str, list[Task]] = {}
    for task in tasks:
        lessons.setdefault(task.lesson or task.id, []).append(task)
    skills = skills_used(at.root, tasks)
    groups: dict[Path, list[Task]] = {}
    for lesson, members in lessons.items():
        base = at.root if lesson in skills else _own_folder(at, members)
        groups.setdefault(base, []).extend(members)
    for base, members in groups.items():
        sources = at.sources if base == at.root else frozenset(task.source for task in members)
        yield at._replace(base=base, folder=common_folder(base, members), sources=sources), members


def _own_folder(at: LessonFolder, tasks: Sequence[Task]) -> Path:
    """Return the innermost folder with an instruction file that all of these sessions stood in, else the root."""
    folder = common_folder(at.root, tasks)
    for base in (folder, *folder.parents):
        if base == at.root:
            break
        inner = at._replace(base=base, folder=folder, sources=frozenset(task.source for task in tasks))
        for agent in inner.readers():
            best = agent.documents.places(inner.start(agent))[0]
            if live.own_file(best) is None and (base / best).is_file():
                return base
    return at.root


def _by_project(tasks: Sequence[Task], notes: list[Note]) -> dict[_Identity | None, list[Task]]:
    """Group the tasks by their project's folder, None for folders that are gone and for the person's own lessons.

    Two spellings of one folder are one project; the first spelling names it. Tasks of a project that can't be read
    are left out, with a note.
    """
    identities = _identities(dict.fromkeys(task.project for task in tasks), notes)
    groups: dict[_Identity | None, list[Task]] = {}
    for task in tasks:
        if task.wanted.holds.kind is PlaceKind.PERSON:
            groups.setdefault(None, []).append(task)
        elif task.project in identities:
            groups.setdefault(identities[task.project], []).append(task)
    return groups


def _gone(tasks: Sequence[Task], where: str) -> Iterator[Note]:
    """Yield why the lessons of projects whose folders are gone go to a file of the user's own."""
    gone = (task.project for task in tasks if task.wanted.holds.kind is not PlaceKind.PERSON)
    for project in dict.fromkeys(name for name in gone if Path(name).is_absolute()):
        summary = f"{project} is gone, so its lessons go to {where}, which you have in every project"
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
            uses.update(filter(_SKILL_NAME.fullmatch, dict.fromkeys(task.setting.skills)))
        for name, count in uses.most_common(1):
            place = _skill_file(root, name)
            if place is not None and 2 * count > len(members):
                skills[lesson] = place
    return skills


def _skill_file(root: Path, name: str) -> PurePath | None:
    """Return where the project has a skill of this name that isn't ours, or None if it hasn't."""
    for agent in AGENTS.values():
        place = agent.documents.skills / name / "SKILL.md"
        if (root / place).is_file() and not live.own_file(place):
            return place
    return None


def _identities(projects: Iterable[str], notes: list[Note]) -> dict[str, _Identity | None]:
    """Return the device and inode of each project's folder, the same under all of its names; None if it is gone.

    One that can't be read is left out, with a note: its lessons go nowhere else.
    """
    identities: dict[str, _Identity | None] = {}
    for project in projects:
        try:
            info = Path(project).stat()
        except (FileNotFoundError, NotADirectoryError, ValueError):
            identities[project] = None
        except OSError as error:
            summary = f"{project} can't be read: {error.strerror or error}; its lessons wait for another night"
            notes.append(Note(stage="targets", summary=summary, remedy="make it readable, or exclude it"))
        else:
            identities[project] = None
            if stat.S_ISDIR(info.st_mode) and Path(project).is_absolute():
                identities[project] = info.st_dev, info.st_ino
    return identities


def common_folder(root: Path, tasks: Sequence[Task]) -> Path:
    """Return the folder in which all of these sessions stood; the root if they stood in several, or elsewhere."""
    folders = {Path(task.setting.folder) for task in tasks}
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
