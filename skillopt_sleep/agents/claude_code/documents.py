"""The instruction files that Claude Code loads in a folder, and which of them a lesson may go to.

Measured with the genuine program: `tests/agents/test_loaded.py` compares.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePath

import msgspec

from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.kit.files import readable
from skillopt_sleep.kit.markdown import front_matter
from skillopt_sleep.kit.redact import is_secret_file
from skillopt_sleep.protocols.agent import LOADED_BYTES, Documents, Start
from skillopt_sleep.records import InForce

# The rules file of our own, which Claude Code reads beside the project's.
RULES = PurePath(".claude/rules/skillopt-sleep.md")

_FOLDER = PurePath(".claude")
_MEMORY = PurePath("CLAUDE.md")
_MEMORY_IN_FOLDER = PurePath(".claude/CLAUDE.md")
_LOCAL_MEMORY = PurePath("CLAUDE.local.md")
_MEMORIES = (_MEMORY, _MEMORY_IN_FOLDER, _LOCAL_MEMORY)
_AGENTS_FILE = PurePath("AGENTS.md")
_MANAGED = (Path("/etc/claude-code"), Path("/Library/Application Support/ClaudeCode"))
_MOST_HOPS = 4
_MOST_FILES = 200
_MOST_DEEP = 20
_MOST_STATE = 64 * 1024 * 1024
_PATHS = re.compile(r"^[\"']?paths[\"']?[ \t]*:(.*(?:\n[ \t-].*)*)", re.MULTILINE)
_EVERYWHERE = frozenset({"", "[]", "**", '"**"', "'**'"})
_FENCED = r"(?P<code>^ {0,3}(?P<ticks>```+|~~~+).*?(?:^ {0,3}(?P=ticks)|\Z))"
_COMMENT = re.compile(rf"{_FENCED}|^[ \t]*<!--.*?-->[ \t]*\n?", re.DOTALL | re.MULTILINE)
_CODE = re.compile(rf"{_FENCED}|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_IMPORT = re.compile(r"(?:^|\s)@((?:\\ |[^\s\\#\0])+)")


class _Project(msgspec.Struct):
    approved: bool = msgspec.field(default=False, name="hasClaudeMdExternalIncludesApproved")


class _State(msgspec.Struct):
    """Claude Code's own record of each project."""

    projects: dict[str, _Project] = {}


def loads(at: Start) -> tuple[InForce, ...]:
    """Return the files that Claude Code puts before the first request, in its order, each once and as it shows it."""
    found: dict[Path, InForce] = {}
    managed = [(folder, folder / _FOLDER) for folder in _MANAGED]
    for folder, of_rules in (*managed, (at.agent_home, at.agent_home)):
        for path in (folder / _MEMORY, *_rules(of_rules / "rules")):
            _load(path, found, at=at, inside=None)
    inside = None if _may_import_from_elsewhere(at) else at.folder
    has_memory = _has_memory(at)
    for folder in reversed((at.folder, *at.folder.parents)):
        files = [folder / _MEMORY, folder / _MEMORY_IN_FOLDER, *_rules(folder / _FOLDER / "rules")]
        if not has_memory:
            files.append(folder / _AGENTS_FILE)
        for path in (*files, folder / _LOCAL_MEMORY):
            _load(path, found, at=at, inside=inside)
    return tuple(found.values())


def places(at: Start) -> tuple[PurePath, ...]:
    """Return where a project's lessons may go, best first: the memory file that is read there, then our own rules."""
    if os.path.lexists(at.root / _AGENTS_FILE) and not _has_memory(at):
        return _AGENTS_FILE, RULES
    for place in (_MEMORY, _MEMORY_IN_FOLDER):
        if os.path.lexists(at.root / place):
            return place, RULES
    return (RULES,)


def personal(at: Start) -> tuple[PurePath, ...]:
    """Return where the person's own lessons may go, best first: their memory file, if they have one, or our rules."""
    if not at.agent_home.is_relative_to(at.root):
        return ()
    inside = at.agent_home.relative_to(at.root)
    rules = inside / RULES.relative_to(_FOLDER)
    return (inside / _MEMORY, rules) if os.path.lexists(at.agent_home / _MEMORY) else (rules,)


def reads(at: Start, place: PurePath) -> bool:
    """Return whether Claude Code reads this file of the project: a memory or rules file, its own skills, AGENTS.md.

    It reads AGENTS.md only if no memory file stands in its way, or if one imports it.
    """
    if place == _AGENTS_FILE and _has_memory(at):
        own = _real(at.root / place)
        return any(_real(Path(file.path)) == own for file in loads(at))
    return place in {*_MEMORIES, _AGENTS_FILE} or place.parts[:1] == _FOLDER.parts


def is_used(root: Path) -> bool:
    """Return whether the project is set up for Claude Code."""
    return os.path.lexists(root / _MEMORY) or os.path.lexists(root / _FOLDER)


def _has_memory(at: Start) -> bool:
    """Return whether a memory file here or in a folder above, other than the user's, makes it ignore AGENTS.md."""
    of_the_user = _real(at.agent_home / _MEMORY)
    paths = (folder / place for folder in (at.folder, *at.folder.parents) for place in _MEMORIES)
    return any(_shown(path) and _real(path) != of_the_user for path in paths)


def _load(path: Path, found: dict[Path, InForce], *, at: Start, inside: Path | None, hops: int = _MOST_HOPS) -> None:
    """Add the file, unless it was found before, and those that it imports by `@path` from `inside`, if that is given.

    A link to what isn't Markdown is left out, and so is an import of what isn't text or has a name of secret files.
    """
    text = _shown(path)
    real = _real(path)
    left_out = real.suffix != ".md"
    if hops < _MOST_HOPS:
        left_out = "\0" in text or is_secret_file(real.name, bool)
    if not text or left_out or real in found or len(found) == _MOST_FILES:
        return
    found[real] = InForce(path=str(path), text=text)
    if not hops:
        return
    for written in _IMPORT.findall(_CODE.sub(" ", text)):
        name = written.replace("\\ ", " ")
        target = at.home / name[2:] if name.startswith("~/") else real.parent / name
        imported = os.path.normpath(target)
        if os.path.lexists(imported) and (inside is None or _real(Path(imported)).is_relative_to(_real(inside))):
            _load(Path(imported), found, at=at, inside=inside, hops=hops - 1)


def _real(path: Path) -> Path:
    """Return the path with its links followed; one that leads in a circle stays."""
    return Path(os.path.realpath(path))


def _rules(folder: Path, *, deep: int = _MOST_DEEP) -> Iterator[Path]:
    """Yield the rules that are read at the start of a session; those for some `paths` wait for a matching file.

    They come as the disk lists them, which is Claude Code's own order.
    """
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            yield from _rules(path, deep=deep - 1) if deep else ()
        elif path.suffix == ".md" and entry.name.isprintable() and not _waits(path):
            yield path


def _waits(rule: Path) -> bool:
    paths = _PATHS.search(front_matter(_text(rule))[0])
    return bool(paths) and paths[1].strip() not in _EVERYWHERE


def _may_import_from_elsewhere(at: Start) -> bool:
    """Return whether the user was asked about imports from outside of the folder, and said yes."""
    folder = at.home if at.agent_home == at.home / _FOLDER else at.agent_home
    try:
        state = from_json(readable(folder / ".claude.json", most=_MOST_STATE), _State)
    except msgspec.MsgspecError:
        return False
    return state.projects.get(str(at.root), _Project()).approved


def _shown(path: Path) -> str:
    """Return the text without its front matter and its comments, as the model gets to see it."""
    _, text = front_matter(_text(path))
    # Where no comment ends any more, none is looked for: a file of many beginnings would take very long.
    end = text.rfind("-->") + len("-->\n")
    return (_COMMENT.sub(lambda found: found["code"] or "", text[:end]) + text[end:]).strip()


def _text(path: Path) -> str:
    """Return what stands in a text file; "" if there is none that can be read."""
    return readable(path, most=LOADED_BYTES).decode("utf-8-sig", errors="replace").replace("\r\n", "\n")


DOCUMENTS = Documents(
    places=places, personal=personal, reads=reads, is_used=is_used, loads=loads, skills=PurePath(".claude/skills")
)
