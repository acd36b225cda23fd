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

from skillopt_sleep.errors import ProposalError, UnsafeEdit
from skillopt_sleep.proposals import live
from skillopt_sleep.protocols import Routing
from skillopt_sleep.records import BY_HAND, Document, Note, Task

CODEX = "codex"
# Codex silently cuts its instructions at this size; the room is for our block.
CODEX_LIMIT = 32 * 1024
BLOCK_ROOM = 4 * 1024

_CLAUDE = PurePath("CLAUDE.md")
_DOT_CLAUDE = PurePath(".claude/CLAUDE.md")
_LOCAL_CLAUDE = PurePath("CLAUDE.local.md")
_AGENTS = PurePath("AGENTS.md")
_OVERRIDE = PurePath("AGENTS.override.md")
_SKILL_FOLDERS = (PurePath(".claude/skills"), PurePath(".agents/skills"))
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
            agents = {task.source for task in group}
            places = (live.SKILL,) if key is None else _places(roots[key], agents, self._home)
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
            places = [folder / name / "SKILL.md" for folder in _SKILL_FOLDERS]
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


def _places(root: Path, agents: set[str], home: Path) -> tuple[PurePath, ...]:
    """Return where this project's lessons may go, best first."""
    if agents - {BY_HAND} == {CODEX} or not (agents - {BY_HAND} or _uses_claude(root)):
        read = _is_there(root / _AGENTS) and not _is_there(root / _OVERRIDE)
        return (_AGENTS, live.SKILL) if read else (live.SKILL,)
    for place in (_CLAUDE, _DOT_CLAUDE):
        if _is_there(root / place):
            return place, live.RULES
    if _is_there(root / _AGENTS) and not _claude_has_its_own(root, home):
        return _AGENTS, live.RULES
    return (live.RULES,)


def _uses_claude(root: Path) -> bool:
    return any(_is_there(root / place) for place in (_CLAUDE, PurePath(".claude")))


def _claude_has_its_own(root: Path, home: Path) -> bool:
    """Return whether Claude Code ignores AGENTS.md here because of its own file in this folder or one above."""
    above = (folder / place for folder in (root, *root.parents) for place in (_CLAUDE, _DOT_CLAUDE, _LOCAL_CLAUDE))
    return any(_is_there(path) for path in above if path != home / _DOT_CLAUDE)


def _is_there(path: Path) -> bool:
    return os.path.lexists(path)


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
    if place == _AGENTS and size + BLOCK_ROOM > CODEX_LIMIT:
        raise UnsafeEdit(
            f"{document.path} and our lessons would pass the {CODEX_LIMIT // 1024} KiB that Codex reads",
            remedy="shorten it, or do nothing: the lessons go elsewhere",
        )
    return document
