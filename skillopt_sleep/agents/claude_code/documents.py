"""The instruction files that Claude Code reads in a project, and which of them a lesson may go to."""

import os
import re
from pathlib import Path, PurePath

from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.protocols.agent import Documents

# The rules file of our own, which Claude Code reads beside the project's.
RULES = PurePath(".claude/rules/skillopt-sleep.md")

_FOLDER = PurePath(".claude")
_MEMORY = PurePath("CLAUDE.md")
_MEMORY_IN_FOLDER = PurePath(".claude/CLAUDE.md")
_LOCAL_MEMORY = PurePath("CLAUDE.local.md")
_AGENTS_FILE = PurePath("AGENTS.md")
_IMPORT = re.compile(rb"^[ \t]*(?:[-*][ \t]+)?@(?:\./)?AGENTS\.md[ \t]*\r?$", re.MULTILINE)
MOST_MEMORY = 1024 * 1024  # bytes


def places(root: Path, home: Path) -> tuple[PurePath, ...]:
    """Return where a project's lessons may go, best first: the memory file that is read there, then our own rules."""
    for place in (_MEMORY, _MEMORY_IN_FOLDER):
        if os.path.lexists(root / place):
            return place, RULES
    if os.path.lexists(root / _AGENTS_FILE) and not _ignores_agents_file(root, home):
        return _AGENTS_FILE, RULES
    return (RULES,)


def reads(root: Path, home: Path, place: PurePath) -> bool:
    """Return whether Claude Code reads this file: a memory or rules file, its own skills, or an AGENTS.md.

    It reads AGENTS.md only if no memory file stands in its way, or if the project's memory file imports it.
    """
    if place == _AGENTS_FILE:
        return not _ignores_agents_file(root, home) or _imports_agents_file(root)
    return place in {_MEMORY, _MEMORY_IN_FOLDER, _LOCAL_MEMORY} or place.parts[:1] == _FOLDER.parts


def is_used(root: Path) -> bool:
    """Return whether the project is set up for Claude Code."""
    return os.path.lexists(root / _MEMORY) or os.path.lexists(root / _FOLDER)


def _imports_agents_file(root: Path) -> bool:
    """Return whether the project's memory file has a line that imports AGENTS.md, or is the same file."""
    for place in (_MEMORY, _MEMORY_IN_FOLDER):
        try:
            data = read_plain(root / place, most=MOST_MEMORY, inside=root)
        except OSError:
            continue
        if _IMPORT.search(data) or (root / place).samefile(root / _AGENTS_FILE):
            return True
    return False


def _ignores_agents_file(root: Path, home: Path) -> bool:
    """Return whether a memory file here or in a folder above makes Claude Code ignore AGENTS.md."""
    of_the_user = home / _MEMORY_IN_FOLDER
    for folder in (root, *root.parents):
        for place in (_MEMORY, _MEMORY_IN_FOLDER, _LOCAL_MEMORY):
            path = folder / place
            if path != of_the_user and os.path.lexists(path):
                return True
    return False


DOCUMENTS = Documents(places=places, reads=reads, is_used=is_used, skills=PurePath(".claude/skills"))
